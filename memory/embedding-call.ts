/**
 * Makes one embedder call: reserves budget before it, checks the result, then settles the actual
 * usage (design 6.22). An embedder without a price costs nothing and leaves no ledger entry.
 */
import { VarveError } from '#core/errors.ts';
import type { EmbedCall, Embedder } from '#core/ports/embedder.ts';
import { budgetExhausted } from '#core/budget/budget-exhausted.ts';
import { mayBeCharged } from '#core/budget/failures-not-charged.ts';
import { embeddingCost } from '#core/budget/price.ts';
import { NOTHING, type Amount, type LedgerEntry } from '#core/records/account.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import { utf8Bytes } from '#core/storable-text.ts';
import type { Call } from './measured-call.ts';
import type { ProviderPorts } from './provider-ports.ts';
import { isTransient } from './store-and-embedder-retries.ts';

/** Tokens that a model may add around a text: its prefix and its special tokens. */
const TOKENS_AROUND_TEXT = 64;
/** Maximum deviation of a vector's length from 1: the rounding of single precision. */
const LENGTH_TOLERANCE = 1e-3;
/** Pause before another try if too many calls use the account. */
const CROWDED_RETRY_AFTER_MS = 1_000;

type Ports = Pick<ProviderPorts, 'store' | 'platform'>;

interface EmbeddingRequest {
  readonly embedder: Embedder;
  readonly purpose: EmbedCall['purpose'];
  /** At most `embedder.textsMax`. */
  readonly texts: readonly string[];
  /** The work that the call is a part of, in the ledger; absent if it is one of its own. */
  readonly batchId?: string | undefined;
  /** Tokens that are charged if the embedder reports no usage; if absent, all that are reserved. */
  readonly estimatedTokens?: number | undefined;
}

/**
 * Returns vectors of length 1 in the order of the texts.
 * @throws VarveError BUDGET_EXHAUSTED, and what the embedder throws after three retries
 */
export async function embedTexts(
  ports: Ports,
  call: Call,
  request: EmbeddingRequest,
): Promise<readonly (readonly number[])[]> {
  const price = request.embedder.microDollarsPerMillionTokens;
  return call.retried(() =>
    price === null ? ask(request, call, {}) : pay(ports, call, { request, price }),
  );
}

async function ask(
  { embedder, purpose, texts }: EmbeddingRequest,
  { signal }: Call,
  usage: Pick<EmbedCall, 'onUsage'>,
): Promise<readonly (readonly number[])[]> {
  const vectors = await embedder.embed(texts, { purpose, signal, ...usage });
  return texts.map((_, index) => checkedVector(vectors[index], embedder));
}

/** Makes one attempt with its own reservation. */
async function pay(
  ports: Ports,
  call: Call,
  { request, price }: { request: EmbeddingRequest; price: number },
): Promise<readonly (readonly number[])[]> {
  const { store } = ports;
  const costing = (tokens: number): Amount => embeddingCost(tokens, price);
  const { texts, embedder, estimatedTokens } = request;
  // No tokenizer makes more tokens of a text than the text has bytes.
  const most = texts.reduce((sum, text) => sum + utf8Bytes(text) + TOKENS_AROUND_TEXT, 0);
  const attemptId = ports.platform.newId();
  const { budget } = await policyInForce(store.policies, call.tenant);
  const reserved = await store.accounts.reserve({
    attempt: {
      tenant: call.tenant,
      attemptId,
      batchId: request.batchId ?? attemptId,
      purpose: 'embedding',
      model: embedder.generation,
    },
    amount: costing(most),
    budget,
    now: ports.platform.clock(),
  });
  if (reserved.kind === 'Exhausted') throw budgetExhausted('this embedding', reserved.details);
  if (reserved.kind === 'TooManyOpen') {
    const message = 'Too many calls of this tenant are under way; try again later.';
    throw new VarveError('RATE_LIMITED', message, {
      details: { retryAfterMs: CROWDED_RETRY_AFTER_MS },
    });
  }
  let reportedTokens: number | null = null;
  const onUsage = (tokens: number): void => {
    reportedTokens = tokens;
  };
  try {
    const vectors = await ask(request, call, { onUsage });
    const tokens = reportedTokens ?? estimatedTokens;
    await settle(ports, { call, attemptId }, used(tokens === undefined ? null : costing(tokens)));
    return vectors;
  } catch (error) {
    await settle(ports, { call, attemptId }, afterFailure(error, reportedTokens, costing));
    throw error;
  }
}

interface Settlement {
  /** Null charges the full reservation. */
  readonly amount: Amount | null;
  readonly outcome: LedgerEntry['outcome'];
}

function used(amount: Amount | null): Settlement {
  return { amount, outcome: amount === null ? 'UnknownOutcome' : 'Usage' };
}

/** An unsent or refused call is not charged; an interrupted one may have been. */
function afterFailure(
  error: unknown,
  reportedTokens: number | null,
  costing: (tokens: number) => Amount,
): Settlement {
  if (reportedTokens !== null) return used(costing(reportedTokens));
  return mayBeCharged(error) ? used(null) : { amount: NOTHING, outcome: 'NotCharged' };
}

/** If the call can't be settled now, its amount stays reserved until the store finds it lost. */
async function settle(
  { store, platform }: Ports,
  { call: { tenant }, attemptId }: { call: Call; attemptId: string },
  { amount, outcome }: Settlement,
): Promise<void> {
  try {
    const settlement = { outcome, now: platform.clock() };
    await store.accounts.settle({ tenant, attemptId }, amount, settlement);
  } catch (error) {
    const message = 'an embedding call stays reserved in the account';
    platform.log.warn({ tenant, attemptId, transient: isTransient(error) }, message);
  }
}

/**
 * Returns the vector at length 1 in single precision. Stores keep this form, so a write returns
 * exactly what later reads return.
 * @throws VarveError MODEL_OUTPUT_INVALID for a vector with another number of dimensions, with a
 * value that is not finite, or without a direction
 */
export function checkedVector(
  vector: readonly number[] | undefined,
  { generation, dimensions }: { generation: string; dimensions: number },
): readonly number[] {
  if (vector?.length !== dimensions) {
    throw invalidVector(generation, { dimensions, found: vector?.length ?? 0 });
  }
  let squares = 0;
  for (const value of vector) squares += value * value;
  if (!Number.isFinite(squares) || squares === 0) throw invalidVector(generation, { dimensions });
  const length = Math.sqrt(squares);
  const scale = Math.abs(length - 1) <= LENGTH_TOLERANCE ? 1 : length;
  return vector.map((value) => Math.fround(value / scale));
}

function invalidVector(generation: string, details: Readonly<Record<string, number>>): VarveError {
  return new VarveError(
    'MODEL_OUTPUT_INVALID',
    'The embedding model returned a vector of another length, of zeros, or with values that are ' +
      'not numbers. Check the model and its dimensions.',
    { details: { generation, ...details } },
  );
}
