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
import type { ReembedTurnInput, TurnReport } from '#core/embedding/reembed-contract.ts';
import {
  goalOf,
  isReady,
  stepAfterFilling,
  type Goal,
  type Step,
} from '#core/embedding/reembed-transitions.ts';
import { addTotals } from '#core/add-totals.ts';
import { retryAfterOf, VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import type { Unembedded } from '#core/ports/embedding-records.ts';
import { embedParts } from '#memory/embedding-batches.ts';
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
  let done: FillReport = { embedded: 0, cached: 0, tokens: 0, refused: 0 };
  let place = after;
  const embedder = await ports.embedders.ofGeneration(goal.generation);
  const limit = embedder?.textsMax ?? 1;
  for (let calls = 0; calls < CALLS_PER_TURN_MAX; calls += 1) {
    const now = ports.platform.clock();
    const query = { generation: goal.generation, after: place, limit, now };
    const memories = await embeddings.missing(tenant, query);
    try {
      const page = { tenant, goal, memories, embedder };
      if (memories.length > 0) done = addTotals(done, await fillPage(ports, page, call));
    } catch (error) {
      if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
      const waitMs = retryAfterOf(error) ?? 0;
      if (done.embedded + done.cached === 0 && waitMs < LONG_WAIT_MS) throw error;
      return { ...done, after: place, waitMs };
    }
    call.report?.({ embedded: done.embedded, cached: done.cached, tokens: done.tokens });
    if (memories.length < limit) return { ...done, after: null, waitMs: 0 };
    place = memories.at(-1)?.id ?? null;
  }
  return { ...done, after: place, waitMs: 0 };
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

/** If the first texts are refused this many times in a row, the model is assumed to refuse all. */
const REFUSALS_MAX = 3;
/** How one page of memories got vectors of a generation: from the cache, or by one paid call. */
interface FillReport {
  readonly embedded: number;
  readonly cached: number;
  readonly tokens: number;
  readonly refused: number;
}

interface Page {
  readonly tenant: string;
  readonly goal: Goal;
  /** Null where this worker cannot make vectors of the generation. */
  readonly embedder: Embedder | null;
  /** At most `embedder.textsMax`. */
  readonly memories: readonly Unembedded[];
}

/**
 * Gives one page of memories their vectors. A memory whose content changes meanwhile is skipped:
 * its new content gets its own vector.
 * @throws VarveError what the embedder throws, BUDGET_EXHAUSTED, RATE_LIMITED, and
 * PROVIDER_REJECTED without an embedder
 */
async function fillPage(ports: ReembedPorts, page: Page, call: ActivityCall): Promise<FillReport> {
  const { tenant, goal, embedder, memories } = page;
  if (embedder === null) throw unknownGeneration(goal.generation);
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
    const made = await embedded(ports, { tenant, embedder, texts: unknown }, call.signal);
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

/** Returns vectors by content hash, without those of texts that the model refuses. */
async function embedded(
  { store, platform }: ReembedPorts,
  { tenant, embedder, texts }: { tenant: string; embedder: Embedder; texts: readonly Unembedded[] },
  signal: AbortSignal,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const batchId = `reembed/${embedder.generation}`;
  if (embedder.microDollarsPerMillionTokens !== null) {
    await settleLostAttempts({ store, platform }, { tenant, batchId });
  }
  // Temporal retries the activity.
  const retried = <T>(attempt: () => Promise<T>): Promise<T> => attempt();
  const call = { operation: 'backfill', tenant, by: 'varve', signal, retried } as const;
  const asked = { embedder: withRefusals(embedder, texts.length), purpose: 'passage' } as const;
  const outcomes = await embedParts({ store, platform }, call, { ...asked, texts, batchId });
  const made = texts.flatMap(({ contentHash }, at) => {
    const outcome = outcomes[at];
    return outcome?.ok === true ? [[contentHash, outcome.vector] as const] : [];
  });
  return new Map(made);
}

/**
 * A refused call may be about one of its texts, which other texts show. If the model refuses the
 * first of them too, it refuses all, as with a wrong key.
 */
function withRefusals(embedder: Embedder, texts: number): Embedder {
  let refused = 0;
  let hasAnswered = false;
  return {
    ...embedder,
    embed: async (asked, call) => {
      try {
        const made = await embedder.embed(asked, call);
        hasAnswered = true;
        return made;
      } catch (error) {
        if (!(error instanceof VarveError) || error.code !== 'PROVIDER_REJECTED') throw error;
        if (asked.length === 1) refused += 1;
        if (!hasAnswered && refused >= Math.min(REFUSALS_MAX, texts)) throw error;
        const { message, details } = error;
        throw new VarveError('CONTENT_TOO_LONG', message, { details, cause: error });
      }
    },
  };
}

/** Returns the error of a worker that cannot make vectors of a generation. */
export function unknownGeneration(generation: string): VarveError {
  const message =
    'The worker has no embedding model of this generation. Start varve with its VARVE_EMBEDDING_ ' +
    'variables.';
  return new VarveError('PROVIDER_REJECTED', message, { details: { generation } });
}
