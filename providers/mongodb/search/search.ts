/**
 * A search of one scope. A scope that is small enough is in memory as a whole. Of a larger one the
 * database names candidates, which are then compared exactly (design 6.8):
 * - where few meet the conditions, all of those;
 * - else those with the rarest terms of the query, and the nearest by the vector index or, where
 *   there is none or it can't answer these conditions, by a look at every vector.
 */
import { everydayTerms } from '#core/search/everyday-words.ts';
import { createScopeIndex, type IndexHit } from '#core/search/scope-index.ts';
import type {
  MemoryConditions,
  ScopeHits,
  ScopeQuery,
  SearchPath,
} from '#core/search/scope-search.ts';
import type { Scope } from '#core/scope.ts';

import { inScope, meeting } from '../filter-condition.ts';
import { decodeMemory, memoryId } from '../memory-documents.ts';
import { keywordCandidates, nearestByScan } from './candidates.ts';
import { lightDocuments, putDocument } from './light-document.ts';
import type { IndexTables, ScopeIndexes } from './scope-indexes.ts';
import { countedTerms, statisticsOf, type CountedTerm } from './term-statistics.ts';

/** What a vector index of the database says; its scores are not relied on, only its choice. */
export interface VectorCandidate {
  readonly id: string;
  readonly cosine: number;
}

/** The nearest by an index of the database; null where it can't answer under these conditions. */
export type VectorLeg = (
  scope: Scope,
  query: ScopeQuery,
) => Promise<readonly VectorCandidate[] | null>;

export interface SearchTables extends IndexTables {
  readonly indexes: ScopeIndexes;
  readonly vectorLeg?: VectorLeg | undefined;
}

/**
 * The best candidates of both legs.
 * @throws VarveError INVALID_INPUT for a vector of another length than those of its generation,
 * FILTER_TOO_BROAD
 */
export async function searchScope(
  tables: SearchTables,
  scope: Scope,
  query: ScopeQuery,
): Promise<ScopeHits> {
  const index = await tables.indexes.of(scope);
  if (index === null) return searchLarge(tables, scope, query);
  const { hits, compared } = index.search(query);
  const candidates = await withMemories(tables, { scope, hits }, query.conditions);
  return { candidates, path: 'Memory', compared };
}

interface Chosen {
  readonly ids: readonly string[];
  readonly path: SearchPath;
  readonly compared: number;
}

async function searchLarge(
  tables: SearchTables,
  scope: Scope,
  query: ScopeQuery,
): Promise<ScopeHits> {
  const { memories } = tables;
  const counted = await countedWords(memories, scope, query.terms ?? []);
  const chosen = await choose(tables, scope, { query, counted });
  const _id = { $in: chosen.ids.map((id) => memoryId(scope.tenant, id)) };
  const within = { _id, ...inScope(scope), ...meeting(query.conditions) };
  const documents = await lightDocuments(memories, within, chosen.ids.length);
  const index = createScopeIndex({ conversation: false });
  for (const document of documents) putDocument(index, document);
  const statistics = await statisticsOf(tables, scope, { counted, candidates: documents });
  const { hits, compared } = index.search(query, statistics);
  const candidates = await withMemories(tables, { scope, hits }, query.conditions);
  return { candidates, path: chosen.path, compared: Math.max(compared, chosen.compared) };
}

/** Terms of the query that the scope has; for one that it has not, words that answer it. */
async function countedWords(
  memories: SearchTables['memories'],
  scope: Scope,
  asked: readonly string[],
): Promise<readonly CountedTerm[]> {
  const counted = await countedTerms(memories, scope, asked);
  const known = new Set(counted.map(({ term }) => term));
  const others = asked.flatMap((term) => (known.has(term) ? [] : everydayTerms(term)));
  const more = others.filter((term) => !known.has(term));
  return more.length === 0 ? counted : [...counted, ...(await countedTerms(memories, scope, more))];
}

async function choose(
  tables: SearchTables,
  scope: Scope,
  { query, counted }: { query: ScopeQuery; counted: readonly CountedTerm[] },
): Promise<Chosen> {
  const byIndex = await askIndex(tables, scope, query);
  const few = byIndex === null ? await allMeeting(tables, scope, query) : null;
  if (few !== null) return { ids: few, path: 'CandidateIds', compared: few.length };
  const worded = await keywordCandidates(tables, scope, { query, counted });
  const near = byIndex ?? (await scanned(tables, scope, query));
  const ids = [...new Set([...worded, ...near.ids])];
  return { ids, path: near.path, compared: Math.max(ids.length, near.compared) };
}

async function askIndex(
  { vectorLeg }: SearchTables,
  scope: Scope,
  query: ScopeQuery,
): Promise<Chosen | null> {
  if (vectorLeg === undefined || query.vectors.length === 0) return null;
  const found = await vectorLeg(scope, query);
  if (found === null) return null;
  return { ids: found.map(({ id }) => id), path: 'VectorIndex', compared: found.length };
}

/** Null where more meet the conditions than are compared as candidates. */
async function allMeeting(
  { memories, bounds: { candidatesMax } }: SearchTables,
  scope: Scope,
  { conditions }: ScopeQuery,
): Promise<readonly string[] | null> {
  const within = { ...inScope(scope), ...meeting(conditions) };
  const found = await memories.select(within, { limit: candidatesMax + 1, fields: ['_id'] });
  return found.length > candidatesMax ? null : found.map(({ _id }) => _id.id);
}

async function scanned(tables: SearchTables, scope: Scope, query: ScopeQuery): Promise<Chosen> {
  if (query.vectors.length === 0) return { ids: [], path: 'CandidateIds', compared: 0 };
  return { ...(await nearestByScan(tables, scope, query)), path: 'ExactScan' };
}

/** What was changed since the index was asked has to meet the conditions still. */
async function withMemories(
  { memories }: SearchTables,
  { scope, hits }: { scope: Scope; hits: readonly IndexHit[] },
  conditions: MemoryConditions,
): Promise<ScopeHits['candidates']> {
  if (hits.length === 0) return [];
  const _id = { $in: hits.map(({ id }) => memoryId(scope.tenant, id)) };
  const within = { _id, ...inScope(scope), ...meeting(conditions) };
  const found = await memories.select(within, { limit: hits.length });
  const byId = new Map(found.map((document) => [document._id.id, decodeMemory(document)]));
  return hits.flatMap(({ id, ...scores }) => {
    const memory = byId.get(id) ?? null;
    return memory === null ? [] : [{ memory, ...scores }];
  });
}
