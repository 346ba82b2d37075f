/** Reads what an index needs of the memories of a scope from their rows. */
import { chunked } from '#core/chunks-and-pages.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Scope } from '#core/scope.ts';
import { NO_METADATA, NO_TAGS } from '#core/search/scope-entries.ts';
import {
  indexEntryOf,
  putEntry,
  type IndexEntry,
  type ScopeIndex,
} from '#core/search/scope-index.ts';
import type { ScopeQuery } from '#core/search/scope-search.ts';
import { scopeColumnValues } from '../memory-touches.ts';
import type { Connection, Parameters, Row } from '../connection.ts';
import { PAGE_ROWS } from '#core/search/vector-table.ts';
import { parsedRecord } from '#store/record-and-schema-checks.ts';
import type { VectorRows } from '#core/search/vector-rows.ts';
import { floatsOf, storedGenerations, rowsOfBlobs } from '../memory-vectors.ts';

/** Maximum entries named in one query; more would only make the JSON long. */
const IDS_PER_QUERY_MAX = 500;

/** A memory has one row for each of its vectors, or one row if it has none. */
const ENTRIES = `
  SELECT m.id AS id, m.kind AS kind, m.state AS state, m.valid_from AS valid_from,
    m.valid_to AS valid_to, m.expires_at AS expires_at,
    m.record ->> '$.tags' AS tags, m.record ->> '$.metadata' AS metadata,
    t.terms AS terms, v.generation AS generation, v.vector AS vector
  FROM memories m
  LEFT JOIN memory_terms t ON t.tenant = m.tenant AND t.layer = m.layer
    AND t.scope_id = m.scope_id AND t.memory_id = m.id
  LEFT JOIN memory_vectors v ON v.tenant = m.tenant
    AND v.generation IN (SELECT value FROM json_each(?))
    AND v.layer = m.layer AND v.scope_id = m.scope_id AND v.memory_id = m.id
  WHERE m.tenant = ? AND m.layer = ? AND m.scope_id = ?`;

const COUNT = `
  SELECT count(*) AS n FROM (
    SELECT 1 FROM memories WHERE tenant = ? AND layer = ? AND scope_id = ? LIMIT ?
  )`;

/** No limit, for SQLite. */
const ALL = -1;

const TERMS = `
  SELECT terms FROM memory_terms WHERE tenant = ? AND layer = ? AND scope_id = ?`;

const IN_CONVERSATION = `
  SELECT id FROM memories WHERE tenant = ? AND layer = ? AND scope_id = ? ORDER BY valid_from, id`;

/**
 * A page of vectors in one row, concatenated in the order of their ids: a row for each would take
 * three times as long. SQLite concatenates blobs byte by byte.
 */
const VECTORS = `
  SELECT group_concat(memory_id, ' ') AS ids, max(memory_id) AS last,
    json_group_array(length(vector)) AS lengths,
    CAST(group_concat(vector, '') AS BLOB) AS vectors
  FROM (
    SELECT memory_id, vector FROM memory_vectors
    WHERE tenant = ? AND generation = ? AND layer = ? AND scope_id = ? AND memory_id > ?
    ORDER BY memory_id LIMIT ${PAGE_ROWS}
  )`;

const ALL_ENTRIES = `${ENTRIES} ORDER BY m.id`;
const SOME_ENTRIES = `${ENTRIES} AND m.id IN (SELECT value FROM json_each(?)) ORDER BY m.id`;

/** Statements of this file, exported for a test of how SQLite finds their rows. */
export const ENTRY_STATEMENTS = [
  COUNT,
  TERMS,
  IN_CONVERSATION,
  VECTORS,
  ALL_ENTRIES,
  SOME_ENTRIES,
] as const;

/** Yields every entry of a scope in the order of ids; only one such read at a time. */
export function* allEntries(connection: Connection, scope: Scope): Generator<IndexEntry> {
  const generations = JSON.stringify(storedGenerations(connection, scope.tenant));
  yield* readEntries(connection, ALL_ENTRIES, [generations, ...scopeColumnValues(scope)]);
}

/**
 * Like `allEntries`, with only the parts of an entry that the legs of a query use. Entries of a
 * session are in the order of the conversation.
 */
export function* entriesFor(
  connection: Connection,
  scope: Scope,
  { terms, vectors }: Pick<ScopeQuery, 'terms' | 'vectors'>,
): Generator<IndexEntry> {
  const generations = vectors.map(({ generation }) => generation);
  const entries =
    scope.layer === 'session'
      ? entriesInConversation(connection, scope, generations)
      : readEntries(connection, ALL_ENTRIES, [
          JSON.stringify(generations),
          ...scopeColumnValues(scope),
        ]);
  for (const entry of entries) yield terms === null ? { ...entry, terms: [] } : entry;
}

