/** The semantic leg of a search by the vector index: complete, current, and within one scope. */
import { VarveError } from '#core/errors.ts';
import type { Scope } from '#core/scope.ts';
import type { MemoryConditions, QueryVector, ScopeQuery } from '#core/search/scope-search.ts';
import { cosine } from '#core/vector.ts';
import type { Driver } from '#store/storage-driver.ts';
import { scopeKeyOf, SCOPES } from '#store/record-kinds-and-indexes.ts';
import type { Connection } from '../connection.ts';
import { scopeFilter, conditionsFilter } from '../filter-condition.ts';
import { type MemoryDocuments, vectorOf, vectorPath } from '../memory-documents.ts';
import { vectorIndexName } from './index-definition.ts';
import { searchRows } from './search-command.ts';
import type { VectorIndexes } from './vector-indexes.ts';
import { Binary, type Document } from 'mongodb';

// Reads the latest writes from the collection: an index lags by seconds, but a writer must find its
// memory at once.

/**
 * How far an index may lag, including clock skew between hosts; mongot lags at least about two
 * seconds. An index that lags more is reported as stale, and is not used.
 */
const RECENT_MS = 60_000;
/** Recent memories that are compared one by one; with 1,536 dimensions about 6 MB. */
export const RECENT_MAX = 1_000;

/** Hits among recent memories; null if there are too many, as during an import. */
async function recentHits(
  memories: MemoryDocuments,
  scope: Scope,
  { query, conditions }: { query: QueryVector; conditions: MemoryConditions },
): Promise<readonly VectorHit[] | null> {
  const { generation, vector } = query;
  const path = vectorPath(generation);
  const condition = {
    ...scopeFilter(scope),
    ...conditionsFilter(conditions),
    'c.updatedAt': { $gt: conditions.now - RECENT_MS },
    [path]: { $exists: true },
  };
  const found = await memories.select(condition, { limit: RECENT_MAX + 1, fields: [path] });
  if (found.length > RECENT_MAX) return null;
  return found.flatMap((document) => {
    const own = vectorOf(document, generation);
    return own === null ? [] : [{ id: document._id.id, cosine: cosine(vector, Array.from(own)) }];
  });
}

/** Rows requested beyond the limit: some may be of memories deleted or changed meanwhile. */
const SPARE_ROWS = 32;
/** Growth of a second request when too few rows were left, up to the maximum allowed. */
const GROWTH = 8;

interface VectorLegTables {
  readonly connection: Connection;
  readonly indexes: VectorIndexes;
  readonly memories: MemoryDocuments;
  readonly driver: Pick<Driver, 'get'>;
}

type VectorAsk = Pick<VectorQuestion, 'conditions' | 'limit' | 'query'>;

/**
 * Returns the nearest memories of a scope, best first, up to the limit for each requested
 * generation. Null if the index cannot answer and vectors must be compared one by one: there is no
 * index yet, the filter is on metadata, or too much was written just now.
 * @throws VarveError INVALID_INPUT for a vector of another length than those of its generation
 */
export async function vectorLeg(
  tables: VectorLegTables,
  scope: Scope,
  { vectors, conditions, limit }: ScopeQuery,
): Promise<readonly VectorHit[] | null> {
  if (conditions.filter !== null || limit + SPARE_ROWS > CANDIDATES_MAX) return null;
  const answers = await Promise.all(
    vectors.map((query) => nearestOf(tables, scope, { query, conditions, limit })),
  );
  // A memory with vectors of both generations counts by the first, so that one comes last here.
  const found = answers.toReversed().filter((answer) => answer !== null);
  return found.length < answers.length ? null : unitedHits(found, limit * vectors.length);
}

async function nearestOf(
  tables: VectorLegTables,
  scope: Scope,
  ask: VectorAsk,
): Promise<readonly VectorHit[] | null> {
  const { indexes } = tables;
  const { generation, vector } = ask.query;
  const dimensions = indexes.dimensionsOf(generation) ?? (await storedLength(tables, scope, ask));
  if (dimensions === null) return [];
  if (dimensions !== vector.length) throw otherLength(dimensions, vector.length);
  if (!(await indexes.isUsable(generation, dimensions))) return null;
  const [recent, memoryCount] = await Promise.all([
    recentHits(tables.memories, scope, ask),
    countOf(tables, scope, ask.conditions),
  ]);
  if (recent === null) return null;
  const indexed = await indexedHits(tables, { scope, ...ask, memoryCount });
  if (indexed === null) return null;
  const isEmpty = indexed.length === 0 && memoryCount > recent.length;
  if (isEmpty && !(await indexes.isUsable(generation, dimensions, true))) return null;
  return unitedHits([indexed, recent], ask.limit);
}

/** Length of the scope's vectors of a generation; null if it has none. */
async function storedLength(
  { memories }: VectorLegTables,
  scope: Scope,
  { query: { generation } }: { query: QueryVector },
): Promise<number | null> {
  const fields = [vectorPath(generation)];
  const having = { ...scopeFilter(scope), generations: generation };
  const [found] = await memories.select(having, { limit: 1, fields });
  return found === undefined ? null : (vectorOf(found, generation)?.length ?? null);
}

/** Lower bound of the memories that a query concerns; exact if it decides how to ask the index. */
async function countOf(
  { memories, driver }: VectorLegTables,
  scope: Scope,
  { latestOnly }: MemoryConditions,
): Promise<number> {
  if (!latestOnly) return memories.count(scopeFilter(scope), EXACT_MEMORIES_MAX);
  return (await driver.get(SCOPES, scopeKeyOf(scope)))?.sourceCount ?? 0;
}

