/** Changing a memory: content with its vector and terms, tags, metadata. */
import { VarveError } from '#core/errors.ts';
import { keyAfter } from '#core/memory-key.ts';
import { patchedMemory } from '#core/memory-state.ts';
import type { MemoryPatch } from '#core/ports/memory-records.ts';
import type { WriteOutcome } from '#core/ports/write-rules.ts';
import type { Memory } from '#core/records/memory.ts';
import { isReplaced } from '#core/replacement.ts';

import { releaseVectors } from './embedding-cache.ts';
import { keyTaken, storedVector } from './memory-add.ts';
import { replacementOf } from '#core/source-change.ts';
import { droppedSource } from './memory-delete.ts';
import type { StoredMemory } from './memory-table.ts';
import {
  holderOf,
  isHeld,
  outcomeOf,
  recordStep,
  supersede,
  withVector,
  type MemoryTables,
  type MemoryWrite,
} from './memory-tables.ts';
import type { ScopeFold } from './scope-fold.ts';
import { writeTerms } from './terms.ts';
import { writeVector } from './vectors.ts';

export interface MemoryUpdate {
  readonly key: { readonly tenant: string; readonly id: string };
  readonly patch: MemoryPatch;
}

export function updateMemory(
  write: MemoryWrite,
  update: MemoryUpdate,
): (fold: ScopeFold) => WriteOutcome<Memory> {
  const { tables, rules, fold } = write;
  const { patch } = update;
  const before = required(tables, update);
  const vector = patch.content === undefined ? null : storedVector(patch.content);
  const after = { ...patchedMemory(before, patch, rules.now), key: keyOf(before, patch) };
  if (after.key !== before.key) freeKey(write, after);
  tables.memories.put(after);
  if (patch.content !== undefined) {
    releaseVectors(tables.connection, before, rules.now);
    if (vector !== null) writeVector(tables.connection, after, vector);
    writeTerms(tables.connection, tables.analyzer, after);
  }
  recordStep(write, { action: 'Updated', before, after });
  const dropped = isReplaced(before.content, after.content)
    ? droppedSource(tables, before, 'SourceReplaced')
    : null;
  fold.add(after, replacementOf(tables.digest, { before, after }, dropped));
  return outcomeOf(withVector(tables, after));
}

function required({ memories }: MemoryTables, { key, patch }: MemoryUpdate): StoredMemory {
  const found = memories.find(key.tenant, key.id);
  if (found === null) {
    throw new VarveError('MEMORY_NOT_FOUND', 'There is no such memory.', {
      details: { id: key.id },
    });
  }
  if (patch.expectedVersion === undefined || patch.expectedVersion === found.version) return found;
  throw new VarveError('CONFLICT', 'The memory was changed meanwhile; read it again.', {
    details: { id: key.id, version: found.version, expectedVersion: patch.expectedVersion },
  });
}

function keyOf(before: StoredMemory, { content }: MemoryPatch): string | null {
  return content === undefined ? before.key : keyAfter(before, content.contentHash);
}

/** The new key may be another memory's, which keeps it while it lives. */
function freeKey(write: MemoryWrite, after: StoredMemory): void {
  if (after.key === null || after.state !== 'active') return;
  const holder = holderOf(write.tables, after, after.key);
  if (holder === null || holder.id === after.id) return;
  if (isHeld(holder, write.rules.now)) throw keyTaken(holder);
  supersede(write, holder, after.id);
}
