/** How much of a question the words of each layer's summary answer. */
import { addScores, bestScore, queryTerms, shareOf } from '../search/keyword-score.ts';
import { createPostings, type Postings } from '../search/postings.ts';

/** The terms of each sentence of a summary's deepest text, by the analyzer. */
export type SentenceTerms = readonly (readonly string[])[];

/** Shares of the query's best possible keyword score, 0 to 1. */
export interface WordShares {
  /** Of the one sentence that has most of the question. */
  readonly bestSentence: number;
  /** Of the summary as one text: a question may ask for what several sentences say together. */
  readonly whole: number;
}

/**
 * One for each summary, in their order. How rare a word is, is counted over the sentences of all
 * of them, so that what every layer says tells none apart.
 */
export function wordShares(
  queryWords: readonly string[],
  summaries: readonly SentenceTerms[],
): readonly WordShares[] {
  const owners: number[] = [];
  const sentences = createPostings();
  const wholes = createPostings();
  for (const [owner, terms] of summaries.entries()) {
    for (const sentence of terms) sentences.put(owners.push(owner) - 1, sentence);
    wholes.put(owner, terms.flat());
  }
  const query = queryTerms(queryWords, {
    documents: sentences.documents,
    averageLength: sentences.averageLength,
    documentFrequency: (term) => sentences.get(term)?.occurrences.length ?? 0,
  });
  const best = bestScore(query);
  const scoresIn = (postings: Postings, count: number): Float64Array => {
    const scores = new Float64Array(count);
    const { averageLength } = postings;
    addScores(scores, query, { postings, averageLength, wanted: () => true });
    return scores;
  };
  const ofWholes = scoresIn(wholes, summaries.length);
  const ofBest = new Float64Array(summaries.length);
  for (const [sentence, score] of scoresIn(sentences, owners.length).entries()) {
    const owner = owners[sentence] ?? 0;
    ofBest[owner] = Math.max(ofBest[owner] ?? 0, score);
  }
  return summaries.map((_, at) => ({
    bestSentence: share(ofBest[at] ?? 0, best),
    whole: share(ofWholes[at] ?? 0, best),
  }));
}

/** A question without any word has no best score, and no share of it. */
function share(score: number, best: number): number {
  return best === 0 ? 0 : shareOf(score, best);
}