/**
 * Queries the index, and asks for more if too few rows are left: at most twice, the second time for
 * all that MongoDB allows. Null if the index refuses.
 */
async function indexedHits(
  { connection, indexes }: VectorLegTables,
  question: VectorQuestion,
): Promise<readonly VectorHit[] | null> {
  const first = question.limit + SPARE_ROWS;
  let hits: readonly VectorHit[] = [];
  for (const limit of [first, Math.min(first * GROWTH, CANDIDATES_MAX), CANDIDATES_MAX]) {
    const outcome = await searchRows(connection, vectorStages({ ...question, limit }));
    if (outcome.kind !== 'Answered') {
      indexes.forget(question.query.generation);
      return null;
    }
    hits = outcome.value.map((row) => ({
      id: String((row['_id'] as { id?: unknown }).id),
      cosine: cosineOfScore(Number(row['score'])),
    }));
    // A scope with fewer memories than requested rows has no more.
    if (hits.length >= question.limit || limit > 2 * question.memoryCount + SPARE_ROWS) break;
  }
  return hits;
}

/** The error for a query vector that does not fit the stored ones. */
function otherLength(expected: number, found: number): VarveError {
  const message =
    `The vector has ${String(found)} dimensions; its generation has ${String(expected)}. ` +
    'Embed the query with the model of the generation.';
  return new VarveError('INVALID_INPUT', message, { details: { expected, found } });
}

/** A memory that the semantic leg found. */
export interface VectorHit {
  readonly id: string;
  /** −1 to 1. */
  readonly cosine: number;
}

/**
 * Finds the nearest by an index of the database, whose scores are not relied on; null if it cannot
 * answer under these conditions.
 */
export type VectorLeg = (scope: Scope, query: ScopeQuery) => Promise<readonly VectorHit[] | null>;

/** Returns the best of all answers, up to `limit`, ties by id; of a repeated id the last counts. */
export function unitedHits(
  answers: readonly (readonly VectorHit[])[],
  limit: number,
): readonly VectorHit[] {
  const byId = new Map(answers.flat().map((hit) => [hit.id, hit]));
  return [...byId.values()].toSorted(compare).slice(0, limit);
}

/** Sorts nearer hits first. */
function compare(a: VectorHit, b: VectorHit): number {
  if (a.cosine !== b.cosine) return b.cosine - a.cosine;
  return a.id < b.id ? -1 : Number(a.id > b.id);
}

/** Converts MongoDB's score of a cosine index, 0 to 1, to the cosine. */
export function cosineOfScore(score: number): number {
  return Math.min(1, Math.max(-1, 2 * score - 1));
}

/** Below this many memories every vector of a scope is compared, for an exact result. */
export const EXACT_MEMORIES_MAX = 10_000;
/** MongoDB's advice for an approximate search, and its limits. */
const CANDIDATES_PER_ROW = 20;
export const CANDIDATES_MAX = 10_000;

interface VectorQuestion {
  readonly scope: Scope;
  readonly query: QueryVector;
  readonly conditions: MemoryConditions;
  /** Rows, at most `CANDIDATES_MAX`. */
  readonly limit: number;
  /** Approximate number of memories of the scope. */
  readonly memoryCount: number;
}

/**
 * Returns the pipeline: the nearest by the index, then their current state. The index may be
 * behind, so its filter selects candidates, and the match after it decides which to keep.
 */
export function vectorStages(question: VectorQuestion): readonly Document[] {
  const { scope, query, conditions, limit, memoryCount } = question;
  const path = vectorPath(query.generation);
  const search = {
    index: vectorIndexName(query.generation),
    path,
    queryVector: Binary.fromFloat32Array(Float32Array.from(query.vector)),
    limit,
    ...breadth(limit, memoryCount),
    filter: indexFilter(scope, conditions),
  };
  return [
    { $vectorSearch: search },
    { $set: { score: { $meta: 'vectorSearchScore' } } },
    {
      $match: { ...scopeFilter(scope), ...conditionsFilter(conditions), [path]: { $exists: true } },
    },
    { $project: { score: 1 } },
  ];
}

/**
 * Returns the conditions in the language of the index. Each means the same there and in a match: no
 * null, no empty list, one type in each list. A metadata filter is not included.
 * @throws VarveError CORRUPT for a scope with an empty name, which would not limit the query
 */
export function indexFilter(scope: Scope, conditions: MemoryConditions): Document {
  const { tenant, layer, scopeId } = scope;
  if ([tenant, layer, scopeId].some((name) => name === '')) {
    throw new VarveError('CORRUPT', 'A vector query has to name tenant, layer and scope.');
  }
  const { now, latestOnly, tags, kind } = conditions;
  const states = latestOnly ? ['active'] : ['active', 'superseded'];
  return {
    $and: [
      { '_id.tenant': { $eq: tenant } },
      { 'c.layer': { $eq: layer } },
      { 'c.scopeId': { $eq: scopeId } },
      { 'c.state': { $in: states } },
      { 'c.hiddenAt': { $gt: now } },
      ...(tags.length === 0 ? [] : [{ tags: { $in: [...tags] } }]),
      ...(kind === null ? [] : [{ 'c.kind': { $eq: kind } }]),
    ],
  };
}

/** Exact for a small scope; otherwise as many candidates as MongoDB advises and allows. */
function breadth(limit: number, memoryCount: number): Document {
  if (memoryCount < EXACT_MEMORIES_MAX) return { exact: true };
  return { numCandidates: Math.min(CANDIDATES_MAX, limit * CANDIDATES_PER_ROW) };
}
