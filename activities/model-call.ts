/**
 * A call of a model with everything around it.
 *
 * Flow: an answer that was stored for the same question serves again; else the budget is reserved,
 * the model is called, its answer is stored, the reservation is settled with what was used.
 * Guarantees: an answer that was stored once is never paid for twice; a call whose outcome is
 * unknown is settled at its full reserve; no call is made without a reservation; nothing that a
 * model said of a tenant is stored once its owner let go of it.
 */
import { answeredItems, type AnsweredItem } from '#core/answer.ts';
import { VarveError, type ErrorCode } from '#core/errors.ts';
import type { ShownSource } from '#core/item-judgement.ts';
import type { TenantPolicy } from '#core/policy.ts';
import type { ModelAnswer, SummaryModel } from '#core/ports/model.ts';
import { costOf } from '#core/price.ts';
import { NOTHING, type Exhaustion, type LedgerEntry } from '#core/records/account.ts';
import type { StoredAnswer } from '#core/records/answer.ts';
import { policyToRefreshBy } from '#core/tenant-policy.ts';
import { scopeState, tokensOf, type BatchKey, type ScopeState } from './batch.ts';
import type { Question } from './model-question.ts';
import { countBudgetRefusal, countCall } from './refresh-metrics.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { judgePart, type Part } from './scope-plan.ts';

/** Pause before another try when the account is crowded. */
const CROWDED_RETRY_AFTER_MS = 5_000;

export interface CallRules {
  readonly batch: BatchKey;
  /** Number of this attempt within its batch: no two share one. */
  readonly attempt: number;
  readonly policy: TenantPolicy;
  readonly call: ActivityCall;
  /** What the ledger says that it was for. */
  readonly purpose: LedgerEntry['purpose'];
}

export type CallOutcome =
  /** `called` is false for an answer that was paid for before. */
  | { readonly kind: 'Answered'; readonly answer: StoredAnswer; readonly called: boolean }
  | { readonly kind: 'Exhausted'; readonly details: Exhaustion }
  /** The tenant was let go of during the call: its answer is paid for and thrown away. */
  | { readonly kind: 'Released' };

type Attempt = BatchKey & { readonly attemptId: string };

/** @throws VarveError as the model does, and RATE_LIMITED where the account is crowded */
async function askModel(
  ports: RefreshPorts,
  question: Question,
  { batch, attempt: number, policy, call, purpose }: CallRules,
): Promise<CallOutcome> {
  const { answers } = ports.store;
  const stored = await answers.find(batch.tenant, batch.batchId, question.hash);
  if (stored !== null && stored.text !== null) {
    return { kind: 'Answered', answer: stored, called: false };
  }
  const attempt: Attempt = { ...batch, attemptId: `${batch.batchId}/${String(number)}` };
  const exhaustion = await reserve(ports, question, { attempt, policy, purpose });
  if (exhaustion !== null) {
    countBudgetRefusal(ports.metrics, purpose);
    return { kind: 'Exhausted', details: exhaustion };
  }
  const given = await callModel(ports, question, { attempt, call });
  const answer = storedAnswer(ports, question, { attempt, given });
  const { model, parts } = question;
  countCall(ports.metrics, model, { items: parts.length, usage: given.usage });
  // A call lasts long, and the tenant may be in the middle of its erasure by now.
  const isReleased = (await policyToRefreshBy(ports.store.policies, batch.tenant)) === null;
  if (!isReleased) await answers.put(answer);
  await settleWith(ports, answer, model);
  if (isReleased) return { kind: 'Released' };
  return { kind: 'Answered', answer, called: true };
}

/** With these a provider refused the call before it worked. */
const NOT_CHARGED: ReadonlySet<ErrorCode> = new Set([
  'RATE_LIMITED',
  'PROVIDER_REJECTED',
  'NOT_FOUND',
  'UNAUTHENTICATED',
  'FORBIDDEN',
]);
/** What may happen to one call of several while the answers of the others keep their worth. */
const LATER_FAILURES: ReadonlySet<ErrorCode> = new Set([
  ...NOT_CHARGED,
  'PROVIDER_ERROR',
  'TIMEOUT',
]);

