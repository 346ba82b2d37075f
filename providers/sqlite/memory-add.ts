/** Adding memories, each with its vector, terms and history. */
import { VarveError } from '#core/errors.ts';
import { unitedTags } from '#core/memory-key.ts';
import { isLive } from '#core/memory-state.ts';
import type { AddOutcome, AddRules } from '#core/ports/write-rules.ts';
import type { Memory } from '#core/records/memory.ts';

import { additionOf } from '#core/source-change.ts';
import type { StoredMemory } from './memory-table.ts';
import {
  holderOf,
  isHeld,
  recordStep,
  supersede,
  withVector,
  type MemoryTables,
  type MemoryWrite,
} from './memory-tables.ts';
import type { ScopeFold } from './scope-fold.ts';
import { writeTerms } from './terms.ts';
import { vectorBytes, writeVector } from './vectors.ts';

/** Leaves no trace where it throws a VarveError, so that other items of its write may go on. */
export function addMemory(
  write: MemoryWrite<AddRules>,
  memory: Memory,
): (fold: ScopeFold) => AddOutcome {
  const { tables, rules } = write;
  const vector = storedVector(memory);
  const holder =
    memory.key === null || memory.state !== 'active' ? null : holderOf(tables, memory, memory.key);
  if (holder !== null) {
    requireFreeId(tables, memory);
    if (isHeld(holder, rules.now)) return answer(unite(write, holder, memory), true);
    supersede(write, holder, memory.id);
  }
  const { vector: _, ...fields } = memory;
  const stored: StoredMemory = { ...fields, counted: isLive(memory, rules.now) ? 1 : 0 };
  if (!tables.memories.insertNew(stored)) throw idTaken(memory);
  if (vector !== null) writeVector(tables.connection, stored, vector);
  writeTerms(tables.connection, tables.analyzer, stored);
  recordStep(write, { action: 'Added', before: null, after: stored });
  write.fold.add(stored, additionOf(tables.digest, stored));
  return answer(memory, false);
}

function answer(record: Memory, deduplicated: boolean): (fold: ScopeFold) => AddOutcome {
  return (fold) => ({ record, scope: fold.recordOf(record), deduplicated });
}

/** Null where the memory has no vector or no generation to compare it within. */
export function storedVector({
  vector,
  embeddingGeneration,
}: Pick<Memory, 'vector' | 'embeddingGeneration'>): {
  generation: string;
  bytes: Uint8Array;
} | null {
  if (vector === null || embeddingGeneration === null) return null;
  return { generation: embeddingGeneration, bytes: vectorBytes(vector) };
}

/** A key belongs to one live memory; an equal one becomes part of it where the rules say so. */
function unite(write: MemoryWrite<AddRules>, holder: StoredMemory, memory: Memory): Memory {
  const { tables, rules } = write;
  if (rules.onKey !== 'Unite' || holder.contentHash !== memory.contentHash) throw keyTaken(holder);
  const tags = unitedTags(holder.tags, memory.tags);
  if (tags.join('\n') === holder.tags.join('\n')) return withVector(tables, holder);
  const after = { ...holder, tags, version: holder.version + 1, updatedAt: rules.now };
  tables.memories.put(after);
  recordStep(write, { action: 'United', before: holder, after });
  return withVector(tables, after);
}

function requireFreeId(tables: MemoryTables, memory: Memory): void {
  if (tables.memories.find(memory.tenant, memory.id) !== null) throw idTaken(memory);
}

function idTaken({ id }: Memory): VarveError {
  return new VarveError('CONFLICT', 'There is a memory with this id.', { details: { id } });
}

export function keyTaken({ id }: StoredMemory): VarveError {
  return new VarveError('CONFLICT', 'The scope has a memory with this key.', { details: { id } });
}
