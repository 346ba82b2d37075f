/**
 * Adding many memories of one scope in one call: what is plain goes together, announced by one
 * command and folded in by one; what meets something else goes alone. An item that fails leaves the
 * others be.
 */
import { VarveError } from '#core/errors.ts';
import { isLive } from '#core/memory-state.ts';
import type { AddOutcome, AddRules, ItemOutcome } from '#core/ports/write-rules.ts';
import type { Memory } from '#core/records/memory.ts';
import { scopeKey } from '#core/scope.ts';

import { failed, outcomeOf, requireChunk, TOGETHER_MAX } from './item-outcome.ts';
import { addMemory, newDocument } from './memory-add.ts';
import { memoryId, slotOf, stateOf } from './memory-document.ts';
import { intentOf, type MemoryTables } from './memory-write.ts';
import { scopeId } from './scope-document.ts';
import { requireVector } from './vectors.ts';
import { announce, conclude } from './write-intent.ts';

/** @throws VarveError INVALID_INPUT for more than a chunk, or for memories of several scopes */
export async function addMemories(
  tables: MemoryTables,
  given: readonly Memory[],
  rules: AddRules,
): Promise<readonly ItemOutcome<AddOutcome>[]> {
  requireChunk(given.length);
  // One object for each item, also where two are the same.
  const memories = given.map((memory) => ({ ...memory }));
  if (new Set(memories.map(scopeKey)).size > 1) {
    throw new VarveError('INVALID_INPUT', 'The memories of one call belong to one scope.');
  }
  const outcomes = new Map<Memory, ItemOutcome<AddOutcome>>();
  for (let at = 0; at < memories.length; at += TOGETHER_MAX) {
    const part = memories.slice(at, at + TOGETHER_MAX);
    const plain = await plainOf(tables, part, rules);
    for (const [memory, outcome] of await addTogether(tables, plain, rules)) {
      outcomes.set(memory, outcome);
    }
    for (const memory of part) {
      if (outcomes.has(memory)) continue;
      outcomes.set(memory, await outcomeOf(() => addMemory(tables, memory, rules)));
    }
  }
  return memories.flatMap((memory) => outcomes.get(memory) ?? []);
}

/** Live memories that nothing stands in the way of, and of equal ones the first. */
async function plainOf(
  { memories: documents }: MemoryTables,
  memories: readonly Memory[],
  { now }: AddRules,
): Promise<readonly Memory[]> {
  const [first] = memories;
  if (first === undefined) return [];
  const { tenant } = first;
  const _id = { $in: memories.map(({ id }) => memoryId(tenant, id)) };
  const slots = memories.map(slotOf);
  const fields = ['slot'];
  const limit = memories.length;
  const found = [
    ...(await documents.select({ _id }, { limit, fields })),
    ...(await documents.select({ '_id.tenant': tenant, slot: { $in: slots } }, { limit, fields })),
  ];
  const taken = new Set(found.flatMap(({ _id: { id }, slot }) => [id, slot]));
  return memories.filter((memory) => {
    const names = [memory.id, slotOf(memory)];
    const isPlain =
      isLive(memory, now) && isSound(memory) && !names.some((name) => taken.has(name));
    if (isPlain) for (const name of names) taken.add(name);
    return isPlain;
  });
}

function isSound({ vector }: Memory): boolean {
  try {
    if (vector !== null) requireVector(vector);
    return true;
  } catch (error) {
    return !failed(error);
  }
}

/** What came in between is left out: it is added alone. */
async function addTogether(
  tables: MemoryTables,
  memories: readonly Memory[],
  rules: AddRules,
): Promise<ReadonlyMap<Memory, ItemOutcome<AddOutcome>>> {
  const [first] = memories;
  if (first === undefined) return new Map();
  const items = memories.map((memory) => {
    const token = tables.newId();
    const write = { before: null, after: stateOf(memory, true), drops: null, yielded: null };
    const intent = intentOf(memory, write, { token, rules });
    return { memory, token, intent, document: newDocument(tables, { memory, token }, rules) };
  });
  const scope = scopeId(first);
  try {
    const intents = items.map(({ intent }) => intent);
    await announce(tables, scope, intents);
    const written = await tables.memories.insertMany(items.map(({ document }) => document));
    const ends = items.map(({ token }, at) => {
      return { token, verdict: written[at] === true ? 'Happened' : 'DidNot' } as const;
    });
    const record = await conclude(tables, scope, ...ends);
    const done = memories.filter((_, at) => written[at] === true);
    return new Map(
      done.map((memory) => {
        return [
          memory,
          { ok: true, outcome: { record: memory, scope: record, deduplicated: false } },
        ];
      }),
    );
  } catch (error) {
    // Some may have happened; whoever looks for due work finds out, and none is added again here.
    const outcome = failed(error);
    return new Map(memories.map((memory) => [memory, outcome]));
  }
}
