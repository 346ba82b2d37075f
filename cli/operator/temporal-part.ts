/**
 * Temporal as the operator uses it: requests, ends of runs, and what the installation keeps.
 * A server that is away is tried again with each use; whatever is missed the tick makes good.
 */
import { VarveError } from '#core/errors.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { InstallationOutcome } from '#core/ports/installation-schedules.ts';
import type { Log } from '#core/ports/platform.ts';
import type { RefreshLink } from '#operator/cluster/cluster-context.ts';
import { fenced } from '#operator/cluster/fence.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';

export interface TemporalPart extends AsyncDisposable {
  readonly refreshes: RefreshLink;
  /**
   * Keeps it as a leader of that term declares it; abandons what is under way once the signal is
   * aborted.
   * @throws VarveError where the server does not answer, to be called again; CANCELLED where a
   *   leader of a later term has kept it
   */
  ensureInstallation(term: number, signal?: AbortSignal): Promise<void>;
}

export interface TemporalPartOptions {
  readonly connect: () => Promise<TemporalClient>;
  readonly metrics: OperatorMetrics;
  readonly log: Log;
}

export function createTemporalPart({ connect, metrics, log }: TemporalPartOptions): TemporalPart {
  const drift = createInstallationDrift();
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
      notify: async (tenant) => (await reached()).notify(tenant, { urgent: false }),
      end: async (tenant) => {
        const { endRunsOf } = await import('#providers/temporal/end-tenant-runs.ts');
        return endRunsOf((await reached()).client, tenant);
      },
    },
    ensureInstallation: async (term, signal = new AbortController().signal) => {
      const { client, schedules } = await reached();
      // A signal that was aborted meanwhile ends no call that begins after it.
      if (signal.aborted) throw new VarveError('CANCELLED', 'The operator stops.');
      const ensure = () => schedules.ensure(term);
      const outcome = await client.connection.withAbortSignal(signal, ensure);
      const later = outcome.schedules.find(({ kind }) => kind === 'Fenced');
      if (later !== undefined) throw fenced(term);
      countDrift(drift.look(outcome), metrics);
      logOutcome(outcome, log);
    },
    [Symbol.asyncDispose]: async () => {
      // A connection that was never made has nothing to close.
      const client = await connecting?.catch(() => null);
      await client?.[Symbol.asyncDispose]();
    },
  };
}

function countDrift(
  { schedules, searchAttributes }: CorrectedDrift,
  metrics: Pick<OperatorMetrics, 'count'>,
): void {
  const what = { schedule: schedules, searchAttribute: searchAttributes };
  for (const [name, by] of Object.entries(what)) {
    if (by > 0) metrics.count('drift_corrected_total', { what: name }, by);
  }
}

function logOutcome({ schedules, searchAttributes }: InstallationOutcome, log: Log): void {
  for (const outcome of schedules) {
    const { kind, schedule } = outcome;
    if (kind === 'Foreign') {
      const { owner } = outcome;
      log.warn({ schedule, owner }, 'schedule belongs to another installation; left alone');
    } else if (kind !== 'Kept') {
      log.info({ schedule, outcome: kind }, 'schedule matches its declaration');
    }
  }
  for (const conflict of searchAttributes.conflicting) log.warn({}, conflict);
}

// Remembers which parts of an installation this process has seen as declared. If it must create one
// of them again, that is drift: another process deleted it. Other parts are created for the first
// time.

/** How much another had changed or deleted. */
interface CorrectedDrift {
  readonly schedules: number;
  readonly searchAttributes: number;
}

interface InstallationDrift {
  /** Called after every check, in order. */
  look(outcome: InstallationOutcome): CorrectedDrift;
}

export function createInstallationDrift(): InstallationDrift {
  /** Ids; no more than are declared. */
  const kept = new Set<string>();
  let areAttributesKept = false;
  return {
    look({ schedules, searchAttributes: { added, conflicting } }) {
      const corrected = schedules.filter(
        (outcome) =>
          (outcome.kind === 'Corrected' && outcome.cause === 'Drift') ||
          (outcome.kind === 'Created' && kept.has(outcome.schedule)),
      );
      for (const { kind, schedule } of schedules) {
        if (kind === 'Foreign') kept.delete(schedule);
        else kept.add(schedule);
      }
      const missing = areAttributesKept ? added.length : 0;
      // Of those that could not be looked at, none is known to have been there.
      areAttributesKept = conflicting.length === 0;
      return { schedules: corrected.length, searchAttributes: missing };
    },
  };
}
