/** One query of a vector index: tenant, layer and scope are always part of it. */
import { Binary, type Document } from 'mongodb';

import { VarveError } from '#core/errors.ts';
import type { Scope } from '#core/scope.ts';
import type { MemoryConditions, QueryVector } from '#core/search/scope-search.ts';

import { inScope, meeting } from '../filter-condition.ts';
import { vectorPath } from '../vectors.ts';
import { vectorIndexName } from './definition.ts';

/** Below this many memories every vector of a scope is compared, which loses nothing. */
export const EXACT_MEMORIES_MAX = 10_000;
/** MongoDB's advice for an approximate search, and its limits. */
const CANDIDATES_PER_ROW = 20;
export const CANDIDATES_MAX = 10_000;

export interface VectorQuestion {
  readonly scope: Scope;
  readonly query: QueryVector;
  readonly conditions: MemoryConditions;
  /** Rows, at most `CANDIDATES_MAX`. */
  readonly limit: number;
  /** Memories of the scope, about. */
  readonly memoryCount: number;
}

/**
 * The pipeline: the nearest by the index, then what they are by now. The index may be behind, so
 * its filter decides which come up and the match after it which are kept.
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
    { $match: { ...inScope(scope), ...meeting(conditions), [path]: { $exists: true } } },
    { $project: { score: 1 } },
  ];
}

/**
 * The conditions in the language of the index. Each is written so that its meaning there and in a
 * match is the same: no null, no empty list, one type in each list. A metadata filter is no part of
 * it.
 * @throws VarveError CORRUPT for a scope without a name, which would be no scope
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

/** Exact where a scope is small; else as many candidates as are allowed and advised. */
function breadth(limit: number, memoryCount: number): Document {
  if (memoryCount < EXACT_MEMORIES_MAX) return { exact: true };
  return { numCandidates: Math.min(CANDIDATES_MAX, limit * CANDIDATES_PER_ROW) };
}
