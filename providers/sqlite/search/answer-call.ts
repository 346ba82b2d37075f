/** Answers the calls of a search thread, or of the store itself if its database is in memory. */
import type { Connection } from '../connection.ts';
import type { IndexCache } from './index-cache.ts';
import { listedIds } from './memory-list.ts';
import type { CallOf, FoundIds, WorkerAnswers, WorkerCall } from './thread-messages.ts';
import { relatedWords } from '#core/search/related-words.ts';
import type { TermStatistics } from '#core/search/keyword-score.ts';
import { NEIGHBORS } from '#core/search/neighbor-scores.ts';
import type { Scope } from '#core/scope.ts';
import {
  type IndexAnswer,
  type IndexHit,
  createScopeIndex,
  putEntry,
  type IndexEntry,
  type ScopeIndex,
} from '#core/search/scope-index.ts';
import type { ScopeQuery } from '#core/search/scope-search.ts';
import { allTerms, countEntries, entriesFor } from './entry-rows.ts';
import { meetsConditions } from '#core/search/memory-conditions.ts';

/** Answers one call from one snapshot; call it in a `read` of the connection. */
export function answerCall(
  connection: Connection,
  cache: IndexCache,
  call: WorkerCall,
): WorkerAnswers[WorkerCall['kind']] {
  if (call.kind === 'List') return listedIds(connection, call.tenant, call.query);
  return search(connection, cache, call);
}

function search(connection: Connection, cache: IndexCache, call: CallOf<'Search'>): FoundIds {
  const index = cache.indexOf(call.scope);
  return index === null
    ? { ...scanScope(connection, call), path: 'ExactScan' }
    : { ...index.search(call.query), path: 'Memory' };
}

// A search of a scope that is too large to hold in memory. It reads and compares the whole scope
// page by page, with the scores that an index of the whole scope would give.

/** Memory of a page; much larger pages are no faster. */
const PAGE_BYTES_MAX = 16 * 1024 * 1024;

/**
 * Searches a scope. Call it in a `read`, so that all pages are of one snapshot.
 * @param pageBytesMax size of the index of one page; 16 MiB by default
 */
export function scanScope(
  connection: Connection,
  { scope, query }: { readonly scope: Scope; readonly query: ScopeQuery },
  pageBytesMax = PAGE_BYTES_MAX,
): IndexAnswer {
  const statistics = statisticsOf(connection, scope, query.terms ?? []);
  const margin = scope.layer === 'session' ? NEIGHBORS : 0;
  let hits: readonly IndexHit[] = [];
  let compared = 0;
  const take = (page: ScanPage, isLast: boolean): void => {
    const answer = page.search(query, statistics, isLast);
    hits = bestOfEachLeg([...hits, ...answer.hits], query.limit);
    compared += answer.compared;
  };
  let page = new ScanPage(margin, []);
  for (const entry of entriesFor(connection, scope, query)) {
    page.put(entry);
    if (page.bytes < pageBytesMax || !page.isComplete) continue;
    take(page, false);
    page = new ScanPage(margin, page.next);
  }
  take(page, true);
  return { hits, compared };
}

/** Counts how often the terms of the query occur in the whole scope. */
function statisticsOf(
  connection: Connection,
  scope: Scope,
  query: readonly string[],
): TermStatistics {
  const documents = countEntries(connection, scope);
  const wanted = [...query, ...query.flatMap(relatedWords)];
  const frequencies = new Map(wanted.map((term) => [term, 0]));
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

/** Returns the best hits of each leg; ties by id. */
function bestOfEachLeg(hits: readonly IndexHit[], limit: number): readonly IndexHit[] {
  const leg = (score: (hit: IndexHit) => number | null): readonly IndexHit[] =>
    hits
      .filter((hit) => score(hit) !== null)
      .toSorted((a, b) => (score(b) ?? 0) - (score(a) ?? 0) || (a.id < b.id ? -1 : 1))
      .slice(0, limit);
  const best = new Set([...leg((hit) => hit.cosine), ...leg((hit) => hit.keyword)]);
  return [...best].toSorted((a, b) => (a.id < b.id ? -1 : 1));
}

/**
 * One page of a scan: an index of some entries of a scope.
 *
 * In a conversation the score of an entry includes its neighbors. So a page has a margin of entries
 * that serve only as neighbors. Its own hits in the margin are left out; the page before or after
 * reports them, since it has their neighbors too.
 */
class ScanPage {
  readonly #margin: number;
  readonly #index: ScopeIndex;
  readonly #before: readonly IndexEntry[];
  /** The entries that the next page begins with. */
  readonly next: IndexEntry[] = [];

  /**
   * @param margin entries before and after; 0 if their order has no meaning
   * @param begin `next` of the previous page; empty for the first page, which has no margin before
   * it
   */
  constructor(margin: number, begin: readonly IndexEntry[]) {
    this.#margin = margin;
    this.#index = createScopeIndex({ conversation: margin > 0 });
    this.#before = begin.slice(0, margin);
    for (const entry of begin) this.put(entry);
  }

  get bytes(): number {
    return this.#index.bytes;
  }

  /** Whether it has entries between its margins. */
  get isComplete(): boolean {
    return this.#index.size > 2 * this.#margin;
  }

  put(entry: IndexEntry): void {
    putEntry(this.#index, entry);
    if (this.#margin === 0) return;
    this.next.push(entry);
    if (this.next.length > 2 * this.#margin) this.next.shift();
  }

  /** @param isLast true if nothing follows, so that there is no margin at the end */
  search(query: ScopeQuery, statistics: TermStatistics, isLast: boolean): IndexAnswer {
    const after = isLast ? [] : this.next.slice(this.#margin);
    const margins = [...this.#before, ...after];
    const ids = new Set(margins.map(({ id }) => id));
    // Ask for as many more as may be left out again.
    const limit = query.limit + margins.length;
    const { hits, compared } = this.#index.search({ ...query, limit }, statistics);
    const inMargins = margins.filter((entry) => meetsConditions(entry, query.conditions));
    return {
      hits: hits.filter(({ id }) => !ids.has(id)),
      compared: compared - inMargins.length,
    };
  }
}
