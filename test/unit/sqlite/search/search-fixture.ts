/** A file with memories for tests of search, and the answers of a fresh index of the same rows. */
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Worker } from 'node:worker_threads';

import { hiddenFrom, meetsConditions } from '#core/search/memory-conditions.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Scope } from '#core/scope.ts';
import { createScopeIndex, indexEntryOf, type IndexHit } from '#core/search/scope-index.ts';
import type { MemoryConditions, ScopeHits, ScopeQuery } from '#core/search/scope-search.ts';
import { Connection } from '#providers/sqlite/connection.ts';
import { createTables } from '#providers/sqlite/record-tables.ts';
import { memoryRows } from '#providers/sqlite/memory-rows.ts';
import { migrate } from '#providers/sqlite/migrate.ts';
import {
  openSearch,
  type SearchOptions,
  type SearchRecords,
} from '#providers/sqlite/search/search-memories.ts';
import { MATCHES, matcher } from '#providers/sqlite/search/memory-list.ts';
import { removeTerms } from '#providers/sqlite/memory-terms.ts';
import { KINDS } from '#store/record-kinds-and-indexes.ts';
import { NOW } from '#test/conformance/samples.ts';
import { temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

export interface Vector {
  readonly generation: string;
  readonly vector: readonly number[];
}

/** A memory with what search keeps beside it. */
export interface Kept {
  readonly memory: Memory;
  readonly terms: readonly string[];
  readonly vectors: readonly Vector[];
}

/** On a busy machine a thread may take long to end, and is to end by itself all the same. */
const END_MS_MAX = 60_000;

export interface Opened extends AsyncDisposable {
  readonly file: string;
  readonly connection: Connection;
  readonly search: SearchRecords;
  /** Every thread that was started, in order. */
  readonly threads: readonly Worker[];
  /** Of every thread that is gone; 0 where it ended by itself, 1 where it was ended. */
  readonly exitCodes: readonly number[];
}

/** Opens a new file, or one that is there already. */
export async function openFile(
  options: Pick<SearchOptions, 'indexBytesMax' | 'keeping' | 'threadedFrom'> & {
    file?: string;
  } = {},
): Promise<Opened> {
  const temporary = options.file === undefined ? await temporaryFolder() : null;
  const file = options.file ?? path.join(temporary?.folder ?? '', 'varve.db');
  const connection = connect(file);
  await migrate(connection, () => NOW);
  await createTables(connection, KINDS);
  const threads: Worker[] = [];
  const exitCodes: number[] = [];
  const search = openSearch({
    connection,
    file,
    log: SILENT_LOG,
    busyTimeoutMs: 10_000,
    indexBytesMax: options.indexBytesMax,
    keeping: options.keeping,
    threadedFrom: options.threadedFrom ?? 0,
    endMsMax: END_MS_MAX,
    started: (worker) => {
      threads.push(worker);
      worker.on('exit', (exitCode) => void exitCodes.push(exitCode));
    },
  });
  return {
    file,
    connection,
    search,
    threads,
    exitCodes,
    async [Symbol.asyncDispose]() {
      await search.close();
      connection.close();
      await temporary?.[Symbol.asyncDispose]();
    },
  };
}

export function connect(file: string): Connection & Disposable {
  const database = new DatabaseSync(file, { timeout: 10_000 });
  const matches = matcher(() => {});
  database.function(MATCHES, { deterministic: true }, matches);
  const connection = new Connection(database, { fileName: 'varve.db', busyTimeoutMs: 10_000 });
  connection.script('PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF');
  return Object.assign(connection, { [Symbol.dispose]: () => connection.close() });
}

function rowsOf(connection: Connection) {
  const analyzer = { revision: 'test', terms: () => [] };
  return memoryRows(connection, { analyzer, clock: () => NOW });
}

/** Writes memories as the store does: rows, terms, vectors and touches in one transaction. */
export async function write(connection: Connection, kept: readonly Kept[]): Promise<void> {
  await connection.write(() => {
    for (const one of kept) writeOne(connection, one);
  });
}

function writeOne(connection: Connection, { memory, terms, vectors }: Kept): void {
  const { vector: _, ...rest } = memory;
  const historyStart = { version: memory.version, at: NOW, principal: 'test' };
  const stored = { ...rest, counted: true, historyStart, vectors: [] };
  const place = [memory.tenant, memory.layer, memory.scopeId, memory.id];
  rowsOf(connection).put([memory.tenant, memory.id], stored, 1);
  removeTerms(connection, memory);
  const ofTerms = 'INSERT INTO memory_terms VALUES (?, ?, ?, ?, ?, ?)';
  connection.run(ofTerms, [...place, 'test', terms.join(' ')]);
  removeVectors(connection, memory);
  for (const { generation, vector } of vectors) {
    const bytes = new Uint8Array(Float32Array.from(vector).buffer);
    const sql = 'INSERT INTO memory_vectors VALUES (?, ?, ?, ?, ?, ?)';
    connection.run(sql, [memory.tenant, generation, ...place.slice(1), bytes]);
  }
}

/** The same memory many times, with vectors on a circle, by statements that are quick. */
export async function writeMany(
  connection: Connection,
  { scope, count, generation }: { scope: Scope; count: number; generation: string },
): Promise<void> {
  const { tenant, layer, scopeId } = scope;
  const vector = (degrees: number) =>
    new Uint8Array(Float32Array.of(Math.cos(degrees), Math.sin(degrees)).buffer);
  await connection.write(() => {
    connection.run(
      `WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < ?)
       INSERT INTO memories (
         tenant, id, layer, scope_id, kind, state, content_hash, valid_from, revision,
         token_count, embedding_generation, record
       )
       SELECT ?, format('many-%08d', n), ?, ?, 'memory', 'active', '', ?, 1, 1, ?,
         '{"content":"Tea.","tags":[],"metadata":{}}'
       FROM counted`,
      [count, tenant, layer, scopeId, NOW, generation],
    );
    const ofScope = 'FROM memories WHERE tenant = ? AND layer = ? AND scope_id = ?';
    connection.run(
      `INSERT INTO memory_terms SELECT tenant, layer, scope_id, id, 'test', 'tea' ${ofScope}`,
      [tenant, layer, scopeId],
    );
    connection.run(
      `INSERT INTO memory_vectors
       SELECT tenant, ?, layer, scope_id, id, iif(id LIKE '%0', ?, ?) ${ofScope}`,
      [generation, vector(1), vector(2), tenant, layer, scopeId],
    );
    connection.run(
      `INSERT INTO memory_touches (tenant, layer, scope_id, seq, memory_id)
       SELECT tenant, layer, scope_id, row_number() OVER (ORDER BY id), id ${ofScope}`,
      [tenant, layer, scopeId],
    );
  });
}

export async function remove(connection: Connection, memory: Memory): Promise<void> {
  await connection.write(() => {
    rowsOf(connection).remove([memory.tenant, memory.id]);
    removeVectors(connection, memory);
  });
}

function removeVectors(connection: Connection, { tenant, id }: Memory): void {
  connection.run('DELETE FROM memory_vectors WHERE tenant = ? AND memory_id = ?', [tenant, id]);
}

/** What an index made of these memories alone answers. */
export function freshAnswer(kept: readonly Kept[], scope: Scope, query: ScopeQuery): Answer {
  const index = createScopeIndex({ conversation: scope.layer === 'session' });
  const ofScope = kept.filter(
    ({ memory }) =>
      memory.tenant === scope.tenant &&
      memory.layer === scope.layer &&
      memory.scopeId === scope.scopeId,
  );
  for (const { memory, terms, vectors } of ofScope) {
    const floats = vectors.map(({ generation, vector }) => ({
      generation,
      vector: Float32Array.from(vector),
    }));
    index.put(indexEntryOf(memory, { terms, vectors: floats }));
  }
  const { hits, compared } = index.search(query);
  return { hits: hits.map(rounded).toSorted(byId), compared };
}

export interface Answer {
  readonly hits: readonly IndexHit[];
  readonly compared: number;
}

/** What a search answered, in a form that can be compared. */
export function answerOf({ candidates, compared }: ScopeHits): Answer {
  const hits = candidates.map(({ memory: { id }, ...scores }) => rounded({ id, ...scores }));
  return { hits: hits.toSorted(byId), compared };
}

/** The ids that a list brings, by looking at every memory. */
export function listedOf(kept: readonly Kept[], conditions: MemoryConditions): readonly string[] {
  return kept
    .map(({ memory }) => memory)
    .filter((memory) => meetsConditions({ ...memory, endsAt: hiddenFrom(memory) }, conditions))
    .map(({ id }) => id)
    .toSorted();
}

/** Sums in another order differ in their last digits. */
export function rounded(hit: IndexHit): IndexHit {
  const round = (value: number | null) => (value === null ? null : Math.round(value * 1e9) / 1e9);
  return { ...hit, cosine: round(hit.cosine), keyword: round(hit.keyword) };
}

function byId(a: { id: string }, b: { id: string }): number {
  return a.id < b.id ? -1 : 1;
}
