/**
 * Adds one memory, or thousands in chunks, such that a repeated call finds its own work. A memory
 * that repeats one of the scope counts as the newest statement: it supersedes what has replaced
 * that memory since, or gives it its later time.
 */
import { chunked } from '#core/chunks-and-pages.ts';
import { VarveError } from '#core/errors.ts';
import type {
  BulkAnswer,
  MemoryProvider,
  MemoryToAdd,
  Written,
} from '#core/ports/memory-provider.ts';
import {
  BULK_CHUNK_MAX,
  type ItemOutcome,
  type AddRules,
} from '#core/ports/write-rules-and-outcomes.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { requireFutureExpiry } from '#core/require-future-expiry.ts';
import { policyOf, policyToWriteBy, writablePolicy } from '#core/policy/policy-in-force.ts';
import { addChunk, type Chunk } from './add-chunk.ts';
import { readState, type StateRead } from './embedding-generations.ts';
import { runOncePerKey, type Run } from './run-once-per-key.ts';
import { addRules, newMemory, checkLength } from './new-memory.ts';
import { countFailure, type Call } from './measured-call.ts';
import type { ProviderParts } from './provider-parts.ts';
import { throwIfCancelled } from './store-and-embedder-retries.ts';
import {
  bulkAnswer,
  needsNoRetry,
  readWritten,
  recallBulk,
  writtenAnswer,
} from './write-answers.ts';
import type { Digest } from '#core/hash.ts';
import { comparedMemory, outdatedMemories } from '#core/recall/outdated/outdated-memories.ts';
import type { Memory } from '#core/records/memory.ts';
import { isSaidLater, repeatedMemory } from '#core/sources/repeated-memory.ts';
import type { ProviderPorts } from './provider-ports.ts';

// Ids of the memories of one bulk call, which are the same in every run of the call.

/** Characters of an id before its variant: time, version and counter (RFC 9562, 5.7, UUIDv7). */
const ORDER_CHARACTERS = 18;
const TAIL_DIGITS = 12;

/**
 * Returns a UUIDv7: the operation's time prefix, then the item's place among at most 16,384, then
 * a unique rest. Items sort in their order, after everything made before the operation and before
 * everything made after it.
 */
export function memoryIdInOperation(digest: Digest, operationId: string, place: number): string {
  const own = digest(`${operationId}/${String(place)}`).slice(0, TAIL_DIGITS);
  // The variant of RFC 9562 takes two bits of the first digit.
  const variant = (8 + (place >> 12)).toString(16);
  const rest = (place & 0xfff).toString(16).padStart(3, '0');
  return `${operationId.slice(0, ORDER_CHARACTERS)}-${variant}${rest}-${own}`;
}

/** @throws VarveError CONTENT_TOO_LONG, CONFLICT; FORBIDDEN for a tenant that was released */
export async function addMemory(
  parts: ProviderParts,
  call: Call,
  { memory, key }: { memory: Parameters<MemoryProvider['add']>[1]; key: string | null },
): Promise<Written> {
  const { tenant } = call;
  const { store } = parts.ports;
  const [record, state] = await Promise.all([
    call.retried(() => store.policies.get(tenant)),
    readState(parts.ports, call),
  ]);
  const toAdd =
    typeof memory === 'function'
      ? memory(policyOf(tenant, record, store.policies.defaults))
      : memory;
  checkLength(toAdd.content);
  return runOncePerKey(parts, call, {
    key,
    body: toAdd,
    work: async (run) => {
      const items = [{ toAdd, place: 0, id: run.id }];
      const policy = writablePolicy(tenant, record, store.policies.defaults);
      const [outcome] = await addItems(parts, call, { items, run, policy, state });
      if (outcome?.ok === true) return outcome.outcome;
      throw outcome?.error ?? new VarveError('CORRUPT', 'The store returned nothing.');
    },
    toAnswer: writtenAnswer,
    fromAnswer: (answer) => readWritten(parts.ports, call, answer),
  });
}

