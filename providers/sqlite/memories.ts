/** Memories: each write with its vector, terms, history and scope in one transaction. */
import type { MemoryRecords } from '#core/ports/memory-records.ts';

import { addMemory } from './memory-add.ts';
import { addMemories, deleteMemories } from './memory-bulk.ts';
import { deleteMemory } from './memory-delete.ts';
import { folded, withVector, type MemoryTables } from './memory-tables.ts';
import { updateMemory } from './memory-update.ts';

/** What search/ answers; all else of a memory is here. */
type Found = Pick<MemoryRecords, 'list' | 'nearest' | 'search'>;

export function memoryRecords(tables: MemoryTables, search: Found): MemoryRecords {
  const { connection, memories, changes } = tables;
  return {
    add: (memory, rules) => folded(tables, rules, (write) => addMemory(write, memory)),
    addMany: (items, rules) => addMemories(tables, items, rules),
    get: (tenant, id) =>
      connection.read(() => {
        const stored = memories.find(tenant, id);
        return stored === null ? null : withVector(tables, stored);
      }),
    update: (key, patch, rules) =>
      folded(tables, rules, (write) => updateMemory(write, { key, patch })),
    delete: (key, rules) => folded(tables, rules, (write) => deleteMemory(write, key)),
    deleteMany: (keys, rules) => deleteMemories(tables, keys, rules),
    history: ({ tenant, id }, { beforeVersion, limit }) =>
      connection.read(() =>
        changes.select(
          'tenant = ? AND memory_id = ? AND version < ? ORDER BY version DESC LIMIT ?',
          [tenant, id, beforeVersion ?? Number.MAX_SAFE_INTEGER, limit],
        ),
      ),
    list: (tenant, query) => search.list(tenant, query),
    search: (scope, query) => search.search(scope, query),
    nearest: (scopes, query) => search.nearest(scopes, query),
  };
}
