/** Memories: each write with its vector and its scope in one transaction. */
import { VarveError } from '#core/errors.ts';
import type { Digest } from '#core/hash.ts';
import { isLive, patchedMemory } from '#core/memory-state.ts';
import type { MemoryPatch, MemoryRecords, WriteOutcome, WriteRules } from '#core/ports/store.ts';
import type { Memory } from '#core/records/memory.ts';
import type { DroppedSource } from '#core/records/scope-record.ts';
import { isReplaced } from '#core/replacement.ts';
import type { ScopeChange } from '#core/scope-change.ts';

import type { Connection } from './connection.ts';
import { isCited } from './lineage.ts';
import { additionOf, removalOf, replacementOf } from './memory-change.ts';
import { memoryTable, type MemoryTable, type StoredMemory } from './memory-table.ts';
import { nearestMemories } from './nearest.ts';
import { scopeOrEmpty, scopeTable, writeChange, type ScopeTable } from './scope-table.ts';
import { readVector, removeVectors, writeVector } from './vectors.ts';

interface Tables {
  readonly connection: Connection;
  readonly digest: Digest;
  readonly memories: MemoryTable;
  readonly scopes: ScopeTable;
}

export function memoryRecords(connection: Connection, digest: Digest): MemoryRecords {
  const tables: Tables = {
    connection,
    digest,
    memories: memoryTable(connection),
    scopes: scopeTable(connection),
  };
  return {
    add: (memory, rules) => connection.write(() => addMemory(tables, memory, rules)),
    get: (tenant, id) =>
      connection.read(() => {
        const stored = tables.memories.find(tenant, id);
        return stored === null ? null : withVector(tables, stored);
      }),
    update: (key, patch, rules) =>
      connection.write(() => updateMemory(tables, { key, patch }, rules)),
    delete: (key, rules) => connection.write(() => deleteMemory(tables, key, rules)),
    nearest: (scopes, query) =>
      connection.read(() =>
        nearestMemories({ connection, scopes, query }).flatMap(({ tenant, id, cosine }) => {
          const stored = tables.memories.find(tenant, id);
          return stored === null ? [] : [{ memory: withVector(tables, stored), cosine }];
        }),
      ),
  };
}

function addMemory(tables: Tables, memory: Memory, rules: WriteRules): WriteOutcome<Memory> {
  if (tables.memories.find(memory.tenant, memory.id) !== null) {
    throw new VarveError('CONFLICT', 'There is a memory with this id.', {
      details: { id: memory.id },
    });
  }
  freeKey(tables, memory, rules);
  const { vector, ...fields } = memory;
  const stored: StoredMemory = { ...fields, counted: isLive(memory, rules.now) ? 1 : 0 };
  tables.memories.insert(stored);
  writeVector(tables.connection, stored, vector);
  return outcome(tables, { record: memory, change: additionOf(tables.digest, stored) }, rules);
}

/** A key belongs to one live memory; one that ended by itself yields to the new one. */
function freeKey(tables: Tables, memory: Memory, rules: WriteRules): void {
  if (memory.key === null || memory.state !== 'active') return;
  const [holder] = tables.memories.select(
    `tenant = ? AND layer = ? AND scope_id = ? AND key = ? AND state = 'active'`,
    [memory.tenant, memory.layer, memory.scopeId, memory.key],
  );
  if (holder === undefined) return;
  if (isLive(holder, rules.now)) {
    throw new VarveError('CONFLICT', 'The scope has a memory with this key.', {
      details: { id: holder.id },
    });
  }
  tables.memories.put({
    ...holder,
    state: 'superseded',
    supersededBy: memory.id,
    counted: 0,
    version: holder.version + 1,
    updatedAt: rules.now,
  });
  const change = removalOf(tables.digest, holder, null);
  if (change !== null) writeChange(tables.scopes, { scope: holder, change }, rules);
}

function updateMemory(
  tables: Tables,
  { key, patch }: { key: { tenant: string; id: string }; patch: MemoryPatch },
  rules: WriteRules,
): WriteOutcome<Memory> {
  const before = tables.memories.find(key.tenant, key.id);
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
  const after = patchedMemory(before, patch, rules.now);
  tables.memories.put(after);
  if (patch.content !== undefined) {
    removeVectors(tables.connection, before);
    writeVector(tables.connection, after, patch.content.vector);
  }
  const dropped = isReplaced(before.content, after.content)
    ? droppedSource(tables, before, 'SourceReplaced')
    : null;
  const change = replacementOf(tables.digest, { before, after }, dropped);
  return outcome(tables, { record: withVector(tables, after), change }, rules);
}

function deleteMemory(
  tables: Tables,
  key: { tenant: string; id: string },
  rules: WriteRules,
): WriteOutcome<Memory> | null {
  const stored = tables.memories.find(key.tenant, key.id);
  if (stored === null) return null;
  const record = withVector(tables, stored);
  tables.memories.remove(key.tenant, key.id);
  removeVectors(tables.connection, stored);
  const dropped = droppedSource(tables, stored, 'SourceDeleted');
  return outcome(tables, { record, change: removalOf(tables.digest, stored, dropped) }, rules);
}

function droppedSource(
  tables: Tables,
  memory: StoredMemory,
  reason: DroppedSource['reason'],
): DroppedSource | null {
  return isCited(tables.connection, memory) ? { id: memory.id, reason } : null;
}

function outcome(
  { scopes }: Tables,
  { record, change }: { record: Memory; change: ScopeChange | null },
  rules: WriteRules,
): WriteOutcome<Memory> {
  const scope =
    change === null
      ? scopeOrEmpty(scopes, record)
      : writeChange(scopes, { scope: record, change }, rules);
  return { record, scope };
}

function withVector({ connection }: Tables, stored: StoredMemory): Memory {
  const { counted: _, ...memory } = stored;
  return { ...memory, vector: readVector(connection, stored) };
}