/** Yields the existing entries of the given ids, in no particular order. */
export function* someEntries(
  connection: Connection,
  scope: Scope,
  { ids, generations }: { ids: readonly string[]; generations?: readonly string[] },
): Generator<IndexEntry> {
  const asked = JSON.stringify(generations ?? storedGenerations(connection, scope.tenant));
  for (const some of chunked(ids, IDS_PER_QUERY_MAX).map((each) => JSON.stringify(each))) {
    yield* readEntries(connection, SOME_ENTRIES, [asked, ...scopeColumnValues(scope), some]);
  }
}

/** Yields the terms of every memory of a scope; only one such read at a time. */
export function* allTerms(connection: Connection, scope: Scope): Generator<readonly string[]> {
  for (const row of connection.iterate(TERMS, scopeColumnValues(scope))) {
    yield termsOf(row['terms']);
  }
}

/** Gives the entries of an index their vectors; vectors that are not of length 1 one by one. */
export function putAllVectors(connection: Connection, scope: Scope, index: ScopeIndex): void {
  for (const generation of storedGenerations(connection, scope.tenant)) {
    for (const { ids, rows } of vectorPages(connection, scope, generation)) {
      if (rows !== null && index.putVectors(ids, generation, rows)) continue;
      for (const entry of someEntries(connection, scope, { ids })) putEntry(index, entry);
    }
  }
}

interface VectorPage {
  readonly ids: readonly string[];
  /** Null if their lengths differ. */
  readonly rows: VectorRows | null;
}

function* vectorPages(
  connection: Connection,
  { tenant, layer, scopeId }: Scope,
  generation: string,
): Generator<VectorPage> {
  for (let after = ''; ;) {
    const place = [tenant, generation, layer, scopeId, after];
    const [row] = connection.iterate(VECTORS, place);
    const { ids, last, lengths, vectors } = row ?? {};
    if (!(vectors instanceof Uint8Array)) return;
    const rows = rowsOfBlobs(vectors, parsedRecord('memories', lengths) as readonly number[]);
    // No id contains a space.
    yield { ids: String(ids).split(' '), rows };
    after = String(last);
  }
}

/** Counts the memories of a scope, in any state, up to `most` if given. */
export function countEntries(connection: Connection, scope: Scope, most = ALL): number {
  return Number(connection.first(COUNT, [...scopeColumnValues(scope), most])?.['n']);
}

function* entriesInConversation(
  connection: Connection,
  scope: Scope,
  generations: readonly string[],
): Generator<IndexEntry> {
  let ids: string[] = [];
  const read = (): readonly IndexEntry[] => {
    const found = new Map<string, IndexEntry>();
    for (const entry of someEntries(connection, scope, { ids, generations })) {
      found.set(entry.id, entry);
    }
    return ids.flatMap((id) => found.get(id) ?? []);
  };
  for (const row of connection.iterate(IN_CONVERSATION, scopeColumnValues(scope))) {
    ids.push(String(row['id']));
    if (ids.length < IDS_PER_QUERY_MAX) continue;
    yield* read();
    ids = [];
  }
  yield* read();
}

function* readEntries(
  connection: Connection,
  sql: string,
  parameters: Parameters,
): Generator<IndexEntry> {
  let open: { entry: IndexEntry; vectors: IndexEntry['vectors'][number][] } | null = null;
  for (const row of connection.iterate(sql, parameters)) {
    if (open === null || open.entry.id !== row['id']) {
      if (open !== null) yield open.entry;
      const vectors: IndexEntry['vectors'][number][] = [];
      open = { entry: entryOf(row, vectors), vectors };
    }
    const { generation, vector } = row;
    if (vector instanceof Uint8Array) {
      open.vectors.push({ generation: String(generation), vector: floatsOf(vector) });
    }
  }
  if (open !== null) yield open.entry;
}

/** Rows were written from parsed records, so the casts are safe. */
function entryOf(row: Row, vectors: IndexEntry['vectors']): IndexEntry {
  const memory = {
    id: String(row['id']),
    kind: row['kind'] as Memory['kind'],
    state: row['state'] as Memory['state'],
    tags:
      row['tags'] === '[]' ? NO_TAGS : (parsedRecord('memories', row['tags']) as Memory['tags']),
    metadata:
      row['metadata'] === '{}'
        ? NO_METADATA
        : (parsedRecord('memories', row['metadata']) as Memory['metadata']),
    validFrom: Number(row['valid_from']),
    validTo: row['valid_to'] as number | null,
    expiresAt: row['expires_at'] as number | null,
  };
  return indexEntryOf(memory, { terms: termsOf(row['terms']), vectors });
}

/** Terms are stored joined by spaces, which no term contains. */
function termsOf(joined: unknown): readonly string[] {
  return typeof joined === 'string' && joined !== '' ? joined.split(' ') : [];
}
