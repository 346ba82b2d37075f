/**
 * Activity: a bounded piece of work for one tenant whose embedding model changes.
 *
 * Flow: memories without a vector of the goal get one, page by page → when a count finds none
 * missing, the step that core/embedding/reembed.ts decides: wait, cut over, keep or drop the old
 * vectors. Guarantees: everything lies in the store, so it may be repeated or given up at any
 * point; a step is written only over the state that it was decided on.
 */
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import {
  goalOf,
  isReady,
  stepAfterFilling,
  type Goal,
  type Step,
} from '#core/embedding/reembed.ts';
import type { TurnInput, TurnReport } from '#core/embedding/reembed-contract.ts';
import { fillPage, unknownGeneration, type FillReport, type Page } from './reembed-fill.ts';
import type { ActivityCall, ReembedPorts } from '../refresh-ports.ts';

/** Calls of one turn: then the other tenants have theirs. */
const CALLS_PER_TURN_MAX = 8;
/** Vectors that become a memory's own, or go, in one transaction; others wait for it. */
const VECTORS_PER_STEP = 500;
/** Such transactions of one turn. */
const STEPS_PER_TURN_MAX = 20;
/** A wait that a provider asks for and that is not spent inside an activity. */
const LONG_WAIT_MS = 10_000;
/** Before memories that the model refuses by themselves are tried again. */
const REFUSED_PAUSE_MS = 600_000;

export async function reembedTurn(
  ports: ReembedPorts,
  { tenant, after, settleMs }: TurnInput,
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
  // A cut-over makes nothing a memory's own before the state says so.
  if (goal.own && !(await adopted(ports, tenant, goal))) return { ...filled, waitMs: 0 };
  const step = stepAfterFilling(state, { countedAt, settleMs });
  return { ...filled, ...(await take(ports, tenant, step)) };
}

interface Filled extends FillReport {
  readonly after: string | null;
  readonly waitMs: number;
}

/**
 * A failure after some pages ends the turn with what it has: the next one meets it at its first
 * page, and is tried again by Temporal. One that asks for a long wait ends the turn too: waiting in
 * the activity would keep its place from the other tenants, and use up its tries.
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
      if (!isForLater(error)) throw error;
      const waitMs = retryAfterOf(error);
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

function isForLater(error: unknown): error is VarveError {
  return error instanceof VarveError && error.code !== 'CANCELLED';
}

function retryAfterOf({ details }: VarveError): number {
  const { retryAfterMs } = details;
  return typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : 0;
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

/** False where there is more to adopt than a turn may. */
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
