/**
 * Keyword scores of the entries of a scope for one query.
 *
 * Method: BM25 (Robertson, Zaragoza, "The Probabilistic Relevance Framework: BM25 and Beyond",
 * 2009) with the idf of the searched scope. A score is a share of the best score that this query
 * could have: every term of it once, in an entry of average length.
 */
import { inverseDocumentFrequency, termPresence } from '../text/term-statistics.ts';
import { askedWeight } from './asking-words.ts';
import { relatedWords } from './related-words.ts';
import { countOf, slotOf, type Postings } from './postings.ts';

/**
 * How much long entries are penalized. Chosen, with the saturation of `termPresence`, among eight
 * pairs on the development meetings of `npm run bench -- retrieval`.
 */
const LENGTH_WEIGHT = 0.4;

/**
 * The most distinct terms of a query to look up. A longer query is a text, and its rest is noise.
 */
const QUERY_TERMS_MAX = 128;

/** Scores above this share are compressed, so that none reaches 1 and their order is kept. */
const SHARE_KNEE = 0.8;

/**
 * What the keyword leg must know about the whole scope. An index of the whole scope computes it
 * itself; an index of candidates alone receives it.
 */
export interface TermStatistics {
  readonly documents: number;
  readonly averageLength: number;
  documentFrequency(term: string): number;
  /**
   * Other forms of terms that the scope lacks, among its own terms; absent for a scope that is too
   * large to read its words for a question.
   */
  formsOf?(terms: readonly string[]): ReadonlyMap<string, readonly string[]>;
}

interface QueryTerm {
  readonly term: string;
  readonly weight: number;
  /** The expected score from this term; 0 for an alternative to another term. */
  readonly expected: number;
}

/** A form of a word, or a part of a compound, is worth this share of the word itself. */
const FORM_WEIGHT = 0.8;

/**
 * Returns the distinct terms of a query with their idf in the scope. A term that the scope lacks
 * is replaced by its other forms, and by the words that memories use instead; the rarest of them is
 * the expected one. Words of asking count less.
 */
export function queryTerms(
  terms: readonly string[],
  statistics: TermStatistics,
): readonly QueryTerm[] {
  const { documents } = statistics;
  const asked = new Set([...new Set(terms)].slice(0, QUERY_TERMS_MAX));
  const known = (term: string, share: number) => {
    const having = statistics.documentFrequency(term);
    if (having === 0) return [];
    return [{ term, weight: share * inverseDocumentFrequency(having, documents) }];
  };
  const isKnown = (term: string): boolean => statistics.documentFrequency(term) > 0;
  const forms = statistics.formsOf?.([...asked].filter((term) => !isKnown(term)));
  return [...asked].flatMap((term) => {
    const share = askedWeight(term);
    const instead = () => {
      const others = relatedWords(term);
      const more = (forms?.get(term) ?? []).filter((form) => !others.includes(form));
      return [
        ...more
          .filter((form) => !asked.has(form))
          .flatMap((form) => known(form, share * FORM_WEIGHT)),
        ...others.filter((other) => !asked.has(other)).flatMap((other) => known(other, share)),
      ];
    };
    const own = known(term, share);
    const given = own.length > 0 ? own : instead();
    const missing = [{ term, weight: share * inverseDocumentFrequency(0, documents) }];
    const found = given.length > 0 ? given : missing;
    const expected = Math.max(...found.map(({ weight }) => weight));
    return found.map((each, at) => ({ ...each, expected: at === 0 ? expected : 0 }));
  });
}

/** Returns the best score that the query can be expected to reach. */
export function bestScore(query: readonly QueryTerm[]): number {
  return query.reduce((sum, { expected }) => sum + expected, 0);
}

/** Converts a score to a share of the best, 0 to 1, monotonically. */
export function shareOf(score: number, best: number): number {
  const share = score / best;
  if (share <= SHARE_KNEE) return share;
  const rest = 1 - SHARE_KNEE;
  return 1 - rest * Math.exp((SHARE_KNEE - share) / rest);
}

/**
 * Adds the BM25 score of every wanted entry that has a term of the query.
 * @param scores by slot, all 0
 * @returns the slots that have a score now
 */
export function addScores(
  scores: Float64Array,
  query: readonly QueryTerm[],
  scope: {
    readonly postings: Postings;
    readonly averageLength: number;
    readonly wanted: (slot: number) => boolean;
  },
): readonly number[] {
  const { postings, averageLength, wanted } = scope;
  const slots: number[] = [];
  for (const { term, weight } of query) {
    const occurrences = postings.get(term)?.occurrences ?? [];
    for (let at = 0; at < occurrences.length; at += 1) {
      const occurrence = occurrences[at] ?? 0;
      const slot = slotOf(occurrence);
      if (!wanted(slot)) continue;
      const before = scores[slot] ?? 0;
      if (before === 0) slots.push(slot);
      const relative = averageLength === 0 ? 1 : postings.lengthOf(slot) / averageLength;
      scores[slot] = before + weight * termPresence(countOf(occurrence), relative, LENGTH_WEIGHT);
    }
  }
  return slots;
}
