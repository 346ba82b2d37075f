/**
 * Activity: makes the model calls of a batch, as many as one activity may. A batch of small scopes
 * is one call; a large scope is summarized segment by segment, and what does not fit is left for
 * the next claim. Each answer is stored and settled before the next call (`meteredCall`), so a
 * crash at any point loses one call at most. If a later call fails, earlier answers are still
 * committed.
 */
import type { SummarizeReport } from '#core/refresh/refresh-contract.ts';
import { mayBeCharged, withCharge } from '#core/budget/failures-not-charged.ts';
import type { VarveError } from '#core/errors.ts';
import { addUsage } from '#core/refresh/plan-batches.ts';
import type { Usage } from '#core/records/summary.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import type { PaidAnswer } from '#core/records/paid-answer.ts';
import { loadBatch, plannedModel, type BatchKey } from './load-batch.ts';
import { openProgress } from './batch-progress.ts';
import { openCallWindow, tryModel, type Question } from './summary-model-call.ts';
import { earlierAttempts } from './metered-call.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { unlessErased } from './write-unless-erased.ts';
import { verifyDoubts } from './verify-doubts.ts';
import { releaseBatch } from './release-batch.ts';

/** Calls of one activity: with half a minute each they end before its timeout of five minutes. */
const CALLS_PER_ACTIVITY_MAX = 8;
/** A provider that refuses this many questions and answers none is misconfigured. */
const REJECTIONS_MAX = 3;

export async function summarizeBatch(
  given: RefreshPorts,
  batch: BatchKey,
  call: ActivityCall,
): Promise<SummarizeReport> {
  const ports = await unlessErased(given, batch.tenant);
  const { store, models } = ports;
  const mayCall = openCallWindow(ports.platform.clock);
  const scopes = await loadBatch(ports, batch);
  let attempts = await earlierAttempts(ports, batch);
  const [first] = scopes;
  if (first === undefined) return { kind: 'Gone' };
  const policy = await policyToRefreshBy(store.policies, batch.tenant);
  if (policy === null) return gone(ports, batch, call);
  const model = plannedModel(ports, first);
  const progress = await openProgress(ports, scopes, { model, policy, call });
  const tally: Tally = { inputTokens: 0, outputTokens: 0, calls: 0, answers: 0, rejections: 0 };
  for (let turn = 0; turn < CALLS_PER_ACTIVITY_MAX && mayCall(); turn += 1) {
    // Check before anything is paid or stored; `tryModel` checks again after the model's answer.
    const isReleased = (await policyToRefreshBy(store.policies, batch.tenant)) === null;
    if (isReleased) return gone(ports, batch, call);
    const question = await progress.next();
    if (question === null) break;
    attempts += 1;
    const rules = { batch, attempt: attempts, policy, call, purpose: 'summary' as const };
    const outcome = await tryModel(ports, question, rules);
    if (outcome.kind === 'Released') return gone(ports, batch, call);
    if (outcome.kind === 'Failed') {
      tally.error = outcome.error;
      countFailed(tally, outcome.error, question);
      if (goesOnAfter(outcome.error, tally)) progress.reject(question);
      else break;
    } else if (outcome.kind === 'Exhausted') {
      const { onExhausted } = policy.budget;
      if (onExhausted === 'Extractive') await progress.continueWith(models.extractive);
      else if (tally.answers === 0)
        return { kind: 'Exhausted', details: outcome.details, rejected: onExhausted === 'Reject' };
      else break;
    } else {
      count(tally, outcome, question);
      const { answer } = outcome;
      const doubts =
        policy.grounding !== undefined && mayCall() ? progress.doubts(question, answer) : [];
      attempts += Number(doubts.length > 0);
      const verifying = { batch, attempt: attempts, policy, call };
      await progress.absorb(question, answer, await verifyDoubts(ports, doubts, verifying));
      call.report?.({ calls: tally.calls, answers: tally.answers });
    }
  }
  return reportOf(tally);
}

/** The tenant was released meanwhile; its next claim finds its scopes without a lease. */
async function gone(
  ports: RefreshPorts,
  batch: BatchKey,
  call: ActivityCall,
): Promise<SummarizeReport> {
  await releaseBatch(ports, { ...batch, code: 'FORBIDDEN' }, call);
  return { kind: 'Gone' };
}

/** Totals of the calls of an activity. Its tokens are those of calls that were charged. */
interface Tally extends Usage {
  inputTokens: number;
  outputTokens: number;
  /** Calls that were charged. */
  calls: number;
  answers: number;
  /** Questions that the provider refused. */
  rejections: number;
  /** Error of the last call that failed. */
  error?: VarveError;
}

/** Whether another question may be answered after this failure. Counts rejections. */
function goesOnAfter({ code }: VarveError, tally: Tally): boolean {
  if (code !== 'PROVIDER_REJECTED') return false;
  tally.rejections += 1;
  return tally.answers > 0 || tally.rejections < REJECTIONS_MAX;
}

function count(
  tally: Tally,
  { answer, called }: { answer: PaidAnswer; called: boolean },
  { model }: Question,
): void {
  tally.answers += 1;
  if (!called || model.price === null) return;
  Object.assign(tally, addUsage(tally, answer.usage));
  tally.calls += 1;
}

/** A call whose outcome is unknown is charged with all that it may have used. */
function countFailed(tally: Tally, error: VarveError, { model, batch }: Question): void {
  if (model.price === null || !mayBeCharged(error)) return;
  Object.assign(tally, addUsage(tally, model.usageMax(batch)));
  tally.calls += 1;
}

/** @throws VarveError the failure of the calls, if none was answered */
function reportOf({ calls, answers, error, inputTokens, outputTokens }: Tally): SummarizeReport {
  const usage = { inputTokens, outputTokens };
  if (error !== undefined && answers === 0) throw withCharge(error, { calls, ...usage });
  const failure = error === undefined ? {} : { failure: error.code };
  return { kind: 'Answered', ...usage, called: calls > 0, calls, ...failure };
}
