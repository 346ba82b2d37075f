/** One page of memories gets vectors of a generation: from the cache, or by one paid call. */
import { VarveError, type ErrorCode } from '#core/errors.ts';
import type { EmbedCall, Embedder } from '#core/ports/embedder.ts';
import type { Unembedded } from '#core/ports/embedding-records.ts';
import { mayBeCharged } from '#core/budget/free-failures.ts';
import { embeddingCost } from '#core/budget/price.ts';
import type { Goal } from '#core/embedding/reembed.ts';
import { NOTHING, type Amount, type LedgerEntry } from '#core/records/account.ts';
import { policyInForce } from '#core/policy/tenant-policy.ts';
import { utf8Bytes } from '#core/storable-text.ts';
import { checkedVector } from '#memory/vector-check.ts';
import { settleLostAttempts } from '../lost-attempts.ts';
import type { ActivityCall, ReembedPorts } from '../refresh-ports.ts';

/** What may be wrong with one text, and not with all texts of a call. */
const OF_ONE_TEXT: ReadonlySet<ErrorCode> = new Set([
  'CONTENT_TOO_LONG',
  'MODEL_OUTPUT_INVALID',
  'PROVIDER_REJECTED',
]);
/** Refusals in a row, from the first text on, after which the model is taken to refuse them all. */
const REFUSALS_MAX = 3;
/** Pause before another try when the account is crowded. */
const CROWDED_RETRY_AFTER_MS = 5_000;
/** Tokens that a model may put around a text: its prefix and its marks. */
const AROUND_TEXT_MAX = 64;

export interface FillReport {
  readonly embedded: number;
  readonly cached: number;
  readonly tokens: number;
  readonly refused: number;
}

export interface Page {
  readonly tenant: string;
  readonly goal: Goal;
  readonly embedder: Embedder;
  /** At most `embedder.textsMax`. */
  readonly memories: readonly Unembedded[];
}

/**
 * A memory whose content changes meanwhile is skipped: its new content has a vector of its own.
 * @throws VarveError what the embedder throws, BUDGET_EXHAUSTED, RATE_LIMITED
 */
export async function fillPage(
  ports: ReembedPorts,
  page: Page,
  call: ActivityCall,
): Promise<FillReport> {
  const { tenant, goal, embedder, memories } = page;
  const { embeddings } = ports.store;
  const contentHashes = [...new Set(memories.map(({ contentHash }) => contentHash))];
  const query = { generation: goal.generation, contentHashes };
  const vectors = new Map(await embeddings.cached(tenant, query));
  const known = vectors.size;
  const unknown = memories.filter(
    ({ contentHash }, at) =>
      !vectors.has(contentHash) &&
      memories.findIndex((each) => each.contentHash === contentHash) === at,
  );
  const tokens = unknown.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
  if (unknown.length > 0) {
    const made = await paid(ports, { tenant, embedder, texts: unknown }, call.signal);
    for (const [contentHash, vector] of made) vectors.set(contentHash, vector);
  }
  const written = memories.flatMap(({ id, contentHash }) => {
    const vector = vectors.get(contentHash);
    return vector === undefined ? [] : [{ id, contentHash, vector }];
  });
  if (written.length > 0) await embeddings.putVectors(tenant, { ...goal, vectors: written });
  const refused = memories.length - written.length;
  return { embedded: vectors.size - known, cached: known, tokens, refused };
}

type Vectors = ReadonlyMap<string, readonly number[]>;

/** One call; where one text spoils it, one for each, so that it harms no other. */
async function embedAll(
  embedder: Embedder,
  texts: readonly Unembedded[],
  call: EmbedCall,
): Promise<Vectors> {
  try {
    return await embed(embedder, texts, call);
  } catch (error) {
    if (!isOfOneText(error)) throw error;
  }
  const vectors = new Map<string, readonly number[]>();
  for (const [at, text] of texts.entries()) {
    try {
      for (const [hash, vector] of await embed(embedder, [text], call)) vectors.set(hash, vector);
    } catch (error) {
      if (!isOfOneText(error)) throw error;
      const isRefusingAll = vectors.size === 0 && at + 1 >= Math.min(REFUSALS_MAX, texts.length);
      if (error.code === 'PROVIDER_REJECTED' && isRefusingAll) throw error;
    }
  }
  return vectors;
}

