/**
 * The activities of a refresh with variants beside scopes. A batch is of one kind, and its name
 * says which; only the claim and the window see both.
 */
import type { ClaimReport, RefreshActivities } from '#core/contract.ts';
import { BATCHES_PER_CLAIM_MAX } from '#core/plan-batches.ts';
import { policyInForce } from '#core/tenant-policy.ts';
import { claimVariants, isVariantBatch } from './claim-variants.ts';
import { commitVariants } from './commit-variants.ts';
import type { ActivityCall, RefreshPorts } from '../refresh-ports.ts';
import { releaseVariants } from './release-variants.ts';
import { summarizeVariants } from './summarize-variants.ts';

type Batched = Pick<
  RefreshActivities,
  'claimBatches' | 'summarizeBatch' | 'commitBatch' | 'releaseBatch'
>;

export function withVariantBatches(
  ports: RefreshPorts,
  scopes: Batched,
  callOf: () => ActivityCall,
): Batched {
  return {
    claimBatches: async (input): Promise<ClaimReport> => {
      const claimed = await scopes.claimBatches(input);
      const policy = await policyInForce(ports.store.policies, input.tenant);
      const batchesMax = Math.max(0, BATCHES_PER_CLAIM_MAX - claimed.batches.length);
      const variants = await claimVariants(ports, { ...input, policy, batchesMax });
      return { ...claimed, batches: [...claimed.batches, ...variants] };
    },
    summarizeBatch: (input) =>
      isVariantBatch(input)
        ? summarizeVariants(ports, input, callOf())
        : scopes.summarizeBatch(input),
    commitBatch: (input) =>
      isVariantBatch(input) ? commitVariants(ports, input) : scopes.commitBatch(input),
    releaseBatch: async (input) => {
      if (!isVariantBatch(input)) return scopes.releaseBatch(input);
      await releaseVariants(ports, input);
      // A variant has no dead letter: who reads it next asks for it again.
      return { deadLettered: 0 };
    },
  };
}
