/**
 * Activity `reembedTurn`: one tenant's turn among those whose embedding model changes, a bounded
 * amount of work.
 *
 * Flow: give memories without a vector of the goal one, page by page → when a count finds none
 * missing, take the step that core/embedding/reembed-transitions.ts decides: wait, cut over, keep
 * or drop the old vectors.
 * Guarantees: all progress is in the store, so a turn may be repeated or abandoned at any point; a
 * step is written only over the state that it was decided on.
 */
import { budgetExhausted } from '#core/budget/budget-exhausted.ts';
import { mayBeCharged } from '#core/budget/failures-not-charged.ts';
import { embeddingCost } from '#core/budget/price.ts';
import type { ReembedTurnInput, TurnReport } from '#core/embedding/reembed-contract.ts';
import {
  goalOf,
  isReady,
  stepAfterFilling,
  type Goal,
  type Step,
} from '#core/embedding/reembed-transitions.ts';
import { retryAfterOf, VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { policyInForce } from '#core/policy/policy-in-force.ts';
import type { Embedder, EmbedCall } from '#core/ports/embedder.ts';
import type { Unembedded } from '#core/ports/embedding-records.ts';
import { NOTHING, type Amount, type LedgerEntry } from '#core/records/account.ts';
import { utf8Bytes } from '#core/storable-text.ts';
import { checkedVector } from '#memory/vector-check.ts';
import { settleLostAttempts } from '../settle-lost-reservations.ts';
import type { ActivityCall, ReembedPorts } from '../refresh-ports.ts';

/** Calls of one turn; then other tenants get theirs. */
const CALLS_PER_TURN_MAX = 8;
/** Vectors adopted as a memory's own, or dropped, in one transaction; other writers wait for it. */
const VECTORS_PER_STEP = 500;
/** Such transactions of one turn. */
const STEPS_PER_TURN_MAX = 20;
/** A provider's requested wait from this length on is not spent inside an activity. */
const LONG_WAIT_MS = 10_000;
/** Wait before a retry of memories that the model refuses even one by one. */
const REFUSED_PAUSE_MS = 600_000;

export async function reembedTurn(
  ports: ReembedPorts,
  { tenant, after, settleMs }: ReembedTurnInput,
  call: ActivityCall,
): Promise<TurnReport> {
  const { store, platform } = ports;
  const state = await store.embeddings.state(tenant);
  const goal = state === null ? null : goalOf(state);
  if (state === null || goal === null || !isReady(state, platform.clock())) {
    return { after: null, waitMs: 0 };
  }
  const filled = await fill(ports, { tenant, goal, after }, call);
  if (filled.after !== null || filled.waitMs > 0) return filled;
  const countedAt = platform.clock();
  const query = { generation: goal.generation, now: countedAt };
  const { missing } = await store.embeddings.progress(tenant, query);
  if (missing > 0) return { ...filled, waitMs: filled.refused > 0 ? REFUSED_PAUSE_MS : 0 };
  // Vectors are adopted as a memory's own only after the state says so, which is a cut-over.
  if (goal.own && !(await adopted(ports, tenant, goal))) return { ...filled, waitMs: 0 };
  const step = stepAfterFilling(state, { countedAt, settleMs });
  return { ...filled, ...(await take(ports, tenant, step)) };
}

interface Filled extends FillReport {
  readonly after: string | null;
  readonly waitMs: number;
}

/**
 * Fills page after page. A failure after some pages ends the turn with what is done: the next turn
 * meets it on its first page, and Temporal retries that. A failure that asks for a long wait also
 * ends the turn: waiting in the activity would keep other tenants from their turns and use up its
 * tries.
 * @throws VarveError what the first page failed with
 */
async function fill(
  ports: ReembedPorts,
  { tenant, goal, after }: { tenant: string; goal: Goal; after: string | null },
  call: ActivityCall,
): Promise<Filled> {
  const { embeddings } = ports.store;
  let done: Filled = { embedded: 0, cached: 0, tokens: 0, refused: 0, after, waitMs: 0 };
  const embedder = ports.embedders.ofGeneration(goal.generation);
  const limit = embedder?.textsMax ?? 1;
  for (let calls = 0; calls < CALLS_PER_TURN_MAX; calls += 1) {
    const now = ports.platform.clock();
    const query = { generation: goal.generation, after: done.after, limit, now };
    const memories = await embeddings.missing(tenant, query);
    try {
      done = sum(done, await fillSome(ports, { tenant, goal, memories, embedder }, call));
    } catch (error) {
      if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
      const waitMs = retryAfterOf(error) ?? 0;
      if (done.embedded + done.cached === 0 && waitMs < LONG_WAIT_MS) throw error;
      return { ...done, waitMs };
    }
    call.report?.({ embedded: done.embedded, cached: done.cached, tokens: done.tokens });
    if (memories.length < limit) return { ...done, after: null };
    done = { ...done, after: memories.at(-1)?.id ?? null };
  }
  return done;
}

async function fillSome(
  ports: ReembedPorts,
  { embedder, ...page }: Omit<Page, 'embedder'> & { readonly embedder: Embedder | null },
  call: ActivityCall,
): Promise<FillReport> {
  if (page.memories.length === 0) return { embedded: 0, cached: 0, tokens: 0, refused: 0 };
  return fillPage(ports, { ...page, embedder: embedderOf(embedder, page.goal) }, call);
}

/** @throws VarveError PROVIDER_REJECTED where this worker cannot make vectors of the generation */
function embedderOf(embedder: Embedder | null, { generation }: Goal): Embedder {
  if (embedder !== null) return embedder;
  throw unknownGeneration(generation);
}

function sum(done: Filled, { embedded, cached, tokens, refused }: FillReport): Filled {
  return {
    ...done,
    embedded: done.embedded + embedded,
    cached: done.cached + cached,
    tokens: done.tokens + tokens,
    refused: done.refused + refused,
  };
}

/** False if there is more to adopt than one turn may. */
async function adopted({ store }: ReembedPorts, tenant: string, goal: Goal): Promise<boolean> {
  for (let steps = 0; steps < STEPS_PER_TURN_MAX; steps += 1) {
    const some = await store.embeddings.adopt(tenant, goal.generation, VECTORS_PER_STEP);
    if (some === 0) return true;
  }
  return false;
}

async function take(
  { store }: ReembedPorts,
  tenant: string,
  step: Step,
): Promise<Pick<TurnReport, 'waitMs' | 'cutOver' | 'dropped'>> {
  switch (step.kind) {
    case 'Rest':
      return { waitMs: 0 };
    case 'Wait':
      return { waitMs: step.ms };
    case 'CutOver': {
      const written = await store.embeddings.putState(step.state);
      return { waitMs: 0, cutOver: written ? 1 : 0 };
    }
    case 'Drop': {
      const { dropped, isLast } = await drop(store, tenant, step.generation);
      if (isLast) await store.embeddings.putState(step.settled);
      return { waitMs: 0, dropped };
    }
    default:
      await store.embeddings.putState(step.state);
      return { waitMs: 0 };
  }
}

async function drop(
  { embeddings }: ReembedPorts['store'],
  tenant: string,
  generation: string,
): Promise<{ dropped: number; isLast: boolean }> {
  let dropped = 0;
  for (let steps = 0; steps < STEPS_PER_TURN_MAX; steps += 1) {
    const some = await embeddings.drop(tenant, generation, VECTORS_PER_STEP);
    if (some === 0) return { dropped, isLast: true };
    dropped += some;
  }
  return { dropped, isLast: false };
}

/** Codes of failures that one text of a call may cause. */
const OF_ONE_TEXT: ReadonlySet<ErrorCode> = new Set([
  'CONTENT_TOO_LONG',
  'MODEL_OUTPUT_INVALID',
  'PROVIDER_REJECTED',
]);
/** If the first texts are refused this many times in a row, the model is assumed to refuse all. */
const REFUSALS_MAX = 3;
/** Pause before a retry when the account has too many open reservations. */
const CROWDED_RETRY_AFTER_MS = 5_000;
/** Tokens that a model may add around a text: its prefix and special tokens. */
const AROUND_TEXT_MAX = 64;

/** How one page of memories got vectors of a generation: from the cache, or by one paid call. */
interface FillReport {
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
 * Gives one page of memories their vectors. A memory whose content changes meanwhile is skipped:
 * its new content gets its own vector.
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

/** Embeds all texts in one call; if one text spoils it, in one call per text. */
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

/** Whether one text may be the cause. It may also be a wrong key; only a retry shows which. */
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
  // True after a call that may have been charged without reporting its usage.
  let isUnreported = false;
  const onUsage = (tokens: number): void => {
    counted += tokens;
  };
  const counting: Embedder['embed'] = async (asked, call) => {
    const before = counted;
    try {
      const made = await embedder.embed(asked, { ...call, onUsage });
      isUnreported ||= counted === before;
      return made;
    } catch (error) {
      isUnreported ||= counted === before && mayBeCharged(error);
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
    if (isUnreported) await settle(null, 'UnknownOutcome');
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
    throw budgetExhausted('an embedding of every memory', result.details);
  }
  if (result.kind === 'TooManyOpen') {
    throw new VarveError('RATE_LIMITED', 'Too many reservations are open on this account.', {
      details: { retryAfterMs: CROWDED_RETRY_AFTER_MS },
    });
  }
  return attempt;
}

/** Returns the error of a worker that cannot make vectors of a generation. */
export function unknownGeneration(generation: string): VarveError {
  const message =
    'The worker has no embedding model of this generation. Start varve with its VARVE_EMBEDDING_ ' +
    'variables.';
  return new VarveError('PROVIDER_REJECTED', message, { details: { generation } });
}
