/** Who leads, and the fence that keeps out writes of an earlier leader. */
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import type { PolicyRecords } from '#core/ports/policy-records.ts';

/** Who may write, and with which fence. */
export interface Leadership {
  isLeader(): boolean;
  /** The epoch of the term; 0 while not leading. */
  epoch(): number;
  /** Ends the term, and with it the process. */
  lose(): void;
}

/**
 * Returns the epoch to write with. Call it before each write outside of the process.
 * @throws VarveError CANCELLED if this process no longer leads
 */
export function leadingEpoch({ leadership }: { readonly leadership: Leadership }): number {
  if (leadership.isLeader()) return leadership.epoch();
  throw new VarveError('CANCELLED', 'This process is no longer the leader; another one continues.');
}

/** Returns the error for a write that a later leader's fence refused: CANCELLED. */
export function fencedError(epoch: number): VarveError {
  const message = 'A later leader writes; this process is no longer the leader.';
  return new VarveError('CANCELLED', message, { details: { epoch, reason: FENCED } });
}

/** Whether the store refused a write because a later leader is at work. */
export function isFenced(error: unknown): error is VarveError {
  return error instanceof VarveError && error.details['reason'] === FENCED;
}

const FENCED = 'Fenced';

export interface Fence {
  /**
   * Resolves once the store refuses writes of every earlier leader.
   * @throws VarveError CANCELLED if a later leader is at work; errors of the store
   */
  ensure(): Promise<void>;
}

/**
 * The first write of a term outside of the process: after it, no write of an earlier leader gets
 * through. It is left to the first reconcile that needs the store, so that conditions can report a
 * store that does not answer.
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
      if (!(await policies.fence(clusterId, epoch))) throw fencedError(epoch);
      fencedAt = epoch;
    },
  };
}

/**
 * Runs the work. If a fence refuses it, ends the term; however many reconciles meet the fence, it
 * is logged once. Throws what the work throws.
 */
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
