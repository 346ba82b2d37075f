/** Many memories in one write: one transaction, one look at their scope, an outcome for each. */
import { VarveError } from '#core/errors.ts';
import {
  BULK_CHUNK_MAX,
  type AddOutcome,
  type AddRules,
  type ItemOutcome,
  type WriteOutcome,
  type WriteRules,
} from '#core/ports/write-rules.ts';
import type { Memory } from '#core/records/memory.ts';
import { scopeKey } from '#core/scope.ts';

import { addMemory } from './memory-add.ts';
import { deleteMemory } from './memory-delete.ts';
import { folded, type MemoryTables } from './memory-tables.ts';
import type { ScopeFold } from './scope-fold.ts';

export async function addMemories(
  tables: MemoryTables,
  memories: readonly Memory[],
  rules: AddRules,
): Promise<readonly ItemOutcome<AddOutcome>[]> {
  requireChunk(memories);
  const [first] = memories;
  if (first === undefined) return [];
  const scope = scopeKey(first);
  if (memories.some((memory) => scopeKey(memory) !== scope)) {
    throw new VarveError('INVALID_INPUT', 'The memories of one call belong to one scope.');
  }
  return folded(tables, rules, (write) => eachOf(memories, (memory) => addMemory(write, memory)));
}

export async function deleteMemories(
  tables: MemoryTables,
  keys: readonly { tenant: string; id: string }[],
  rules: WriteRules,
): Promise<readonly ItemOutcome<WriteOutcome<Memory> | null>[]> {
  requireChunk(keys);
  if (keys.length === 0) return [];
  return folded(tables, rules, (write) => eachOf(keys, (key) => deleteMemory(write, key)));
}

function requireChunk(items: readonly unknown[]): void {
  if (items.length <= BULK_CHUNK_MAX) return;
  throw new VarveError('INVALID_INPUT', 'The call has too many items; make several of it.', {
    details: { items: items.length, itemsMax: BULK_CHUNK_MAX },
  });
}

/** An item that is refused has left no trace, so that the others are written. */
function eachOf<I, T>(
  items: readonly I[],
  one: (item: I) => (fold: ScopeFold) => T,
): (fold: ScopeFold) => ItemOutcome<T>[] {
  const answers = items.map((item): ((fold: ScopeFold) => ItemOutcome<T>) => {
    try {
      const answer = one(item);
      return (fold) => ({ ok: true, outcome: answer(fold) });
    } catch (error) {
      if (!(error instanceof VarveError)) throw error;
      return () => ({ ok: false, error });
    }
  });
  return (fold) => answers.map((answer) => answer(fold));
}
