/**
 * A search of one scope. A scope that is small enough is in memory as a whole. For a larger one the
 * database returns candidates, which are then compared exactly (design 6.8):
 * - if few memories meet the conditions, all of them;
 * - otherwise those with the rarest terms of the query, and the nearest: by the vector index, or by
 *   comparing every vector if there is no index or it cannot handle these conditions.
 */
import { VarveError } from '#core/errors.ts';
import type { Scope } from '#core/scope.ts';
import { relatedWords } from '#core/search/related-words.ts';
import type { TermStatistics } from '#core/search/keyword-score.ts';
import { type IndexHit, createScopeIndex } from '#core/search/scope-index.ts';
import type {
  MemoryConditions,
  ScopeHits,
  ScopeQuery,
  SearchPath,
} from '#core/search/scope-search.ts';
import { scopeFilter, conditionsFilter } from '../filter-condition.ts';
import {
  type MemoryDocument,
  type MemoryDocuments,
  decodeMemory,
  memoryId,
} from '../memory-documents.ts';
import type { DocumentFilter } from '../memory-documents.ts';
import {
  FINDABLE,
  documentsWithoutContent,
  pagesWithoutContent,
  putDocument,
} from './documents-without-content.ts';
import type { IndexTables, ScopeIndexes } from './scope-indexes.ts';
import type { SearchBounds } from './search-bounds.ts';
import { unitedHits, type VectorHit, type VectorLeg } from '../vector-index/vector-leg.ts';
import type { Driver } from '#store/storage-driver.ts';
import { SCOPES, scopeKeyOf } from '#store/record-kinds-and-indexes.ts';

interface SearchTables extends IndexTables {
  readonly indexes: ScopeIndexes;
  readonly vectorLeg?: VectorLeg | undefined;
}