async function embed(
  embedder: Embedder,
  texts: readonly Unembedded[],
  call: EmbedCall,
): Promise<Vectors> {
  const made = await embedder.embed(
    texts.map(({ content }) => content),
    call,
  );
  return new Map(
    texts.map(({ contentHash }, at) => [contentHash, checkedVector(made[at], embedder)]),
  );
}

/** A refusal may be one of every call, as with a wrong key; only a try shows which. */
function isOfOneText(error: unknown): error is VarveError {
  return error instanceof VarveError && OF_ONE_TEXT.has(error.code);
}

interface Purchase {
  readonly tenant: string;
  readonly embedder: Embedder;
  readonly texts: readonly Unembedded[];
}

/** Reserves what a call may cost, and settles it. Calls without a price need no reservation. */
async function paid(
  ports: ReembedPorts,
  purchase: Purchase,
  signal: AbortSignal,
): Promise<Vectors> {
  const { embedder, texts } = purchase;
  const price = embedder.microDollarsPerMillionTokens;
  if (price === null) return embedAll(embedder, texts, { purpose: 'passage', signal });
  const attempt = await reserved(ports, purchase, price);
  const settle = (amount: Amount | null, outcome: LedgerEntry['outcome']): Promise<void> =>
    ports.store.accounts.settle(attempt, amount, { outcome, now: ports.platform.clock() });
  let counted = 0;
  // Of a call that may have been charged, and nothing said of it how much.
  let isUntold = false;
  const onUsage = (tokens: number): void => {
    counted += tokens;
  };
  const counting: Embedder['embed'] = async (asked, call) => {
    const before = counted;
    try {
      const made = await embedder.embed(asked, { ...call, onUsage });
      isUntold ||= counted === before;
      return made;
    } catch (error) {
      isUntold ||= counted === before && mayBeCharged(error);
      throw error;
    }
  };
  try {
    const metered = { ...embedder, embed: counting };
    const vectors = await embedAll(metered, texts, { purpose: 'passage', signal });
    const estimated = texts.reduce((sum, { tokenCount }) => sum + tokenCount, 0);
    await settle(embeddingCost(counted > 0 ? counted : estimated, price), 'Usage');
    return vectors;
  } catch (error) {
    if (isUntold) await settle(null, 'UnknownOutcome');
    else if (counted === 0) await settle(NOTHING, 'NotCharged');
    else await settle(embeddingCost(counted, price), 'Usage');
    throw error;
  }
}

/** @throws VarveError BUDGET_EXHAUSTED, RATE_LIMITED */
async function reserved(
  { store, platform }: ReembedPorts,
  { tenant, embedder, texts }: Purchase,
  price: number,
): Promise<{ tenant: string; attemptId: string }> {
  const batchId = `reembed/${embedder.generation}`;
  await settleLostAttempts({ store, platform }, { tenant, batchId });
  const attempt = { tenant, batchId, attemptId: `${batchId}/${platform.newId()}` };
  // No tokenizer makes more tokens of a text than it has bytes.
  const bytes = texts.reduce((sum, text) => sum + utf8Bytes(text.content) + AROUND_TEXT_MAX, 0);
  const { budget } = await policyInForce(store.policies, tenant);
  const result = await store.accounts.reserve({
    attempt: { ...attempt, purpose: 'embedding', model: embedder.generation },
    amount: embeddingCost(bytes, price),
    budget,
    now: platform.clock(),
  });
  if (result.kind === 'Exhausted') {
    const message = 'The budget of the tenant ended before all memories were embedded.';
    throw new VarveError('BUDGET_EXHAUSTED', message, { details: { ...result.details } });
  }
  if (result.kind === 'TooManyOpen') {
    throw new VarveError('RATE_LIMITED', 'Too many reservations are open on this account.', {
      details: { retryAfterMs: CROWDED_RETRY_AFTER_MS },
    });
  }
  return attempt;
}

/** What a worker says that cannot make vectors of a generation. */
export function unknownGeneration(generation: string): VarveError {
  const message =
    'The worker has no embedding model of this generation. Start varve with its VARVE_EMBEDDING_ ' +
    'variables.';
  return new VarveError('PROVIDER_REJECTED', message, { details: { generation } });
}
