/**
 * A search of a scope that is too large to be held: all of it is read and compared, a page at a
 * time, with the scores that an index of the whole scope would give.
 */
import { NEIGHBOURS } from '#core/search/conversation.ts';
import type { Scope } from '#core/scope.ts';
import type { IndexAnswer, IndexHit, TermStatistics } from '#core/search/scope-index.ts';
import type { ScopeQuery } from '#core/search/scope-search.ts';

import type { Connection } from '../connection.ts';
import { allTerms, countEntries, entriesFor } from './entry-rows.ts';
import { createScanPage, type ScanPage } from './scan-page.ts';

/** What a page takes in memory; much larger pages are no faster. */
const PAGE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * To be called in a `read`, so that all pages are of one snapshot.
 * @param pageBytesMax of the index of one page; 16 MiB
 */
export function scanScope(
  connection: Connection,
  { scope, query }: { readonly scope: Scope; readonly query: ScopeQuery },
  pageBytesMax = PAGE_BYTES_MAX,
): IndexAnswer {
  const asked = { query, statistics: statisticsOf(connection, scope, query.terms ?? []) };
  const margin = scope.layer === 'session' ? NEIGHBOURS : 0;
  let hits: readonly IndexHit[] = [];
  let compared = 0;
  const take = (page: ScanPage, isLast: boolean): void => {
    const answer = page.search(asked, isLast);
    hits = bestOf([...hits, ...answer.hits], query.limit);
    compared += answer.compared;
  };
  let page = createScanPage(margin, []);
  for (const entry of entriesFor(connection, scope, query)) {
    page.put(entry);
    if (page.bytes < pageBytesMax || !page.isComplete) continue;
    take(page, false);
    page = createScanPage(margin, page.next);
  }
  take(page, true);
  return { hits, compared };
}

/** How often the terms of the query occur in the whole scope. */
function statisticsOf(
  connection: Connection,
  scope: Scope,
  query: readonly string[],
): TermStatistics {
  const documents = countEntries(connection, scope);
  const frequencies = new Map(query.map((term) => [term, 0]));
  let length = 0;
  for (const terms of query.length === 0 ? [] : allTerms(connection, scope)) {
    length += terms.length;
    for (const term of new Set(terms)) {
      const frequency = frequencies.get(term);
      if (frequency !== undefined) frequencies.set(term, frequency + 1);
    }
  }
  return {
    documents,
    averageLength: documents === 0 ? 0 : length / documents,
    documentFrequency: (term) => frequencies.get(term) ?? 0,
  };
}

/** The best of each leg; equally good ones by id. */
function bestOf(hits: readonly IndexHit[], limit: number): readonly IndexHit[] {
  const leg = (score: (hit: IndexHit) => number | null): readonly IndexHit[] =>
    hits
      .filter((hit) => score(hit) !== null)
      .toSorted((a, b) => (score(b) ?? 0) - (score(a) ?? 0) || (a.id < b.id ? -1 : 1))
      .slice(0, limit);
  const best = new Set([...leg((hit) => hit.cosine), ...leg((hit) => hit.keyword)]);
  return [...best].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}
