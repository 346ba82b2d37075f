/**
 * Temporal as the operator uses it: wakes, the end of runs, and what the installation keeps there.
 * A server that is away is tried again with each use; whatever is missed the tick makes good.
 */
import type { OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { InstallationOutcome } from '#core/ports/installation-schedules.ts';
import type { Log } from '#core/ports/platform.ts';
import type { RefreshLink } from '#operator/cluster/context.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';

export interface TemporalPart extends AsyncDisposable {
  readonly refreshes: RefreshLink;
  /** @throws VarveError where the server does not answer; to be called again. */
  ensureInstallation(): Promise<void>;
}

export interface TemporalPartOptions {
  readonly connect: () => Promise<TemporalClient>;
  readonly metrics: OperatorMetrics;
  readonly log: Log;
}

export function createTemporalPart({ connect, metrics, log }: TemporalPartOptions): TemporalPart {
  let connecting: Promise<TemporalClient> | null = null;
  const reached = async (): Promise<TemporalClient> => {
    connecting ??= connect();
    try {
      return await connecting;
    } catch (error) {
      connecting = null;
      throw error;
    }
  };
  return {
    refreshes: {
      wake: async (tenant) => (await reached()).wake(tenant, { urgent: false }),
      end: async (tenant) => {
        const { endRunsOf } = await import('#providers/temporal/tenant-runs-end.ts');
        return endRunsOf((await reached()).client, tenant);
      },
    },
    ensureInstallation: async () => {
      tell(await (await reached()).schedules.ensure(), { metrics, log });
    },
    [Symbol.asyncDispose]: async () => {
      // One that never came about has nothing to close.
      const client = await connecting?.catch(() => null);
      await client?.[Symbol.asyncDispose]();
    },
  };
}

function tell(
  { schedules, searchAttributes }: InstallationOutcome,
  { metrics, log }: Pick<TemporalPartOptions, 'metrics' | 'log'>,
): void {
  for (const outcome of schedules) {
    const { kind, schedule } = outcome;
    if (kind === 'Mended' && outcome.cause === 'Drift') {
      metrics.count('drift_corrected_total', { what: 'schedule' });
    }
    if (kind === 'Foreign') {
      const { owner } = outcome;
      log.warn({ schedule, owner }, 'the schedule is another installation’s and is left alone');
    } else if (kind !== 'Kept') {
      log.info({ schedule, outcome: kind }, 'the schedule is as declared');
    }
  }
  for (const conflict of searchAttributes.conflicting) log.warn({}, conflict);
}
