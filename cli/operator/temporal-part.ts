/**
 * Temporal as the operator uses it: refresh requests, ends of runs, and what the installation
 * keeps. An unavailable server is tried again with each use; the tick makes up for anything missed.
 */
import { VarveError } from '#core/errors.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { InstallationOutcome } from '#core/ports/installation-schedules.ts';
import type { Log } from '#core/ports/platform.ts';
import type { RefreshLink } from '#operator/cluster/cluster-context.ts';
import { fencedError } from '#operator/cluster/leader-fence.ts';
import type { TemporalClient } from '#providers/temporal/client.ts';
import type { Config } from '../config.ts';

export interface TemporalPart extends AsyncDisposable {
  readonly refreshes: RefreshLink;
  /**
   * Brings Temporal to what a leader of this term declares; abandons calls under way once the
   * signal is aborted.
   * @throws VarveError if the server does not answer, to be called again; CANCELLED if a leader of
   * a later term has already done this
   */
  ensureInstallation(term: number, signal?: AbortSignal): Promise<void>;
}

interface TemporalPartOptions {
  readonly connect: () => Promise<TemporalClient>;
  readonly metrics: OperatorMetrics;
  readonly log: Log;
}

/**
 * Returns null without an address: only the tick then finds due work, and no schedule is kept.
 * @param owner the installation that the schedules belong to; that of a folder if absent
 */
export function temporalPartOf(
  { temporalAddress: address, temporalNamespace: namespace, temporalSecurity: security }: Config,
  { owner, ...rest }: Omit<TemporalPartOptions, 'connect'> & { readonly owner?: string },
): TemporalPart | null {
  if (address === null) return null;
  const connect = async (): Promise<TemporalClient> => {
    const { connectTemporal } = await import('#providers/temporal/client.ts');
    const owned = owner === undefined ? {} : { owner };
    return connectTemporal({ address, namespace, security, ...owned });
  };
  return createTemporalPart({ connect, ...rest });
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
      // The connection ignores a signal that is already aborted.
      if (signal.aborted) throw new VarveError('CANCELLED', 'The operator stops.');
      const ensure = () => schedules.ensure(term);
      const outcome = await client.connection.withAbortSignal(signal, ensure);
      const later = outcome.schedules.find(({ kind }) => kind === 'Fenced');
      if (later !== undefined) throw fencedError(term);
      const { schedules: schedule, searchAttributes } = drift.correctedIn(outcome);
      for (const [what, by] of Object.entries({ schedule, searchAttribute: searchAttributes })) {
        if (by > 0) metrics.count('drift_corrected_total', { what }, by);
      }
      logOutcome(outcome, log);
    },
    [Symbol.asyncDispose]: async () => {
      // A connection that failed has nothing to close.
      const client = await connecting?.catch(() => null);
      await client?.[Symbol.asyncDispose]();
    },
  };
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
// of them again, that is drift: another process deleted it. Otherwise, the part is created for the
// first time.

export function createInstallationDrift() {
  /** Ids; never more than are declared. */
  const kept = new Set<string>();
  let areAttributesKept = false;
  return {
    /** Counts the parts that another process had changed or deleted. Called after every check. */
    correctedIn({ schedules, searchAttributes: { added, conflicting } }: InstallationOutcome) {
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
      // Attributes that could not be checked do not count as seen.
      areAttributesKept = conflicting.length === 0;
      return { schedules: corrected.length, searchAttributes: missing };
    },
  };
}
