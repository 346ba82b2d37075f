/** Memories: each write is one document, and one intent on its scope. */
import type { MemoryRecords } from '#core/ports/store.ts';

import { addMemory } from './memory-add.ts';
import { deleteMemory, updateMemory } from './memory-change.ts';
import { decodeMemory, memoryId } from './memory-document.ts';
import type { MemoryTables } from './memory-write.ts';
import { nearestMemories } from './nearest.ts';
import { byId } from './table.ts';

export function memoryRecords(tables: MemoryTables): MemoryRecords {
  return {
    add: (memory, rules) => addMemory(tables, memory, rules),
    async get(tenant, id) {
      const document = await tables.memories.first(byId(memoryId(tenant, id)));
      return document === null ? null : decodeMemory(document);
    },
    update: (key, patch, rules) => updateMemory(tables, { key, patch }, rules),
    delete: (key, rules) => deleteMemory(tables, key, rules),
    nearest: (scopes, query) => nearestMemories(tables.memories, scopes, query),
  };
}
