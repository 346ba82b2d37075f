/**
 * The first outside step of a term: no write of an earlier leader gets through after it. Done by
 * the first reconcile that needs the store, so that a store which does not answer keeps nobody from
 * saying so.
 */
import type { Log } from '#core/ports/platform.ts';
import type { PolicyRecords } from '#core/ports/policy-records.ts';
import { fenced, leadingEpoch, type Leadership, isFenced } from './context.ts';

export interface Fence {
  /**
   * Resolves once the store lets no earlier leader through.
   * @throws VarveError CANCELLED where a later leader is at work; what the store throws
   */
  ensure(): Promise<void>;
}

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
  'The store or Temporal refuses this leader, since a later one of the same cluster id wrote to ' +
  'it; the process ends and the next one leads with a later epoch. Where this happens again, ' +
  'another installation writes under the same id: give each its own with --cluster-id, or stop ' +
  'one of them; and look whether the clocks of the nodes are right.';
