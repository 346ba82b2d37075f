/**
 * The rows of memories. Vectors, terms and touches have their own tables, since searches read those
 * without the records.
 */
import { toNumbers } from '#core/to-numbers.ts';
import type { Clock } from '#core/ports/platform.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import {
  type FieldCondition,
  recordKind,
  type AnyKind,
  type Key,
  type RecordKind,
} from '#store/storage-driver.ts';
import { MEMORIES, type StoredMemory, type StoredVector } from '#store/record-kinds-and-indexes.ts';
import type { Connection } from './connection.ts';
import { releaseVectors } from './embedding-cache.ts';
import { openRows, snakeCase, type RecordRows } from './record-tables.ts';
import { noteErased } from './search/kept-index.ts';
import { removeTerms, writeTerms } from './memory-terms.ts';
import { leaveTouchGap, touch } from './memory-touches.ts';
import {
  floatsOf,
  storedGenerations,
  readBytes,
  removeVector,
  writeVector,
} from './memory-vectors.ts';

/** The part of a memory that is stored as JSON: all but its vectors. */
type Rest = Omit<StoredMemory, 'vectors'>;

export function memoryRows(
  connection: Connection,
  { analyzer, clock }: { analyzer: TextAnalyzer; clock: Clock },
): RecordRows<StoredMemory> {
  const rest = openRows<Rest>(connection, {
    ...MEMORIES,
    // Neither the key nor the columns use the vectors.
    key: MEMORIES.key as RecordKind<Rest>['key'],
    columns: MEMORIES.columns as unknown as RecordKind<Rest>['columns'],
  });
  const beforeOf = (key: Key): Rest | null => rest.find(key);
  const write = (memory: StoredMemory): void => {
    const { tenant, layer, scopeId, id } = memory;
    for (const own of vectorsOf(memory)) writeVector(connection, memory, own);
    touch(connection, { tenant, layer, scopeId, id });
  };
  return {
    ...rest,
    find(key) {
      const found = rest.find(key);
      return found === null ? null : { ...found, vectors: readVectors(connection, found) };
    },
    scan: (scan) => rest.scan(scan).map((memory) => ({ ...memory, vectors: null })),
    put(key, record, revision, isNew = false) {
      if (record === null) throw new RangeError('A memory is no anchor.');
      const before = isNew ? null : beforeOf(key);
      const { vectors: _, ...stored } = record;
      rest.put(key, stored, revision, isNew);
      if (before !== null && before.contentHash !== record.contentHash) {
        releaseVectors(connection, before, clock());
      } else if (before !== null) {
        dropVectors(connection, record);
      }
      if (before?.contentHash !== record.contentHash) writeTerms(connection, analyzer, record);
      write(record);
    },
    insert(record) {
      const { vectors: _, ...stored } = record;
      if (!rest.insert(stored)) return false;
      writeTerms(connection, analyzer, record);
      write(record);
      return true;
    },
    remove(key) {
      const before = beforeOf(key);
      if (before === null) return;
      rest.remove(key);
      releaseVectors(connection, before, clock());
      removeTerms(connection, before);
      touch(connection, before);
    },
  };
}

function vectorsOf({ vectors }: StoredMemory): readonly StoredVector[] {
  if (vectors === null) throw new RangeError('A memory is written with its vectors.');
  return vectors;
}

function readVectors(connection: Connection, memory: Rest): readonly StoredVector[] {
  return storedGenerations(connection, memory.tenant).flatMap((generation) => {
    const bytes = readBytes(connection, memory, generation);
    return bytes === null ? [] : [{ generation, vector: toNumbers(floatsOf(bytes)) }];
  });
}

/** Drops the vectors of generations that the memory no longer has. */
function dropVectors(connection: Connection, memory: StoredMemory): void {
  const kept = new Set(vectorsOf(memory).map(({ generation }) => generation));
  for (const generation of storedGenerations(connection, memory.tenant)) {
    if (!kept.has(generation)) removeVector(connection, memory, generation);
  }
}

/** Tables that the file has for a tenant's memories, besides the kinds of the store. */
export const MEMORY_SIDE_KINDS = [
  sideKind('memoryTerms', ['tenant', 'layer', 'scopeId', 'memoryId']),
  sideKind('memoryVectors', ['tenant', 'generation', 'layer', 'scopeId', 'memoryId']),
  sideKind('memoryIndexes', ['tenant', 'place', 'part']),
  sideKind('memoryTouches', ['tenant', 'layer', 'scopeId', 'seq']),
  sideKind('embeddingCache', ['tenant', 'generation', 'contentHash']),
] as const;

function sideKind(name: string, key: readonly string[]): AnyKind {
  return recordKind<Record<string, string>>({ name, key });
}

/** Returns rows of these tables; as kinds they are used for erasure only. */
export function sideRows(connection: Connection): Map<string, RecordRows<object>> {
  return new Map(
    MEMORY_SIDE_KINDS.map((kind) => {
      const rows = openRows<object>(connection, kind as RecordKind<object>);
      const before = BEFORE_ERASURE[kind.name];
      if (before === undefined) return [kind.name, rows];
      const erase: typeof rows.erase = (where, limit) => {
        before(connection, where, limit);
        return rows.erase(where, limit);
      };
      return [kind.name, { ...rows, erase }];
    }),
  );
}

/** Notes for search threads, written in the transaction of an erasure. */
const BEFORE_ERASURE: Readonly<
  Record<string, (connection: Connection, where: readonly FieldCondition[], limit: number) => void>
> = {
  memoryIndexes: (connection) => {
    noteErased(connection);
  },
  memoryTouches: (connection, where, limit) => {
    const columns = where.map(([column]) => snakeCase(column));
    const values = where.map(([, , value]) => String(value));
    leaveTouchGap(connection, { columns, values }, limit);
  },
};