/** Adds many memories. An invalid item gets its own error outcome; the others proceed. */
export async function bulkAdd(
  parts: ProviderParts,
  call: Call,
  bulk: {
    memories: readonly MemoryToAdd[];
    key: string | null;
    progress: ((done: number) => void) | undefined;
  },
): Promise<BulkAnswer<Written>> {
  const { ports } = parts;
  const { memories, key, progress } = bulk;
  return runOncePerKey(parts, call, {
    key,
    body: memories,
    work: async (run) => {
      const items = memories.map((toAdd, place) => ({
        toAdd,
        place,
        id: memoryIdInOperation(ports.platform.digest, run.id, place),
      }));
      const { policies } = ports.store;
      const policy = await call.retried(() => policyToWriteBy(policies, call.tenant));
      const outcomes = await addItems(parts, call, {
        items,
        run,
        policy,
        progress,
        isList: true,
      });
      for (const outcome of outcomes) {
        if (!outcome.ok) countFailure(ports, call.operation, outcome.error);
      }
      return bulkAnswer(outcomes);
    },
    isDone: needsNoRetry,
    toAnswer: ({ items }) => recallBulk.toAnswer(items, writtenAnswer),
    fromAnswer: (answer) => recallBulk.fromAnswer(answer, (each) => readWritten(ports, call, each)),
  });
}

interface Item {
  readonly toAdd: MemoryToAdd;
  readonly place: number;
  readonly id: string;
}

interface Items {
  readonly items: readonly Item[];
  readonly run: Run;
  readonly policy: TenantPolicy;
  /** Whether they come as one list; false if absent. */
  readonly isList?: boolean;
  /** The embedding state, if it was read already. */
  readonly state?: StateRead;
  readonly progress?: ((done: number) => void) | undefined;
}

async function addItems(
  parts: ProviderParts,
  call: Call,
  { items, progress, ...of }: Items,
): Promise<readonly ItemOutcome<Written>[]> {
  const outcomes = new Map<number, ItemOutcome<Written>>();
  for (const chunk of chunksOf(items)) {
    const chunkOutcomes = await outcomesOf(chunk, () =>
      addItemsOfScope(parts, call, { ...of, chunk }),
    );
    for (const [index, { place }] of chunk.entries()) {
      const outcome = chunkOutcomes[index];
      if (outcome !== undefined) outcomes.set(place, outcome);
    }
    progress?.(outcomes.size);
  }
  return items.flatMap(({ place }) => outcomes.get(place) ?? []);
}

/**
 * Groups items by scope and by their rules on keys and on what they end, in the order of each
 * group's first item, and splits each group into chunks.
 */
function chunksOf(items: readonly Item[]): readonly (readonly Item[])[] {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const { layer, scopeId, deduplicate, onConflict, supersedes = [] } = item.toAdd;
    const { restores = [], repeats } = item.toAdd;
    const ends = [supersedes, restores, repeats];
    const name = JSON.stringify([layer, scopeId, deduplicate, onConflict, ends]);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [item]);
    else group.push(item);
  }
  return [...groups.values()].flatMap((group) => chunked(group, BULK_CHUNK_MAX));
}

async function addItemsOfScope(
  parts: ProviderParts,
  call: Call,
  {
    chunk,
    run,
    policy,
    state,
    isList = false,
  }: Pick<Items, 'run' | 'policy' | 'state' | 'isList'> & {
    readonly chunk: readonly Item[];
  },
): Promise<readonly ItemOutcome<Written>[]> {
  const [first] = chunk;
  if (first === undefined) return [];
  const refused = new Map<string, VarveError>();
  for (const { toAdd, id } of chunk) {
    const error = await refusalOf(parts, call, { toAdd, id, run });
    if (error !== null) refused.set(id, error);
  }
  const memories = chunk
    .filter(({ id }) => !refused.has(id))
    .map(({ toAdd, id }) =>
      newMemory(parts.ports, toAdd, { tenant: call.tenant, id, now: run.now }),
    );
  const made = addRules(policy, first.toAdd, { by: call.by, now: run.now });
  const rules = { ...made, isNewId: run.isOnly };
  throwIfCancelled(call.signal);
  const added =
    memories.length === 0 ? [] : await addChunk(parts, call, { memories, rules, state });
  const byId = new Map(memories.map(({ id }, at) => [id, added[at]]));
  const timed = new Set(chunk.flatMap(({ id, toAdd }) => (toAdd.validFrom === null ? [] : [id])));
  for (const [at, memory] of memories.entries()) {
    const outcome = added[at];
    if (outcome?.ok !== true || !outcome.outcome.deduplicated) continue;
    // A list without times, such as an imported file, says nothing again.
    if (isList && !timed.has(memory.id)) continue;
    const known = outcome.outcome.memory;
    const repeated = { memory, known, rules, state };
    const [again] = await outcomesOf([memory], async () =>
      [await addRepeated(parts, call, repeated)].flatMap((each) => each ?? []),
    );
    if (again !== undefined) byId.set(memory.id, again);
  }
  return chunk.flatMap(({ id }): readonly ItemOutcome<Written>[] => {
    const error = refused.get(id);
    if (error !== undefined) return [{ ok: false, error }];
    return [byId.get(id) ?? []].flat();
  });
}

