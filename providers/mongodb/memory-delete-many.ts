/**
 * Deleting many memories of one scope in one call: announced by one command, folded in by one. What
 * somebody changed in between, or is of another scope, goes alone.
 */
import type { ItemOutcome, WriteOutcome, WriteRules } from '#core/ports/write-rules.ts';
import type { Memory } from '#core/records/memory.ts';
import { scopeKey } from '#core/scope.ts';

import { failed, outcomeOf, requireChunk, TOGETHER_MAX } from './item-outcome.ts';
import { deleteMemory, deletionFor } from './memory-change.ts';
import { decodeMemory, memoryId, unchanged, type MemoryDocument } from './memory-document.ts';
import { keepChanges } from './memory-history.ts';
import type { MemoryTables } from './memory-write.ts';
import { scopeId } from './scope-document.ts';
import { announce, conclude, finishOlder } from './write-intent.ts';

interface MemoryKey {
  readonly tenant: string;
  readonly id: string;
}

/** Of one tenant; @throws VarveError INVALID_INPUT for more than a chunk */
export async function deleteMemories(
  tables: MemoryTables,
  given: readonly MemoryKey[],
  rules: WriteRules,
): Promise<readonly ItemOutcome<WriteOutcome<Memory> | null>[]> {
  requireChunk(given.length);
  const keys = given.map((key) => ({ ...key }));
  const outcomes = new Map<MemoryKey, ItemOutcome<WriteOutcome<Memory> | null>>();
  for (let at = 0; at < keys.length; at += TOGETHER_MAX) {
    const part = keys.slice(at, at + TOGETHER_MAX);
    for (const [key, outcome] of await deleteTogether(tables, part, rules)) {
      outcomes.set(key, outcome);
    }
    for (const key of part) {
      if (outcomes.has(key)) continue;
      outcomes.set(key, await outcomeOf(() => deleteMemory(tables, key, rules)));
    }
  }
  return keys.flatMap((key) => outcomes.get(key) ?? []);
}

async function deleteTogether(
  tables: MemoryTables,
  keys: readonly MemoryKey[],
  rules: WriteRules,
): Promise<ReadonlyMap<MemoryKey, ItemOutcome<WriteOutcome<Memory>>>> {
  const items = await deletionsOf(tables, keys, rules);
  const [first] = items;
  if (first === undefined) return new Map();
  const scope = scopeId(first.memory);
  try {
    await keepChanges(
      tables,
      items.map(({ document }) => document),
    );
    const intents = items.map(({ intent }) => intent);
    const tokens = items.map(({ document }) => document.token);
    await finishOlder(tables, await announce(tables, scope, intents), tokens);
    const writes = items.map(({ document, mark }) => {
      return { condition: unchanged(document), document: mark };
    });
    const matched = await tables.memories.writeMany(writes);
    const gone = matched === items.length ? items : await goneOf(tables, items);
    await keepChanges(
      tables,
      gone.map(({ mark }) => mark),
    );
    const ends = items.map((item) => {
      const verdict = gone.includes(item) ? 'Happened' : 'DidNot';
      return { token: item.mark.token, verdict } as const;
    });
    const record = await conclude(tables, scope, ...ends);
    const marks = gone.map(({ mark }) => mark.token);
    const ids = gone.map(({ document }) => document._id);
    await tables.memories.removeAll({ _id: { $in: ids }, token: { $in: marks }, state: 'void' });
    return new Map(
      gone.map(({ key, memory }) => [
        key,
        { ok: true, outcome: { record: memory, scope: record } },
      ]),
    );
  } catch (error) {
    const outcome = failed(error);
    return new Map(items.map(({ key }) => [key, outcome]));
  }
}

interface Deletion extends ReturnType<typeof deletionFor> {
  readonly key: MemoryKey;
  readonly document: MemoryDocument;
  readonly memory: Memory;
}

/** Those of the first one's scope, each once. */
async function deletionsOf(
  tables: MemoryTables,
  keys: readonly MemoryKey[],
  rules: WriteRules,
): Promise<readonly Deletion[]> {
  const _id = { $in: keys.map(({ tenant, id }) => memoryId(tenant, id)) };
  const found = await tables.memories.select({ _id }, { limit: keys.length });
  const byKey = new Map(found.map((document) => [JSON.stringify(document._id), document]));
  const deletions: Deletion[] = [];
  for (const key of keys) {
    const name = JSON.stringify(memoryId(key.tenant, key.id));
    const document = byKey.get(name);
    const memory = document === undefined ? null : decodeMemory(document);
    if (document === undefined || memory === null) continue;
    const [first] = deletions;
    if (first !== undefined && scopeKey(first.memory) !== scopeKey(memory)) continue;
    byKey.delete(name);
    deletions.push({ key, document, memory, ...deletionFor(tables, { document, memory }, rules) });
  }
  return deletions;
}

/** Those whose mark is there. */
async function goneOf(
  { memories }: MemoryTables,
  items: readonly Deletion[],
): Promise<readonly Deletion[]> {
  const _id = { $in: items.map(({ document }) => document._id) };
  const found = await memories.select({ _id }, { limit: items.length, fields: ['token'] });
  const tokens = new Set(found.map(({ token }) => token));
  return items.filter(({ mark }) => tokens.has(mark.token));
}
