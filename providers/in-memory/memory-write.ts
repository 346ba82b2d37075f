/** Writes of one memory, each within a transaction. What is refused has changed nothing before. */
import { VarveError } from '#core/errors.ts';
import type { Digest } from '#core/hash.ts';
import { isLive, patchedMemory } from '#core/memory-state.ts';
import type { MemoryPatch } from '#core/ports/memory-records.ts';
import type { AddOutcome, AddRules, WriteOutcome, WriteRules } from '#core/ports/write-rules.ts';
import { TAGS_MAX, type Memory } from '#core/records/memory.ts';
import { isReplaced } from '#core/replacement.ts';
import { additionOf, removalOf, replacementOf } from '#core/source-change.ts';

import type { Tables } from './database.ts';
import {
  memoryOf,
  noteChange,
  noteGenerations,
  requireVectors,
  rowOf,
  vectorsOf,
} from './memory-row.ts';
import { droppedSource, scopeOrEmpty, writeChange } from './memory-scope.ts';
import type { MemoryRow } from './rows.ts';

/** A key that stands for a content begins so and goes on with its hash. */
const CONTENT_KEY = 'content:';

export interface Writing {
  readonly tables: Tables;
  readonly digest: Digest;
}

export interface MemoryKey {
  readonly tenant: string;
  readonly id: string;
}

/** @throws VarveError CONFLICT, INVALID_INPUT */
export function addMemory(writing: Writing, memory: Memory, rules: AddRules): AddOutcome {
  const { tables, digest } = writing;
  const row = rowOf(memory, rules.now);
  requireVectors(tables, row.tenant, vectorsOf(memory.embeddingGeneration, memory.vector));
  if (tables.memories.get(row.tenant, row.id) !== null) {
    throw conflict('There is a memory with this id.', row.id);
  }
  const holder = row.state === 'active' ? holderOf(tables, row) : null;
  if (holder !== null && isLive(holder, rules.now)) {
    if (rules.onKey === 'Unite' && holder.contentHash === row.contentHash) {
      return unite(tables, { holder, tags: row.tags }, rules);
    }
    throw conflict('The scope has a memory with this key.', holder.id);
  }
  if (holder !== null) supersede(writing, { holder, by: row.id }, rules);
  noteGenerations(tables, row.tenant, row.vectors);
  tables.memories.put(row);
  noteChange(tables, { before: null, after: row }, { action: 'Added', rules });
  const scope = writeChange(tables, { scope: row, change: additionOf(digest, row) }, rules);
  return { record: memoryOf(row), scope, deduplicated: false };
}

/** @throws VarveError MEMORY_NOT_FOUND, CONFLICT, INVALID_INPUT */
export function updateMemory(
  writing: Writing,
  { key, patch }: { key: MemoryKey; patch: MemoryPatch },
  rules: WriteRules,
): WriteOutcome<Memory> {
  const { tables, digest } = writing;
  const before = tables.memories.get(key.tenant, key.id);
  if (before === null) {
    throw new VarveError('MEMORY_NOT_FOUND', 'There is no such memory.', {
      details: { id: key.id },
    });
  }
  if (patch.expectedVersion !== undefined && patch.expectedVersion !== before.version) {
    throw new VarveError('CONFLICT', 'The memory was changed meanwhile; read it again.', {
      details: { id: key.id, version: before.version, expectedVersion: patch.expectedVersion },
    });
  }
  const after = patchedRow(before, patch, rules.now);
  requireVectors(tables, key.tenant, after.vectors);
  yieldKey(writing, { before, after }, rules);
  noteGenerations(tables, key.tenant, after.vectors);
  tables.memories.put(after);
  noteChange(tables, { before, after }, { action: 'Updated', rules });
  const dropped = isReplaced(before.content, after.content)
    ? droppedSource(tables, before, 'SourceReplaced')
    : null;
  const change = replacementOf(digest, { before, after }, dropped);
  return { record: memoryOf(after), scope: writeChange(tables, { scope: after, change }, rules) };
}

export function deleteMemory(
  { tables, digest }: Writing,
  { tenant, id }: MemoryKey,
  rules: WriteRules,
): WriteOutcome<Memory> | null {
  const row = tables.memories.get(tenant, id);
  if (row === null) return null;
  tables.memories.remove(row);
  noteChange(tables, { before: row, after: null }, { action: 'Deleted', rules });
  const change = removalOf(digest, row, droppedSource(tables, row, 'SourceDeleted'));
  return { record: memoryOf(row), scope: writeChange(tables, { scope: row, change }, rules) };
}

function conflict(message: string, id: string): VarveError {
  return new VarveError('CONFLICT', message, { details: { id } });
}

/** The active memory that has the key of another one in its scope, live or ended. */
function holderOf(
  tables: Tables,
  { tenant, layer, scopeId, id, key }: MemoryRow,
): MemoryRow | null {
  if (key === null) return null;
  const scope = tables.memories.group(tenant, layer, scopeId);
  return scope.find((row) => row.key === key && row.state === 'active' && row.id !== id) ?? null;
}

function unite(
  tables: Tables,
  { holder, tags }: { holder: MemoryRow; tags: readonly string[] },
  rules: WriteRules,
): AddOutcome {
  const united = [...new Set([...holder.tags, ...tags])].slice(0, TAGS_MAX).toSorted();
  const scope = scopeOrEmpty(tables, holder);
  if (tags.every((tag) => holder.tags.includes(tag))) {
    return { record: memoryOf(holder), scope, deduplicated: true };
  }
  const { now: updatedAt } = rules;
  const after = { ...holder, tags: united, version: holder.version + 1, updatedAt };
  tables.memories.put(after);
  noteChange(tables, { before: holder, after }, { action: 'United', rules });
  return { record: memoryOf(after), scope, deduplicated: true };
}

/** The holder of a key that ended by itself makes way for another memory. */
function supersede(
  { tables, digest }: Writing,
  { holder, by }: { holder: MemoryRow; by: string },
  rules: WriteRules,
): void {
  const after: MemoryRow = {
    ...holder,
    state: 'superseded',
    supersededBy: by,
    counted: false,
    version: holder.version + 1,
    updatedAt: rules.now,
  };
  tables.memories.put(after);
  noteChange(tables, { before: holder, after }, { action: 'Superseded', rules });
  writeChange(tables, { scope: holder, change: removalOf(digest, holder, null) }, rules);
}

function patchedRow(before: MemoryRow, patch: MemoryPatch, now: number): MemoryRow {
  const after = patchedMemory(before, patch, now);
  if (patch.content === undefined) return after;
  const { embeddingGeneration, vector, contentHash } = patch.content;
  const key = before.key?.startsWith(CONTENT_KEY) === true ? CONTENT_KEY + contentHash : before.key;
  return { ...after, key, vectors: vectorsOf(embeddingGeneration, vector) };
}

/** @throws VarveError CONFLICT where a live memory has the key that a changed content brings */
function yieldKey(
  writing: Writing,
  { before, after }: { before: MemoryRow; after: MemoryRow },
  rules: WriteRules,
): void {
  if (before.key === after.key || after.state !== 'active') return;
  const holder = holderOf(writing.tables, after);
  if (holder === null) return;
  if (isLive(holder, rules.now)) {
    throw conflict('The scope has a memory with this content.', holder.id);
  }
  supersede(writing, { holder, by: after.id }, rules);
}
