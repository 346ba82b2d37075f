/**
 * The activities of a refresh with variants beside scopes. A batch holds one kind, and its id says
 * which; only the claim and the window see both.
 */
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { Usage } from '#core/records/summary.ts';
import { BATCHES_PER_CLAIM_MAX, addUsage } from '#core/refresh/plan-batches.ts';
import type {
  ClaimReport,
  RefreshActivities,
  SummarizeReport,
} from '#core/refresh/refresh-contract.ts';
import type { Scope } from '#core/scope.ts';
import { variantAfterGeneral } from '#core/variants/variant-rules.ts';
import { plannedModel, type BatchKey } from '../load-batch.ts';
import { openCallWindow, tryModel, fittingParts, questionOf } from '../summary-model-call.ts';
import { earlierAttempts } from '../metered-call.ts';
import type { ActivityCall, RefreshPorts } from '../refresh-ports.ts';
import type { Part } from '../plan-segments.ts';
import { unlessErased } from '../write-unless-erased.ts';
import { claimVariants, isVariantBatch } from './claim-variants.ts';
import { commitVariants } from './commit-variants.ts';
import { releaseVariants, unclaimVariant, loadVariants } from './variant-batch.ts';

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
      // A variant has no dead letter: its next reader requests it again.
      return { deadLettered: 0 };
    },
  };
}

/**
 * Marks the variants of a scope after a new general summary. Repeatable: the next read marks what a
 * crash left unmarked.
 */
export async function markVariants(
  { store, platform }: Pick<RefreshPorts, 'store' | 'platform'>,
  policy: TenantPolicy,
  scope: Scope,
): Promise<void> {
  if (!policy.layers[scope.layer].personalized) return;
  const now = platform.clock();
  for (const variant of await store.variants.ofScope(scope)) {
    const marked = variantAfterGeneral(variant, now);
    if (marked !== null) await store.variants.put(marked);
  }
}

/** Calls of one activity; a batch has at most as many items as one call. */
const CALLS_MAX = 4;

/**
 * Makes the model calls of a batch of variants. They are all for one reader, so a batch is one call
 * unless its model reads very little; the commit releases what was not asked.
 */
async function summarizeVariants(
  given: RefreshPorts,
  batch: BatchKey,
  call: ActivityCall,
): Promise<SummarizeReport> {
  const ports = await unlessErased(given, batch.tenant);
  const mayCall = openCallWindow(ports.platform.clock);
  const policy = await policyToRefreshBy(ports.store.policies, batch.tenant);
  if (policy === null) return gone(ports, batch);
  const { tasks, others } = await loadVariants(ports, batch, policy);
  let attempts = await earlierAttempts(ports, batch);
  const [first] = tasks;
  if (first === undefined) {
    // A batch that is gone is not committed, so its variants are released here.
    for (const state of others) await unclaimVariant(ports, state);
    return { kind: 'Gone' };
  }
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let calls = 0;
  let answers = 0;
  let model: SummaryModel = plannedModel(ports, first.part.scope);
  let open: readonly Part[] = tasks.map(({ part }) => part);
  for (let turn = 0; turn < CALLS_MAX && open.length > 0 && mayCall(); turn += 1) {
    // Check before anything is paid; `tryModel` checks again after the model's answer.
    const isReleased = (await policyToRefreshBy(ports.store.policies, batch.tenant)) === null;
    if (isReleased) return gone(ports, batch);
    const parts = fittingParts(model, open);
    const question = questionOf(ports.platform.digest, model, parts);
    attempts += 1;
    const rules = { batch, attempt: attempts, policy, call, purpose: 'variant' as const };
    const outcome = await tryModel(ports, question, rules);
    if (outcome.kind === 'Released') return gone(ports, batch);
    if (outcome.kind === 'Failed') {
      // Earlier answers are not lost: the commit uses them and releases the rest.
      if (answers > 0) break;
      throw outcome.error;
    }
    if (outcome.kind === 'Exhausted' && policy.budget.onExhausted === 'Extractive') {
      model = ports.models.extractive;
      continue;
    }
    if (outcome.kind === 'Exhausted') {
      if (answers > 0) break;
      const rejected = policy.budget.onExhausted === 'Reject';
      return { kind: 'Exhausted', details: outcome.details, rejected };
    }
    answers += 1;
    usage = addUsage(usage, outcome.answer.usage);
    if (outcome.called && question.model.price !== null) calls += 1;
    open = open.filter((part) => !parts.includes(part));
  }
  return { kind: 'Answered', ...usage, called: calls > 0, calls };
}

/** Gives back the variants of a tenant that was released meanwhile. */
async function gone(ports: RefreshPorts, batch: BatchKey): Promise<SummarizeReport> {
  await releaseVariants(ports, { ...batch, code: 'FORBIDDEN' });
  return { kind: 'Gone' };
}
