/**
 * Activity: one model call for a batch.
 *
 * Flow: an answer that was stored for the same question serves again; else earlier attempts of the
 * batch are settled, the budget is reserved, the model is called, its answer is stored, the
 * reservation is settled with what was used.
 * Guarantees: an answer that was stored once is never paid for twice; a call whose outcome is
 * unknown is settled at its full reserve; no call is made without a reservation.
 */
import type { SummarizeReport } from '#core/contract.ts';
import { VarveError } from '#core/errors.ts';
import type { TenantPolicy } from '#core/policy.ts';
import type { ModelAnswer, ModelBatch, SummaryModel } from '#core/ports/model.ts';
import { costOf } from '#core/price.ts';
import { NOTHING, type LedgerEntry } from '#core/records/account.ts';
import type { StoredAnswer } from '#core/records/answer.ts';
import { policyInForce } from '#core/tenant-policy.ts';
import { itemStates, loadBatch, questionHash, questionOf, type BatchScope } from './batch.ts';
import { settleLostAttempts } from './lost-attempts.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';

/** Pause before another try when the account is crowded. */
const CROWDED_RETRY_AFTER_MS = 5_000;

interface Attempt {
  readonly tenant: string;
  readonly batchId: string;
  readonly attemptId: string;
}

interface Question {
  readonly scopes: readonly BatchScope[];
  readonly batch: ModelBatch;
  readonly hash: string;
  readonly model: SummaryModel;
  readonly policy: TenantPolicy;
}

export async function summarizeBatch(
  ports: RefreshPorts,
  batch: { tenant: string; batchId: string },
  call: ActivityCall,
): Promise<SummarizeReport> {
  const question = await ask(ports, batch);
  if (question === null) {
    await settleLostAttempts(ports, batch);
    return { kind: 'Gone' };
  }
  const stored = await ports.store.answers.find(batch.tenant, batch.batchId, question.hash);
  if (stored !== null) {
    await settleWith(ports, stored, question.model);
    return { kind: 'Answered', ...stored.usage, called: false };
  }
  const earlier = await settleLostAttempts(ports, batch);
  const attempt: Attempt = { ...batch, attemptId: `${batch.batchId}/${String(earlier + 1)}` };
  if (!(await reserve(ports, question, attempt))) {
    if (question.policy.budget.onExhausted !== 'Extractive') return { kind: 'Exhausted' };
    const extractive = { ...question, model: ports.models.extractive };
    return answerWith(ports, extractive, { attempt, call });
  }
  return answerWith(ports, question, { attempt, call });
}

async function ask(
  ports: RefreshPorts,
  batch: { tenant: string; batchId: string },
): Promise<Question | null> {
  const scopes = await loadBatch(ports, batch);
  const [first] = scopes;
  if (first === undefined) return null;
  const model = ports.models.byName(first.lease.model);
  if (model === undefined) {
    throw new VarveError('PROVIDER_REJECTED', 'The planned model is not configured any more.', {
      details: { model: first.lease.model },
    });
  }
  const policy = await policyInForce(ports.store.policies, batch.tenant);
  const asked = questionOf(scopes, policy);
  const hash = questionHash(ports.platform.digest, model, asked);
  return { scopes, batch: asked, hash, model, policy };
}

/** False where the budget does not allow the call. Calls without a price need no reservation. */
async function reserve(
  { store, platform }: RefreshPorts,
  { model, batch, policy }: Question,
  attempt: Attempt,
): Promise<boolean> {
  if (model.price === null) return true;
  const usage = { inputTokens: inputBound(batch), outputTokens: model.outputTokensMax };
  const result = await store.accounts.reserve({
    attempt: { ...attempt, purpose: 'summary', model: model.name },
    amount: costOf(usage, model.price),
    budget: policy.budget,
    now: platform.clock(),
  });
  if (result.kind === 'TooManyOpen') {
    throw new VarveError('RATE_LIMITED', 'Too many reservations are open on this account.', {
      details: { retryAfterMs: CROWDED_RETRY_AFTER_MS },
    });
  }
  return result.kind === 'Reserved';
}

async function answerWith(
  ports: RefreshPorts,
  question: Question,
  { attempt, call }: { attempt: Attempt; call: ActivityCall },
): Promise<SummarizeReport> {
  const { model, batch, scopes, hash } = question;
  const answer = await callModel(ports, question, { attempt, call });
  const stored: StoredAnswer = {
    ...attempt,
    promptHash: hash,
    state: 'paid',
    model: model.name,
    usage: answer.usage,
    items: itemStates(ports.platform.digest, scopes),
    text: answer.text,
    at: ports.platform.clock(),
  };
  await ports.store.answers.put(stored);
  await settleWith(ports, stored, model);
  const called = batch.items.length > 0 && model.price !== null;
  return { kind: 'Answered', ...answer.usage, called };
}

async function callModel(
  ports: RefreshPorts,
  { model, batch }: Question,
  { attempt, call }: { attempt: Attempt; call: ActivityCall },
): Promise<ModelAnswer> {
  if (batch.items.length === 0) {
    return { text: '{"items":[]}', usage: { inputTokens: 0, outputTokens: 0 } };
  }
  try {
    return await model.answer(batch, { attemptId: attempt.attemptId, signal: call.signal });
  } catch (failure) {
    await settleFailure(ports, attempt, failure);
    throw failure;
  }
}

/** A call that the provider refused before it worked is not charged; any other may have been. */
async function settleFailure(
  { store, platform }: RefreshPorts,
  attempt: Attempt,
  failure: unknown,
): Promise<void> {
  const refused =
    failure instanceof VarveError &&
    (failure.code === 'RATE_LIMITED' || failure.code === 'PROVIDER_REJECTED');
  const outcome: LedgerEntry['outcome'] = refused ? 'NotCharged' : 'UnknownOutcome';
  const settlement = { outcome, now: platform.clock() };
  await store.accounts.settle(attempt, refused ? NOTHING : null, settlement);
}

async function settleWith(
  { store, platform }: RefreshPorts,
  { tenant, attemptId, usage }: StoredAnswer,
  model: SummaryModel,
): Promise<void> {
  // Without a price nothing was reserved.
  if (model.price === null) return;
  const settlement = { outcome: 'Usage', now: platform.clock() } as const;
  await store.accounts.settle({ tenant, attemptId }, costOf(usage, model.price), settlement);
}

/** Bytes that one UTF-16 unit can take in UTF-8; no token is shorter than a byte. */
const BYTES_PER_UNIT_MAX = 3;

/** Bounds the tokens of a question from above, whatever tokenizer the provider has. */
function inputBound(batch: ModelBatch): number {
  let units = 0;
  for (const { text, speaker, id } of batch.items.flatMap((item) => item.sources)) {
    units += text.length + (speaker?.length ?? 0) + id.length;
  }
  return units * BYTES_PER_UNIT_MAX;
}
