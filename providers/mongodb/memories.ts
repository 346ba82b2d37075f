/** Memories: each write is one document, and one intent on its scope. */
import type { MemoryRecords } from '#core/ports/memory-records.ts';

import { listMemories } from './list.ts';
import { addMemory } from './memory-add.ts';
import { addMemories } from './memory-add-many.ts';
import { deleteMemory, updateMemory } from './memory-change.ts';
import { deleteMemories } from './memory-delete-many.ts';
import { decodeMemory, memoryId } from './memory-document.ts';
import { readHistory } from './memory-history.ts';
import type { MemoryTables } from './memory-write.ts';
import { nearestMemories } from './nearest.ts';
import { searchScope, type SearchTables } from './search/search.ts';
import { byId } from './table.ts';

export function memoryRecords(tables: MemoryTables & SearchTables): MemoryRecords {
  return {
    add: (memory, rules) => addMemory(tables, memory, rules),
    addMany: (memories, rules) => addMemories(tables, memories, rules),
    async get(tenant, id) {
      const document = await tables.memories.first(byId(memoryId(tenant, id)));
      return document === null ? null : decodeMemory(document);
    },
    update: (key, patch, rules) => updateMemory(tables, { key, patch }, rules),
    delete: (key, rules) => deleteMemory(tables, key, rules),
    deleteMany: (keys, rules) => deleteMemories(tables, keys, rules),
    list: (tenant, query) => listMemories(tables.memories, tenant, query),
    search: (scope, query) => searchScope(tables, scope, query),
    history: (key, page) => readHistory(tables, key, page),
    nearest: (scopes, query) => nearestMemories(tables.memories, scopes, query),
  };
}
