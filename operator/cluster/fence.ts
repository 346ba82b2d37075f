/** Who leads, and the fence that keeps out the writes of an earlier leader. */
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import type { PolicyRecords } from '#core/ports/policy-records.ts';

/** Who may write, and with which fence. */
export interface Leadership {
  isLeader(): boolean;
  /** Of the term; 0 while not leading. */
  epoch(): number;
  /** Ends the term, and with it the process. */
  lose(): void;
}

/**
 * The epoch to write with. To be asked before each write outside of the process.
 * @throws VarveError CANCELLED where this process leads no more
 */
export function leadingEpoch({ leadership }: { readonly leadership: Leadership }): number {
  if (leadership.isLeader()) return leadership.epoch();
  throw new VarveError('CANCELLED', 'This process is no longer the leader; another one continues.');
}

/** @throws VarveError CANCELLED: a later leader is at work, so nothing more is written here */
export function fenced(epoch: number): VarveError {
  const message = 'A later leader writes; this process is no longer the leader.';
  return new VarveError('CANCELLED', message, { details: { epoch, reason: FENCED } });
}

/** Whether the store refused a write, since a later leader is at work. */
export function isFenced(error: unknown): error is VarveError {
  return error instanceof VarveError && error.details['reason'] === FENCED;
}

const FENCED = 'Fenced';

export interface Fence {
  /**
   * Resolves once the store lets no earlier leader through.
   * @throws VarveError CANCELLED where a later leader is at work; what the store throws
   */
  ensure(): Promise<void>;
}

/**
 * The first outside step of a term: no write of an earlier leader gets through after it. The first
 * reconcile that needs the store does it, so that conditions can report a store which does not
 * answer.
 */
export function createFence(options: {
  readonly policies: Pick<PolicyRecords, 'fence'>;
  readonly clusterId: string;
  readonly leadership: Leadership;
}): Fence {
  const { policies, clusterId, leadership } = options;
  let fencedAt = 0;
  return {
    async ensure() {
      const epoch = leadingEpoch({ leadership });
      if (fencedAt === epoch) return;
      if (!(await policies.fence(clusterId, epoch))) throw fenced(epoch);
      fencedAt = epoch;
    },
  };
}

/** Says so once, however many reconciles meet the fence. Throws on what the work throws. */
export async function endWhenFenced<T>(
  { leadership, log }: { readonly leadership: Leadership; readonly log: Log },
  work: () => Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isFenced(error) && leadership.isLeader()) {
      log.error({ epoch: error.details['epoch'] }, WHAT_TO_DO);
      leadership.lose();
    }
    throw error;
  }
}

const WHAT_TO_DO =
  'the store or Temporal refuses this leader, since a later one of the same cluster id wrote to ' +
  'it; the process ends and the next one leads with a later epoch; if this repeats, another ' +
  'installation writes under the same id: give each its own with --cluster-id, or stop one of ' +
  'them, and check the clocks of the nodes';
