/**
 * One page of a scan: an index of some entries of a scope.
 *
 * In a conversation the score of an entry takes in its neighbours. So a page has a margin of
 * entries that are there to be neighbours only: what it says of them itself is left out, and said
 * by the page before or after, where their own neighbours are.
 */
import { meetsConditions } from '#core/search/conditions.ts';
import {
  createScopeIndex,
  type IndexAnswer,
  type IndexEntry,
  type TermStatistics,
} from '#core/search/scope-index.ts';
import type { ScopeQuery } from '#core/search/scope-search.ts';

import { putEntry } from './entry-rows.ts';

interface Asked {
  readonly query: ScopeQuery;
  /** Of the whole scope. */
  readonly statistics: TermStatistics;
}

export interface ScanPage {
  readonly bytes: number;
  /** Whether it has entries between its margins. */
  readonly isComplete: boolean;
  /** The entries that the next page begins with. */
  readonly next: readonly IndexEntry[];
  put(entry: IndexEntry): void;
  /** @param isLast nothing follows, so that there is no margin at the end */
  search(asked: Asked, isLast: boolean): IndexAnswer;
}

/**
 * @param margin entries before and after; 0 where their order means nothing
 * @param begin `next` of the page before; empty for the first page, which has no margin before it
 */
export function createScanPage(margin: number, begin: readonly IndexEntry[]): ScanPage {
  const index = createScopeIndex({ conversation: margin > 0 });
  const before = begin.slice(0, margin);
  const next: IndexEntry[] = [];
  const put = (entry: IndexEntry): void => {
    putEntry(index, entry);
    if (margin === 0) return;
    next.push(entry);
    if (next.length > 2 * margin) next.shift();
  };
  for (const entry of begin) put(entry);
  return {
    get bytes() {
      return index.bytes;
    },
    get isComplete() {
      return index.size > 2 * margin;
    },
    next,
    put,
    search({ query, statistics }, isLast) {
      const margins = isLast ? before : [...before, ...next.slice(margin)];
      const ids = new Set(margins.map(({ id }) => id));
      // As many more as may be left out again.
      const limit = query.limit + margins.length;
      const { hits, compared } = index.search({ ...query, limit }, statistics);
      const inMargins = margins.filter((entry) => meetsConditions(entry, query.conditions));
      return {
        hits: hits.filter(({ id }) => !ids.has(id)),
        compared: compared - inMargins.length,
      };
    },
  };
}