/** Returns the outcome of each item, also if the call was cancelled or failed halfway. */
async function outcomesOf(
  chunk: readonly unknown[],
  work: () => Promise<readonly ItemOutcome<Written>[]>,
): Promise<readonly ItemOutcome<Written>[]> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof VarveError)) throw error;
    return chunk.map(() => ({ ok: false, error }));
  }
}

/** Returns why an item is refused; a repeated call does not restore what was deleted since. */
async function refusalOf(
  { ports: { store } }: ProviderParts,
  { tenant, retried }: Call,
  { toAdd, id, run }: Pick<Item, 'toAdd' | 'id'> & { run: Run },
): Promise<VarveError | null> {
  try {
    checkLength(toAdd.content);
    const { expiresAt, validFrom, utcOffset } = toAdd;
    const from = validFrom === null ? null : { at: validFrom, utcOffset };
    requireFutureExpiry(expiresAt, run.now, from);
  } catch (error) {
    if (error instanceof VarveError) return error;
    throw error;
  }
  if (!run.isRepeated) return null;
  const page = { beforeVersion: null, limit: 1 };
  const [latest] = await retried(() => store.memories.history({ tenant, id }, page));
  if (latest?.action !== 'Deleted') return null;
  return new VarveError(
    'MEMORY_NOT_FOUND',
    'The memories that this call added have been deleted since.',
    {
      details: { id },
    },
  );
}

/**
 * Maximum memories to compare a repeat with, newest first. One that older ones have replaced gets
 * its later time like one that still holds.
 */
const COMPARED_MAX = 100;
const LIVE = { latestOnly: true, tags: [], filter: null, kind: null } as const;

/**
 * Returns the outcome of a memory whose text the scope has already.
 * @param known the memory with that text, as the first write left it
 */
async function addRepeated(
  parts: ProviderParts,
  call: Call,
  { memory, known, rules, state }: Pick<Chunk, 'rules' | 'state'> & Compared,
): Promise<ItemOutcome<Written> | undefined> {
  const isReplaced = await isReplacedSince(parts.ports, call, { memory, known }, rules);
  if (!isReplaced && !isSaidLater(known, memory, rules.now)) return undefined;
  const { supersedes = [] } = rules;
  const again: AddRules = isReplaced
    ? { ...rules, supersedes: [...supersedes, known.id] }
    : { ...rules, isSaidAgain: true };
  const { tags, metadata } = repeatedMemory(known, memory, { now: rules.now, isSaidAgain: false });
  const said = { ...memory, tags, metadata };
  const [outcome] = await addChunk(parts, call, { memories: [said], rules: again, state });
  return outcome;
}

interface Compared {
  readonly memory: Memory;
  readonly known: Memory;
}

/** Whether something that was said between the two ends what they say. */
async function isReplacedSince(
  { store, analyzer }: ProviderPorts,
  { tenant, retried }: Call,
  { memory, known }: Compared,
  { now }: AddRules,
): Promise<boolean> {
  if (memory.validFrom <= known.validFrom) return false;
  const { layer, scopeId } = memory;
  const query = {
    scopes: [{ tenant, layer, scopeId }],
    conditions: { ...LIVE, now },
    order: 'newest',
    after: null,
    limit: COMPARED_MAX,
  } as const;
  const { memories } = await retried(() => store.memories.list(tenant, query));
  const older = comparedMemory(known, analyzer);
  return memories
    .filter(({ validFrom }) => validFrom > known.validFrom && validFrom <= memory.validFrom)
    .some((newer) => {
      const { outdated } = outdatedMemories([older, comparedMemory(newer, analyzer)]);
      return outdated.has(known.id);
    });
}
