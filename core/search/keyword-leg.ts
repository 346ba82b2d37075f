/** The keyword leg of a search: which entries of a scope have the words of the query. */
import type { Conversation } from './conversation.ts';
import { addScores, bestScore, queryTerms, shareOf } from './keyword-score.ts';
import type { Postings } from './postings.ts';
import type { ScopeEntries } from './scope-entries.ts';
import type { TermStatistics } from './scope-index.ts';

export interface KeywordParts {
  readonly entries: ScopeEntries;
  readonly postings: Postings;
  /** Null where entries stand in no order. */
  readonly conversation: Conversation | null;
}

export interface KeywordLeg {
  /** By slot. */
  readonly scores: Float64Array;
  /** Those that have a score, some of which may not be wanted. */
  readonly slots: readonly number[];
  /** Null where no term matched, nor one nearby in a conversation. */
  shareAt(slot: number): number | null;
}

export function keywordLeg(
  { entries, postings, conversation }: KeywordParts,
  asked: {
    readonly terms: readonly string[];
    readonly statistics: TermStatistics;
    readonly wanted: (slot: number) => boolean;
  },
): KeywordLeg {
  const { averageLength } = asked.statistics;
  const query = queryTerms(asked.terms, asked.statistics);
  const scores = new Float64Array(entries.slotsEnd);
  const matched = addScores(scores, query, { postings, averageLength, wanted: asked.wanted });
  const best = bestScore(query);
  const slots = conversation?.smooth(scores, { slots: matched, best }) ?? matched;
  return {
    scores,
    slots,
    shareAt(slot) {
      const score = scores[slot] ?? 0;
      return score === 0 ? null : shareOf(score, best);
    },
  };
}
