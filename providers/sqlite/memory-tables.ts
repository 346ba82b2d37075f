/** What every write of a memory works on, and the parts that all of them have. */
import type { Digest } from '#core/hash.ts';
import { memoryChange, type MemoryStep } from '#core/memory-history.ts';
import { isLive } from '#core/memory-state.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { WriteOutcome, WriteRules } from '#core/ports/write-rules.ts';
import type { MemoryChange } from '#core/records/memory-change.ts';
import type { Memory } from '#core/records/memory.ts';

import type { Connection } from './connection.ts';
import { memoryTable, type MemoryTable, type StoredMemory } from './memory-table.ts';
import { removalOf } from '#core/source-change.ts';
import { recordTable, type RecordTable } from './record-table.ts';
import { scopeFold, type ScopeFold } from './scope-fold.ts';
import { scopeTable, type ScopeTable } from './scope-table.ts';
import { touch } from './touches.ts';
import { readVector } from './vectors.ts';

export interface MemoryTables {
  readonly connection: Connection;
  readonly digest: Digest;
  readonly analyzer: TextAnalyzer;
  readonly memories: MemoryTable;
  readonly changes: RecordTable<MemoryChange>;
  readonly scopes: ScopeTable;
}

/** One write of one or several memories, within its transaction. */
export interface MemoryWrite<R extends WriteRules = WriteRules> {
  readonly tables: MemoryTables;
  readonly fold: ScopeFold;
  readonly rules: R;
}

export function memoryTables(
  connection: Connection,
  { digest, analyzer }: Pick<MemoryTables, 'digest' | 'analyzer'>,
): MemoryTables {
  return {
    connection,
    digest,
    analyzer,
    memories: memoryTable(connection),
    changes: recordTable<MemoryChange>(connection, {
      name: 'memory_changes',
      key: ['tenant', 'memory_id', 'version'],
      columns: { tenant: 'tenant', memory_id: 'memoryId', version: 'version' },
    }),
    scopes: scopeTable(connection),
  };
}

/** Runs a write; the scopes are folded once, after all of it. */
export function folded<R extends WriteRules, T>(
  tables: MemoryTables,
  rules: R,
  work: (write: MemoryWrite<R>) => (fold: ScopeFold) => T,
): Promise<T> {
  return tables.connection.writeWithDrafts(() => {
    const fold = scopeFold(tables, rules);
    const answer = work({ tables, fold, rules });
    fold.compute();
    const answered = answer(fold);
    // Last, since a draft is not taken back where the write fails.
    fold.keep();
    return answered;
  });
}

/** The answer to a write of a memory, once the scopes are written. */
export function outcomeOf(record: Memory): (fold: ScopeFold) => WriteOutcome<Memory> {
  return (fold) => ({ record, scope: fold.recordOf(record) });
}

/** Tells history and indexes what a write made of a memory; part of every write. */
export function recordStep({ tables, rules }: MemoryWrite, step: MemoryStep): void {
  const change = memoryChange(step, rules);
  tables.changes.put(change);
  const { tenant, layer, scopeId, memoryId: id } = change;
  touch(tables.connection, { tenant, layer, scopeId, id });
}

/** The memory that has a key of a scope. Only an active one has; it may have ended by itself. */
export function holderOf(
  { memories }: MemoryTables,
  { tenant, layer, scopeId }: Memory | StoredMemory,
  key: string,
): StoredMemory | null {
  const [holder] = memories.select(
    `tenant = ? AND layer = ? AND scope_id = ? AND key = ? AND state = 'active'`,
    [tenant, layer, scopeId, key],
  );
  return holder ?? null;
}

/** A holder of a key that ended by itself yields it to `by`. */
export function supersede(write: MemoryWrite, holder: StoredMemory, by: string): void {
  const { tables, fold, rules } = write;
  const after: StoredMemory = {
    ...holder,
    state: 'superseded',
    supersededBy: by,
    counted: 0,
    version: holder.version + 1,
    updatedAt: rules.now,
  };
  tables.memories.put(after);
  recordStep(write, { action: 'Superseded', before: holder, after });
  fold.add(holder, removalOf(tables.digest, holder, null));
}

export function isHeld(holder: StoredMemory | null, now: number): holder is StoredMemory {
  return holder !== null && isLive(holder, now);
}

export function withVector({ connection }: MemoryTables, stored: StoredMemory): Memory {
  const { counted: _, ...memory } = stored;
  return { ...memory, vector: readVector(connection, stored) };
}