/**
 * Returns the best candidates of both legs.
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
  const candidates = await withMemories(tables, scope, hits, query.conditions);
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
  const within = { _id, ...scopeFilter(scope), ...conditionsFilter(query.conditions) };
  const documents = await documentsWithoutContent(memories, within, chosen.ids.length);
  const index = createScopeIndex({ conversation: false });
  for (const document of documents) putDocument(index, document);
  const statistics = await statisticsOf(tables, scope, counted, documents);
  const { hits, compared } = index.search(query, statistics);
  const candidates = await withMemories(tables, scope, hits, query.conditions);
  return { candidates, path: chosen.path, compared: Math.max(compared, chosen.compared) };
}

/** Terms of the query that the scope has; a missing term is replaced by words that answer it. */
async function countedWords(
  memories: SearchTables['memories'],
  scope: Scope,
  asked: readonly string[],
): Promise<readonly CountedTerm[]> {
  const counted = await countedTerms(memories, scope, asked);
  const known = new Set(counted.map(({ term }) => term));
  const others = asked.flatMap((term) => (known.has(term) ? [] : relatedWords(term)));
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
  const near = byIndex ?? (await nearestByScan(tables, scope, query));
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

/** All memories that meet the conditions; null if there are too many to compare. */
async function allMeeting(
  { memories, bounds: { candidatesMax } }: SearchTables,
  scope: Scope,
  { conditions }: ScopeQuery,
): Promise<readonly string[] | null> {
  const within = { ...scopeFilter(scope), ...conditionsFilter(conditions) };
  const found = await memories.select(within, { limit: candidatesMax + 1, fields: ['_id'] });
  return found.length > candidatesMax ? null : found.map(({ _id }) => _id.id);
}

/** Reads the memories of hits; a memory that changed meanwhile must still meet the conditions. */
async function withMemories(
  { memories }: SearchTables,
  scope: Scope,
  hits: readonly IndexHit[],
  conditions: MemoryConditions,
): Promise<ScopeHits['candidates']> {
  if (hits.length === 0) return [];
  const _id = { $in: hits.map(({ id }) => memoryId(scope.tenant, id)) };
  const within = { _id, ...scopeFilter(scope), ...conditionsFilter(conditions) };
  const found = await memories.select(within, { limit: hits.length });
  const byId = new Map(found.map((document) => [document._id.id, decodeMemory(document)]));
  return hits.flatMap(({ id, ...scores }) => {
    const memory = byId.get(id) ?? null;
    return memory === null ? [] : [{ memory, ...scores }];
  });
}

/**
 * Memories with terms of the query, those with the rarest term first: a memory with only common
 * terms is among the best only if none has a rarer one.
 */
async function keywordCandidates(
  { memories, bounds }: SearchTables,
  scope: Scope,
  { query, counted }: { query: ScopeQuery; counted: readonly CountedTerm[] },
): Promise<readonly string[]> {
  const found = new Set<string>();
  const within = { ...scopeFilter(scope), ...conditionsFilter(query.conditions) };
  const terms = counted.map(({ term }) => term);
  for (let at = 0; at < terms.length && found.size < bounds.candidatesMax; at += 1) {
    const limit = bounds.candidatesMax - found.size;
    const having = await preferred(memories, within, { terms: terms.slice(at), limit });
    for (const id of having) found.add(id);
  }
  return [...found].slice(0, bounds.candidatesMax);
}

/** Memories with the first term; if there are too many, first those that have the next term too. */
async function preferred(
  memories: MemoryDocuments,
  within: DocumentFilter,
  { terms, limit }: { terms: readonly string[]; limit: number },
): Promise<readonly string[]> {
  const [first = '', second] = terms;
  const ids = async (condition: DocumentFilter) => {
    const having = { $and: [within, condition] };
    const selection = { limit, fields: ['_id'], sort: { '_id.id': -1 } } as const;
    return (await memories.select(having, selection)).map(({ _id }) => _id.id);
  };
  const having = await ids({ terms: first });
  if (having.length < limit || second === undefined) return having;
  return [...(await ids({ terms: { $all: [first, second] } })), ...having];
}

/**
 * Finds the nearest by comparing the vectors of all memories that meet the conditions, page by
 * page.
 * @throws VarveError FILTER_TOO_BROAD if there are too many to compare one by one, INVALID_INPUT
 * for a vector of another length than those of its generation
 */
async function nearestByScan(
  { memories, bounds }: SearchTables,
  scope: Scope,
  query: ScopeQuery,
): Promise<Chosen> {
  if (query.vectors.length === 0) return { ids: [], path: 'CandidateIds', compared: 0 };
  const semantic: ScopeQuery = { ...query, terms: null };
  const generations = { $in: query.vectors.map(({ generation }) => generation) };
  const within = { ...scopeFilter(scope), ...conditionsFilter(query.conditions), generations };
  let best: readonly VectorHit[] = [];
  let compared = 0;
  for await (const page of pagesWithoutContent(memories, within, bounds.pageMax)) {
    compared += page.length;
    if (compared > bounds.scannedMax) throw tooBroad(bounds);
    const index = createScopeIndex({ conversation: false });
    for (const document of page) putDocument(index, { ...document, terms: [] });
    const hits = index.search(semantic).hits.flatMap(({ id, cosine }) => {
      return cosine === null ? [] : [{ id, cosine }];
    });
    best = unitedHits([best, hits], query.limit);
  }
  return { ids: best.map(({ id }) => id), path: 'ExactScan', compared };
}

function tooBroad({ scannedMax }: SearchBounds): VarveError {
  return new VarveError(
    'FILTER_TOO_BROAD',
    `More than ${scannedMax} memories of one scope would have to be compared one by one. Narrow ` +
      'the filter, add tags, or set up a vector index.',
    { details: { comparedMax: scannedMax } },
  );
}

// Term statistics for the keyword leg, of a scope that is not in memory as a whole.

/** Maximum distinct terms of a query that are looked up; the rest of a longer query is noise. */
const TERMS_MAX = 64;
/** Frequencies are counted up to here; for the score, a more frequent term makes no difference. */
const FREQUENCY_MAX = 20_000;

interface CountedTerm {
  readonly term: string;
  readonly frequency: number;
}

/** Distinct terms of a query that the scope has, the rarest first. */
async function countedTerms(
  memories: MemoryDocuments,
  scope: Scope,
  terms: readonly string[],
): Promise<readonly CountedTerm[]> {
  const wanted = [...new Set(terms)].slice(0, TERMS_MAX);
  const counted = await Promise.all(
    wanted.map(async (term) => {
      const having = { ...scopeFilter(scope), terms: term };
      return { term, frequency: await memories.count(having, FREQUENCY_MAX) };
    }),
  );
  return counted
    .filter(({ frequency }) => frequency > 0)
    .toSorted((a, b) => a.frequency - b.frequency || (a.term < b.term ? -1 : 1));
}

/** Uses the candidates' mean length, and their frequency of a term that was not counted. */
async function statisticsOf(
  { memories, driver }: { memories: MemoryDocuments; driver: Pick<Driver, 'get'> },
  scope: Scope,
  counted: readonly CountedTerm[],
  candidates: readonly MemoryDocument[],
): Promise<TermStatistics> {
  const frequencies = new Map(counted.map(({ term, frequency }) => [term, frequency]));
  const kept = (await driver.get(SCOPES, scopeKeyOf(scope)))?.sourceCount ?? 0;
  const some = await memories.count({ ...scopeFilter(scope), ...FINDABLE }, FREQUENCY_MAX);
  const length = candidates.reduce((sum, { terms }) => sum + terms.length, 0);
  return {
    documents: Math.max(kept, some),
    averageLength: candidates.length === 0 ? 0 : length / candidates.length,
    documentFrequency: (term) =>
      frequencies.get(term) ?? candidates.filter(({ terms }) => terms.includes(term)).length,
  };
}
