/** Deleting a memory with its vectors and terms; its history stays. */
import type { WriteOutcome } from '#core/ports/write-rules.ts';
import type { DroppedSource } from '#core/records/scope-record.ts';
import type { Memory } from '#core/records/memory.ts';

import { releaseVectors } from './embedding-cache.ts';
import { isCited } from './lineage.ts';
import { removalOf } from '#core/source-change.ts';
import type { StoredMemory } from './memory-table.ts';
import {
  outcomeOf,
  recordStep,
  withVector,
  type MemoryTables,
  type MemoryWrite,
} from './memory-tables.ts';
import type { ScopeFold } from './scope-fold.ts';
import { removeTerms } from './terms.ts';

/** Answers null where there was no such memory. */
export function deleteMemory(
  write: MemoryWrite,
  key: { readonly tenant: string; readonly id: string },
): (fold: ScopeFold) => WriteOutcome<Memory> | null {
  const { tables, rules, fold } = write;
  const stored = tables.memories.find(key.tenant, key.id);
  if (stored === null) return () => null;
  const record = withVector(tables, stored);
  tables.memories.remove(key.tenant, key.id);
  releaseVectors(tables.connection, stored, rules.now);
  removeTerms(tables.connection, stored);
  recordStep(write, { action: 'Deleted', before: stored, after: null });
  const dropped = droppedSource(tables, stored, 'SourceDeleted');
  fold.add(stored, removalOf(tables.digest, stored, dropped));
  return outcomeOf(record);
}

/** Null for a memory that no summary cites. */
export function droppedSource(
  { connection }: MemoryTables,
  memory: StoredMemory,
  reason: DroppedSource['reason'],
): DroppedSource | null {
  return isCited(connection, memory) ? { id: memory.id, reason } : null;
}
