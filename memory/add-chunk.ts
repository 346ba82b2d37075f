/** Adds the memories of one scope in one store call, with a separate outcome for each. */
import { VarveError } from '#core/errors.ts';
import type { Written } from '#core/ports/memory-provider.ts';
import type { AddOutcome, AddRules, ItemOutcome } from '#core/ports/write-rules-and-outcomes.ts';
import type { Memory } from '#core/records/memory.ts';
import { currentPassages, storeSecondVectors, type Passage } from './embed-written-memories.ts';
import type { StateRead } from './embedding-generations.ts';
import type { Call } from './measured-call.ts';
import type { ProviderParts } from './provider-parts.ts';
import { isTransient } from './store-and-embedder-retries.ts';

export interface Chunk {
  /** Memories of one scope, at most `BULK_CHUNK_MAX`, still without vectors. */
  readonly memories: readonly Memory[];
  readonly rules: AddRules;
  /** The embedding state, if it was read already. */
  readonly state?: StateRead | undefined;
}

/**
 * Embeds and writes a chunk. Repeatable: a memory that already exists under its id was written by
 * an earlier attempt.
 * @throws VarveError CANCELLED
 */
export async function addChunk(
  parts: ProviderParts,
  call: Call,
  { memories, rules, state }: Chunk,
): Promise<readonly ItemOutcome<Written>[]> {
  const passages = await currentPassages(parts, call, memories, state);
  noteEmbedder(parts, call, passages);
  const embedded = memories.flatMap((memory, place) => {
    const passage = passages[place];
    return passage?.ok === true ? [{ memory: { ...memory, ...passage.own }, passage }] : [];
  });
  const added = await addAll(parts, call, {
    rules,
    memories: embedded.map(({ memory }) => memory),
  });
  const written = embedded.flatMap(({ memory: { id }, passage }) => {
    const outcome = added.get(id);
    return outcome?.ok === true && !outcome.outcome.deduplicated
      ? [{ memory: outcome.outcome.record, passage }]
      : [];
  });
  await storeSecondVectors(parts.ports, call, written);
  return memories.map(({ id }, place): ItemOutcome<Written> => {
    const passage = passages[place];
    if (passage?.ok === false) return passage;
    const outcome = added.get(id);
    if (outcome === undefined || passage === undefined) return lost();
    if (!outcome.ok) return outcome;
    return { ok: true, outcome: writtenOf(outcome.outcome, passage) };
  });
}

function writtenOf({ record, scope, deduplicated }: AddOutcome, passage: Passage): Written {
  return {
    memory: record,
    embeddingGenerated: deduplicated
      ? record.embeddingGeneration !== null
      : passage.ok && passage.embeddingGenerated,
    deduplicated,
    scope,
  };
}

/** Returns the error for a store that returned fewer outcomes than it was asked for. */
function lost(): { ok: false; error: VarveError } {
  return { ok: false, error: new VarveError('CORRUPT', 'The store returned nothing for an item.') };
}

/** Notes a missing vector, which backfill has to add, or a made one, which may start backfill. */
export function noteEmbedder(
  { backfill }: Pick<ProviderParts, 'backfill'>,
  { tenant }: Call,
  passages: readonly Passage[],
): void {
  const missed = passages.some((passage) => passage.ok && passage.failure !== null);
  const reached = passages.some((passage) => passage.ok && passage.failure === null);
  if (missed) backfill.noteMissed(tenant);
  if (reached && !missed) backfill.noteReached(tenant, 'Write');
}

/** Returns outcomes by id. Retries only the items that failed transiently. */
async function addAll(
  { ports: { store } }: ProviderParts,
  call: Call,
  { memories, rules }: Pick<Chunk, 'memories' | 'rules'>,
): Promise<ReadonlyMap<string, ItemOutcome<AddOutcome>>> {
  const outcomes = new Map<string, ItemOutcome<AddOutcome>>();
  let left = memories;
  let isFirst = true;
  try {
    await call.retried(async () => {
      if (left.length === 0) return;
      // A failed write may be durable, so a later try looks for its ids.
      const asked = isFirst ? rules : { ...rules, isNewId: false };
      isFirst = false;
      const answers = await addTogether(left, asked);
      for (const [place, memory] of left.entries()) {
        outcomes.set(memory.id, await ownWork(answers[place] ?? lost(), memory));
      }
      left = left.filter(({ id }) => failureIn(outcomes.get(id)) !== null);
      const [first] = left;
      const failure = first === undefined ? null : failureIn(outcomes.get(first.id));
      if (failure !== null) throw failure;
    });
  } catch (error) {
    if (!(error instanceof VarveError) || error.code === 'CANCELLED') throw error;
    for (const { id } of left) outcomes.set(id, { ok: false, error });
  }
  return outcomes;

  async function addTogether(
    together: readonly Memory[],
    asked: AddRules,
  ): Promise<readonly ItemOutcome<AddOutcome>[]> {
    const [only, ...others] = together;
    if (only === undefined || others.length > 0) return store.memories.addMany(together, asked);
    try {
      return [{ ok: true, outcome: await store.memories.add(only, asked) }];
    } catch (error) {
      if (error instanceof VarveError) return [{ ok: false, error }];
      throw error;
    }
  }

  /** Detects a CONFLICT with our own write: an earlier attempt whose answer was lost. */
  async function ownWork(
    answer: ItemOutcome<AddOutcome>,
    { tenant, id }: Memory,
  ): Promise<ItemOutcome<AddOutcome>> {
    if (answer.ok || answer.error.code !== 'CONFLICT') return answer;
    if (answer.error.details['id'] !== id) return answer;
    const record = await store.memories.get(tenant, id);
    if (record === null) return answer;
    const scope = await store.scopes.get(record);
    // A memory that an earlier run of this call wrote did not exist before the call.
    return { ok: true, outcome: { record, scope, deduplicated: false } };
  }
}

function failureIn(outcome: ItemOutcome<AddOutcome> | undefined): VarveError | null {
  return outcome?.ok === false && isTransient(outcome.error) ? outcome.error : null;
}
