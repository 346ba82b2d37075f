/**
 * The first outside step of a term: no write of an earlier leader gets through after it. Done by
 * the first reconcile that needs the store, so that a store which does not answer keeps nobody from
 * saying so.
 */
import type { PolicyRecords } from '#core/ports/policy-records.ts';
import { fenced, leadingEpoch, type Leadership } from './context.ts';

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
