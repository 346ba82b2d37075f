/**
 * A call of any model, with the budget, storage and settlement around it.
 *
 * Flow: reuse the stored answer to the same question, if there is one; otherwise reserve budget,
 * call the model, store its answer, and settle the reservation with the actual usage.
 * Guarantees: a stored answer is never paid for again; a call whose outcome is unknown is settled
 * at its full reserve; no call that costs is made without a reservation; no answer is stored for a
 * tenant once it is released.
 */
import { budgetExhausted } from '#core/budget/budget-exhausted.ts';
import { mayBeCharged } from '#core/budget/failures-not-charged.ts';
import { costOf } from '#core/budget/price.ts';
import { VarveError } from '#core/errors.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import type { ModelAnswer, Price } from '#core/ports/model.ts';
import { NOTHING, type Exhaustion, type LedgerEntry } from '#core/records/account.ts';
import type { PaidAnswer } from '#core/records/paid-answer.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { Usage } from '#core/records/summary.ts';
import type { BatchKey } from './load-batch.ts';
import { settleLostAttempts } from './settle-lost-reservations.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { countBudgetRefusal } from './refresh-metrics.ts';

/** Pause before a retry when the account has too many open reservations. */
const CROWDED_RETRY_AFTER_MS = 5_000;

type Ports = Pick<RefreshPorts, 'store' | 'platform' | 'metrics'>;

/** A question, the model that answers it, and how to ask. */
export interface PaidQuestion {
  /** A paid answer is reused only while its question has this hash. */
  readonly hash: string;
  readonly model: {
    readonly name: string;
    /** Null where calls cost nothing: they need no reservation. */
    readonly price: Price | null;
  };
  /** Upper bounds of what the call can use. */
  readonly usageMax: () => Usage;
  readonly ask: (call: {
    readonly attemptId: string;
    readonly signal: AbortSignal;
  }) => Promise<ModelAnswer>;
  /** What is stored of an answer besides its text. */
  readonly itemsOf: (answer: ModelAnswer) => PaidAnswer['items'];
  /** Called with the usage of each answered call. */
  readonly count: (usage: Usage) => void;
}

export interface CallRules {
  readonly batch: BatchKey;
  /** Number of this attempt within its batch: no two share one. */
  readonly attempt: number;
  readonly policy: TenantPolicy;
  readonly call: ActivityCall;
  /** What the ledger records as the purpose of the call. */
  readonly purpose: LedgerEntry['purpose'];
}

export type CallOutcome =
  /** `called` is false for an answer that was paid for before. */
  | { readonly kind: 'Answered'; readonly answer: PaidAnswer; readonly called: boolean }
  | { readonly kind: 'Exhausted'; readonly details: Exhaustion }
  /** The tenant was released during the call: the answer is paid for and discarded. */
  | { readonly kind: 'Released' };

type Attempt = BatchKey & { readonly attemptId: string };

/** @throws VarveError what the model throws, and RATE_LIMITED with too many open reservations */
export async function meteredCall(
  ports: Ports,
  question: PaidQuestion,
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
  question.count(given.usage);
  // A call takes long, and an erasure of the tenant may have begun.
  const isReleased = (await policyToRefreshBy(ports.store.policies, batch.tenant)) === null;
  try {
    if (!isReleased) await answers.put(answer);
  } finally {
    // The usage is known, so settle it even if the answer may not be stored anymore.
    await settleWith(ports, answer, question.model.price);
  }
  if (isReleased) return { kind: 'Released' };
  return { kind: 'Answered', answer, called: true };
}

/**
 * Makes one call and returns its answer without storing it: the same question costs again.
 * @throws VarveError what the model throws, BUDGET_EXHAUSTED, and RATE_LIMITED with too many open
 * reservations
 */
export async function meteredCallOnce(
  ports: Ports,
  question: Omit<PaidQuestion, 'hash' | 'itemsOf'>,
  { tenant, policy, call, purpose }: Omit<CallRules, 'batch' | 'attempt'> & { tenant: string },
): Promise<ModelAnswer> {
  const batchId = ports.platform.newId();
  const attempt: Attempt = { tenant, batchId, attemptId: batchId };
  const exhaustion = await reserve(ports, question, { attempt, policy, purpose });
  if (exhaustion !== null) {
    countBudgetRefusal(ports.metrics, purpose);
    throw budgetExhausted('this call of a model', exhaustion);
  }
  const given = await callModel(ports, question, { attempt, call });
  question.count(given.usage);
  await settleWith(ports, { ...attempt, usage: given.usage }, question.model.price);
  return given;
}

/** Returns the number of an attempt within its batch; answers sort by it. */
export function attemptNumber({ attemptId }: Pick<PaidAnswer, 'attemptId'>): number {
  return Number(attemptId.slice(attemptId.lastIndexOf('/') + 1)) || 0;
}

/**
 * Returns the highest attempt number of a batch; a new attempt takes the next one. Settles attempts
 * whose end was never reported.
 */
export async function earlierAttempts(
  ports: Parameters<typeof settleLostAttempts>[0],
  batch: BatchKey,
): Promise<number> {
  const reserved = await settleLostAttempts(ports, batch);
  const answers = await ports.store.answers.ofBatch(batch.tenant, batch.batchId);
  return Math.max(reserved, ...answers.map(attemptNumber));
}

/** Reserves budget, unless the call is free. Returns what the budget lacks, or null. */
async function reserve(
  { store, platform }: Ports,
  { model, usageMax }: Pick<PaidQuestion, 'model' | 'usageMax'>,
  { attempt, policy, purpose }: { attempt: Attempt } & Pick<CallRules, 'policy' | 'purpose'>,
): Promise<Exhaustion | null> {
  if (model.price === null) return null;
  const result = await store.accounts.reserve({
    attempt: { ...attempt, purpose, model: model.name },
    amount: costOf(usageMax(), model.price),
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
  ports: Ports,
  question: Pick<PaidQuestion, 'ask'>,
  { attempt, call }: { attempt: Attempt; call: ActivityCall },
): Promise<ModelAnswer> {
  try {
    return await question.ask({ attemptId: attempt.attemptId, signal: call.signal });
  } catch (failure) {
    await settleFailure(ports, attempt, failure);
    throw failure;
  }
}

/** A call that was not sent or was refused is not charged; any other may have been. */
async function settleFailure(
  { store, platform }: Ports,
  attempt: Attempt,
  failure: unknown,
): Promise<void> {
  const refused = !mayBeCharged(failure);
  const outcome: LedgerEntry['outcome'] = refused ? 'NotCharged' : 'UnknownOutcome';
  const settlement = { outcome, now: platform.clock() };
  await store.accounts.settle(attempt, refused ? NOTHING : null, settlement);
}

function storedAnswer(
  { platform }: Ports,
  { model, hash, itemsOf }: PaidQuestion,
  { attempt, given }: { attempt: Attempt; given: ModelAnswer },
): PaidAnswer {
  return {
    ...attempt,
    promptHash: hash,
    state: 'paid',
    model: model.name,
    usage: given.usage,
    items: itemsOf(given),
    text: given.text,
    at: platform.clock(),
  };
}

async function settleWith(
  { store, platform }: Ports,
  { tenant, attemptId, usage }: Pick<PaidAnswer, 'tenant' | 'attemptId' | 'usage'>,
  price: Price | null,
): Promise<void> {
  // Without a price nothing was reserved.
  if (price === null) return;
  const settlement = { outcome: 'Usage', now: platform.clock() } as const;
  await store.accounts.settle({ tenant, attemptId }, costOf(usage, price), settlement);
}
