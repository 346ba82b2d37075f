/**
 * The activities of a refresh with variants beside scopes. A batch is of one kind, and its name
 * says which; only the claim and the window see both.
 */
import type { ClaimReport, RefreshActivities } from '#core/refresh/refresh-contract.ts';
import { BATCHES_PER_CLAIM_MAX } from '#core/refresh/plan-batches.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
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
  portsOf: (tenant: string) => Promise<RefreshPorts>,
  scopes: Batched,
  callOf: () => ActivityCall,
): Batched {
  return {
    claimBatches: async (input): Promise<ClaimReport> => {
      const claimed = await scopes.claimBatches(input);
      const ports = await portsOf(input.tenant);
      const policy = await policyToRefreshBy(ports.store.policies, input.tenant);
      if (policy === null) return claimed;
      const batchesMax = Math.max(0, BATCHES_PER_CLAIM_MAX - claimed.batches.length);
      const variants = await claimVariants(ports, { ...input, policy, batchesMax });
      return { ...claimed, batches: [...claimed.batches, ...variants] };
    },
    summarizeBatch: async (input) =>
      isVariantBatch(input)
        ? summarizeVariants(await portsOf(input.tenant), input, callOf())
        : scopes.summarizeBatch(input),
    commitBatch: async (input) =>
      isVariantBatch(input)
        ? commitVariants(await portsOf(input.tenant), input)
        : scopes.commitBatch(input),
    releaseBatch: async (input) => {
      if (!isVariantBatch(input)) return scopes.releaseBatch(input);
      await releaseVariants(await portsOf(input.tenant), input);
      // A variant has no dead letter: who reads it next asks for it again.
      return { deadLettered: 0 };
    },
  };
}
