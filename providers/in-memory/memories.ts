/** Memories over the tables: writes one by one and in chunks, lists, histories. */
import { VarveError } from '#core/errors.ts';
import { type ListQuery, type MemoryPage, type MemoryRecords } from '#core/ports/memory-records.ts';
import { BULK_CHUNK_MAX, type ItemOutcome } from '#core/ports/write-rules.ts';
import type { MemoryChange } from '#core/records/memory-change.ts';
import { hiddenFrom, meetsConditions } from '#core/search/conditions.ts';
import { scopeKey, type Scope } from '#core/scope.ts';

import type { Database, Tables } from './database.ts';
import { memoryOf } from './memory-row.ts';
import { addMemory, deleteMemory, updateMemory, type Writing } from './memory-write.ts';
import { nearestMemories } from './nearest.ts';
import type { ScopeIndexes } from './scope-indexes.ts';

export function memoryRecords(
  database: Database,
  writing: Writing,
  indexes: ScopeIndexes,
): MemoryRecords {
  const { tables } = database;
  return {
    add: (memory, rules) => database.write(() => addMemory(writing, memory, rules)),
    addMany: async (memories, rules) => {
      requireOneScope(memories);
      return inChunk(database, memories, (memory) => addMemory(writing, memory, rules));
    },
    get: (tenant, id) =>
      database.read(() => {
        const row = tables.memories.get(tenant, id);
        return row === null ? null : memoryOf(row);
      }),
    update: (key, patch, rules) =>
      database.write(() => updateMemory(writing, { key, patch }, rules)),
    delete: (key, rules) => database.write(() => deleteMemory(writing, key, rules)),
    deleteMany: async (keys, rules) => {
      requireOneScope(keys.flatMap(({ tenant, id }) => tables.memories.get(tenant, id) ?? []));
      return inChunk(database, keys, (key) => deleteMemory(writing, key, rules));
    },
    list: (tenant, query) => database.read(() => page(tables, tenant, query)),
    search: (scope, query) => database.read(() => indexes.search(scope, query)),
    history: (key, asked) => database.read(() => changesOf(tables, key, asked)),
    nearest: (scopes, query) => database.read(() => nearestMemories(tables, scopes, query)),
  };
}

function requireOneScope(scopes: readonly Scope[]): void {
  if (new Set(scopes.map((scope) => scopeKey(scope))).size <= 1) return;
  throw new VarveError('INVALID_INPUT', 'The memories of one call belong to one scope.');
}

/** One transaction for all items; what is refused has changed nothing, and the others go on. */
async function inChunk<I, T>(
  database: Database,
  items: readonly I[],
  write: (item: I) => T,
): Promise<readonly ItemOutcome<T>[]> {
  if (items.length > BULK_CHUNK_MAX) {
    throw new VarveError('INVALID_INPUT', `A call takes at most ${BULK_CHUNK_MAX} memories.`);
  }
  // Beside the answer: a copy of an error is no VarveError.
  const failures = new Map<number, VarveError>();
  const outcomes = await database.write(() =>
    items.map((item, at) => {
      try {
        return { outcome: write(item) };
      } catch (error) {
        if (!(error instanceof VarveError)) throw error;
        failures.set(at, error);
        return null;
      }
    }),
  );
  return outcomes.flatMap((made, at): ItemOutcome<T>[] => {
    const error = failures.get(at);
    if (error !== undefined) return [{ ok: false, error }];
    return made === null ? [] : [{ ok: true, outcome: made.outcome }];
  });
}

function page(tables: Tables, tenant: string, query: ListQuery): MemoryPage {
  const { scopes, conditions, order, after, limit } = query;
  const names = new Map(scopes.map((scope) => [scopeKey(scope), scope]));
  const met = [...names.values()]
    .filter((scope) => scope.tenant === tenant)
    .flatMap(({ layer, scopeId }) => tables.memories.group(tenant, layer, scopeId))
    .filter((row) => meetsConditions({ ...row, endsAt: hiddenFrom(row) }, conditions))
    .toSorted((a, b) => (a.id < b.id === (order === 'oldest') ? -1 : 1));
  const rest = met.filter(
    ({ id }) => after === null || (order === 'oldest' ? id > after : id < after),
  );
  return {
    memories: rest.slice(0, limit).map((row) => memoryOf(row)),
    more: rest.length > limit,
    total: met.length,
  };
}

function changesOf(
  tables: Tables,
  { tenant, id }: { tenant: string; id: string },
  { beforeVersion, limit }: { beforeVersion: number | null; limit: number },
): readonly MemoryChange[] {
  return tables.changes
    .group(tenant, id)
    .filter(({ version }) => beforeVersion === null || version < beforeVersion)
    .toSorted((a, b) => b.version - a.version || b.at - a.at)
    .slice(0, limit);
}