/** As `askModel`, for whom such a failure is an outcome. @throws VarveError for any other */
export async function tryModel(
  ports: RefreshPorts,
  question: Question,
  rules: CallRules,
): Promise<CallOutcome | { readonly kind: 'Failed'; readonly error: VarveError }> {
  try {
    return await askModel(ports, question, rules);
  } catch (error) {
    if (!(error instanceof VarveError) || !LATER_FAILURES.has(error.code)) throw error;
    return { kind: 'Failed', error };
  }
}

/** The number of an attempt within its batch; answers sort by it. */
export function attemptNumber({ attemptId }: Pick<StoredAnswer, 'attemptId'>): number {
  return Number(attemptId.slice(attemptId.lastIndexOf('/') + 1)) || 0;
}

/** What the budget lacks for the call, or null. Calls without a price need no reservation. */
async function reserve(
  { store, platform }: RefreshPorts,
  { model, batch }: Question,
  { attempt, policy, purpose }: { attempt: Attempt } & Pick<CallRules, 'policy' | 'purpose'>,
): Promise<Exhaustion | null> {
  if (model.price === null) return null;
  const result = await store.accounts.reserve({
    attempt: { ...attempt, purpose, model: model.name },
    amount: costOf(model.bounds(batch), model.price),
    budget: policy.budget,
    now: platform.clock(),
  });
  if (result.kind === 'TooManyOpen') {
    throw new VarveError('RATE_LIMITED', 'Too many reservations are open on this account.', {
      details: { retryAfterMs: CROWDED_RETRY_AFTER_MS },
    });
  }
  return result.kind === 'Exhausted' ? result.details : null;
}

async function callModel(
  ports: RefreshPorts,
  { model, batch }: Question,
  { attempt, call }: { attempt: Attempt; call: ActivityCall },
): Promise<ModelAnswer> {
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
  const refused = failure instanceof VarveError && NOT_CHARGED.has(failure.code);
  const outcome: LedgerEntry['outcome'] = refused ? 'NotCharged' : 'UnknownOutcome';
  const settlement = { outcome, now: platform.clock() };
  await store.accounts.settle(attempt, refused ? NOTHING : null, settlement);
}

function storedAnswer(
  ports: RefreshPorts,
  { model, parts, hash }: Question,
  { attempt, given }: { attempt: Attempt; given: ModelAnswer },
): StoredAnswer {
  const answered = answeredItems(given.text);
  const citedBy = (part: Part) => citedByPart(ports, part, answered.get(part.question.item));
  return {
    ...attempt,
    promptHash: hash,
    state: 'paid',
    model: model.name,
    usage: given.usage,
    items: parts.map((part) => ({
      item: part.question.item,
      audience: part.scope.audience,
      tokens: tokensOf(part.question.sources),
      root: part.isRoot ? (part.node?.id ?? null) : null,
      cited: part.isRoot ? citedBy(part) : [],
      ...stateFor(ports, part),
    })),
    text: given.text,
    at: ports.platform.clock(),
  };
}

/** Only what makes a summary needs a recount of all sources. */
function stateFor({ platform }: RefreshPorts, { isRoot, scope }: Part): ScopeState {
  if (isRoot) return scopeState(platform.digest, scope);
  const { sourceHash, sourceCount, sourceTokens, sourceBytes, changes, nextExpiryAt } =
    scope.record;
  return { sourceHash, sourceCount, sourceTokens, sourceBytes, changes, nextExpiryAt };
}

/** What the facts of a summary will cite, as the scope's sources are now. */
function citedByPart(
  ports: RefreshPorts,
  part: Part,
  answered: AnsweredItem | undefined,
): ShownSource[] {
  const { facts } = judgePart(ports, part, { answered, shown: null });
  const cited = new Set(facts.flatMap((fact) => fact.sources));
  return part.scope.sources
    .filter(({ id }) => cited.has(id))
    .map(({ id, contentHash }) => ({ id, contentHash }));
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
