/** Ids of memories that a search of a large scope compares exactly. */
import { createScopeIndex } from '#core/search/scope-index.ts';
import type { ScopeQuery } from '#core/search/scope-search.ts';
import { VarveError } from '#core/errors.ts';
import type { Scope } from '#core/scope.ts';

import { inScope, meeting } from '../filter-condition.ts';
import type { MemoryDocuments } from '../memory-documents.ts';
import type { Condition } from '../table.ts';
import { lightPages, putDocument } from './light-document.ts';
import type { SearchBounds } from './search-bounds.ts';
import type { CountedTerm } from './term-statistics.ts';

interface Tables {
  readonly memories: MemoryDocuments;
  readonly bounds: SearchBounds;
}

/**
 * Memories with terms of the query, those with the rarest first: what has only a term that so many
 * others have is among the best only where nothing rarer is.
 */
export async function keywordCandidates(
  { memories, bounds }: Tables,
  scope: Scope,
  { query, counted }: { query: ScopeQuery; counted: readonly CountedTerm[] },
): Promise<readonly string[]> {
  const found = new Set<string>();
  const within = { ...inScope(scope), ...meeting(query.conditions) };
  const terms = counted.map(({ term }) => term);
  for (let at = 0; at < terms.length && found.size < bounds.candidatesMax; at += 1) {
    const limit = bounds.candidatesMax - found.size;
    const having = await preferred(memories, within, { terms: terms.slice(at), limit });
    for (const id of having) found.add(id);
  }
  return [...found].slice(0, bounds.candidatesMax);
}

/** Those with the first term; where they are too many, first those that have the next one too. */
async function preferred(
  memories: MemoryDocuments,
  within: Condition,
  { terms, limit }: { terms: readonly string[]; limit: number },
): Promise<readonly string[]> {
  const [first = '', second] = terms;
  const ids = async (condition: Condition) => {
    const having = { $and: [within, condition] };
    const selection = { limit, fields: ['_id'], sort: { '_id.id': -1 } } as const;
    return (await memories.select(having, selection)).map(({ _id }) => _id.id);
  };
  const having = await ids({ terms: first });
  if (having.length < limit || second === undefined) return having;
  return [...(await ids({ terms: { $all: [first, second] } })), ...having];
}

export interface Scanned {
  readonly ids: readonly string[];
  readonly compared: number;
}

/**
 * The nearest by a look at every vector that meets the conditions, page by page.
 * @throws VarveError FILTER_TOO_BROAD for more memories than are compared one by one,
 * INVALID_INPUT for a vector of another length than those of its generation
 */
export async function nearestByScan(
  { memories, bounds }: Tables,
  scope: Scope,
  query: ScopeQuery,
): Promise<Scanned> {
  const semantic: ScopeQuery = { ...query, terms: null };
  const generations = { $in: query.vectors.map(({ generation }) => generation) };
  const within = { ...inScope(scope), ...meeting(query.conditions), generations };
  let best: { readonly id: string; readonly cosine: number }[] = [];
  let compared = 0;
  for await (const page of lightPages(memories, within, bounds.pageMax)) {
    compared += page.length;
    if (compared > bounds.scannedMax) throw tooBroad(bounds);
    const index = createScopeIndex({ conversation: false });
    for (const document of page) putDocument(index, { ...document, terms: [] });
    const hits = index.search(semantic).hits.flatMap(({ id, cosine }) => {
      return cosine === null ? [] : [{ id, cosine }];
    });
    best = [...best, ...hits]
      .toSorted((a, b) => b.cosine - a.cosine || (a.id < b.id ? -1 : 1))
      .slice(0, query.limit);
  }
  return { ids: best.map(({ id }) => id), compared };
}

function tooBroad({ scannedMax }: SearchBounds): VarveError {
  return new VarveError(
    'FILTER_TOO_BROAD',
    `More than ${scannedMax} memories of one scope would have to be compared one by one. Narrow ` +
      'the filter, add tags, or set up a vector index.',
    { details: { comparedMax: scannedMax } },
  );
}
