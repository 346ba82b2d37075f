/**
 * The model calls of a batch of variants. They are one reader's, so that a batch is one call unless
 * its model reads very little; what is not asked is given back by the commit.
 */
import type { SummarizeReport } from '#core/refresh/refresh-contract.ts';
import { sum } from '#core/refresh/plan-batches.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { Usage } from '#core/records/summary.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import { plannedModel, type BatchKey } from '../batch.ts';
import { openCallWindow } from '../call-window.ts';
import { tryModel } from '../model-call.ts';
import { earlierAttempts } from '../metered-call.ts';
import { fittingParts, questionOf } from '../model-question.ts';
import type { ActivityCall, RefreshPorts } from '../refresh-ports.ts';
import type { Part } from '../scope-plan.ts';
import { releaseVariants } from './release-variants.ts';
import { giveUpVariant } from './settle-variant.ts';
import { loadVariants } from './variant-batch.ts';

/** Calls of one activity; a batch has as many items as one call at most. */
const CALLS_MAX = 4;

export async function summarizeVariants(
  ports: RefreshPorts,
  batch: BatchKey,
  call: ActivityCall,
): Promise<SummarizeReport> {
  const mayCall = openCallWindow(ports.platform.clock);
  const policy = await policyToRefreshBy(ports.store.policies, batch.tenant);
  if (policy === null) return gone(ports, batch);
  const { tasks, others } = await loadVariants(ports, batch, policy);
  let attempts = await earlierAttempts(ports, batch);
  const [first] = tasks;
  if (first === undefined) {
    // Nothing is committed of a batch that is gone, so what it holds is given back here.
    for (const state of others) await giveUpVariant(ports, state);
    return { kind: 'Gone' };
  }
  let usage: Usage = { inputTokens: 0, outputTokens: 0 };
  let calls = 0;
  let answers = 0;
  let model: SummaryModel = plannedModel(ports, first.part.scope);
  let open: readonly Part[] = tasks.map(({ part }) => part);
  for (let turn = 0; turn < CALLS_MAX && open.length > 0 && mayCall(); turn += 1) {
    // Before anything is paid; `tryModel` looks again once the model has answered.
    const isReleased = (await policyToRefreshBy(ports.store.policies, batch.tenant)) === null;
    if (isReleased) return gone(ports, batch);
    const parts = fittingParts(model, open);
    const question = questionOf(ports.platform.digest, model, parts);
    attempts += 1;
    const rules = { batch, attempt: attempts, policy, call, purpose: 'variant' as const };
    const outcome = await tryModel(ports, question, rules);
    if (outcome.kind === 'Released') return gone(ports, batch);
    if (outcome.kind === 'Failed') {
      // What was answered before is not lost: the commit gives the rest back.
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
    usage = sum(usage, outcome.answer.usage);
    if (outcome.called && question.model.price !== null) calls += 1;
    open = open.filter((part) => !parts.includes(part));
  }
  return { kind: 'Answered', ...usage, called: calls > 0, calls };
}

/** Of a tenant that was let go of meanwhile. */
async function gone(ports: RefreshPorts, batch: BatchKey): Promise<SummarizeReport> {
  await releaseVariants(ports, { ...batch, code: 'FORBIDDEN' });
  return { kind: 'Gone' };
}
