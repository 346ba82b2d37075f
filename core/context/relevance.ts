/**
 * How relevant the summary of each layer is to a question, without a model call (SUM-10).
 *
 * Method: the mean of three calibrated scores (design 6.7): the context vector's, that of the
 * sentence with most of the question's words, and that of the deepest text as a whole. One vector
 * of a paragraph blurs what its sentences say: over the example tenant it alone finds the right
 * layer for three questions in four, hashed or by a real model, and the mean for nine in ten
 * (`npm run bench -- relevance`).
 */
import type { Summary } from '../records/summary.ts';
import { calibrate, calibrateKeyword, type Calibration } from '../search/calibration.ts';
import type { QueryVector } from '../search/scope-search.ts';
import { cosine, similarityOf } from '../vector.ts';
import { addScores, bestScore, queryTerms, shareOf } from '../search/keyword-score.ts';
import { createPostings, type Postings } from '../search/postings.ts';

export interface RelevanceQuery {
  /** Terms of the question, by the analyzer. */
  readonly terms: readonly string[];
  /** Null where the embedder can't be asked. */
  readonly vector: QueryVector | null;
  /** Of the vector's generation; null where it was not measured yet. */
  readonly calibration: Calibration | null;
}

export interface SummaryEvidence {
  readonly sentences: SentenceTerms;
  readonly contextVector: Summary['contextVector'];
}

export interface LayerRelevance {
  /** 0 to 1; what summaries are deepened by. */
  readonly relevance: number;
  /** Of question and context vector, `(1 + cosine) / 2`; null where they can't be compared. */
  readonly similarity: number | null;
  /** The same on the scale of scores, where 0.7 is the default threshold of a search. */
  readonly semanticScore: number | null;
  readonly keywordScore: number;
}

/** Of a summary that nothing could be compared with. */
export const NOT_COMPARED: LayerRelevance = {
  relevance: 0,
  similarity: null,
  semanticScore: null,
  keywordScore: 0,
};

/** Of a generation that was not measured yet: texts without relation are at right angles. */
const UNMEASURED: Calibration = { generation: '', unrelatedCosine: 0, sentences: '' };

/**
 * One for each summary, in their order. A vector of another generation than the question's is not
 * compared: the words alone decide then, on the same scale.
 */
export function layerRelevances(
  query: RelevanceQuery,
  summaries: readonly SummaryEvidence[],
): readonly LayerRelevance[] {
  const shares = wordShares(
    query.terms,
    summaries.map(({ sentences }) => sentences),
  );
  return summaries.map(({ contextVector }, at) => {
    const { bestSentence = 0, whole = 0 } = shares[at] ?? {};
    const words = [calibrateKeyword(bestSentence), calibrateKeyword(whole)];
    const compared = comparedCosine(query.vector, contextVector);
    const semanticScore =
      compared === null ? null : calibrate(compared, query.calibration ?? UNMEASURED);
    return {
      relevance: mean(semanticScore === null ? words : [semanticScore, ...words]),
      similarity: compared === null ? null : similarityOf(compared),
      semanticScore,
      keywordScore: mean(words),
    };
  });
}

function comparedCosine(
  query: QueryVector | null,
  contextVector: Summary['contextVector'],
): number | null {
  if (query === null || contextVector?.generation !== query.generation) return null;
  return cosine(contextVector.values, query.vector);
}

function mean(scores: readonly number[]): number {
  return scores.reduce((sum, score) => sum + score, 0) / scores.length;
}

// How much of a question the words of each layer's summary answer.

/** The terms of each sentence of a summary's deepest text, by the analyzer. */
type SentenceTerms = readonly (readonly string[])[];

/** Shares of the query's best possible keyword score, 0 to 1. */
interface WordShares {
  /** Of the one sentence that has most of the question. */
  readonly bestSentence: number;
  /** Of the summary as one text: a question may ask for what several sentences say together. */
  readonly whole: number;
}

/**
 * One for each summary, in their order. How rare a word is, is counted over the sentences of all
 * of them, so that what every layer says favors none.
 */
function wordShares(
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
