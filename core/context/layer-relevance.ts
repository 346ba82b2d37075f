/**
 * Computes how relevant each layer summary is to a question, without a model call (SUM-10).
 *
 * Method: the mean of three calibrated scores (design 6.7): for the context vector, for the
 * sentence with most of the question's words, and for the deepest text as a whole. A single vector
 * blurs the sentences of a paragraph. For the example tenant, the vector alone, hashed or from a
 * real model, finds the right layer for three questions in four; the mean finds it for nine in ten
 * (`npm run bench -- relevance`).
 */
import type { Summary } from '../records/summary.ts';
import { calibrate, calibrateKeyword, type Calibration } from '../search/calibration.ts';
import type { QueryVector } from '../search/scope-search.ts';
import { cosine, similarityOf } from '../vector.ts';
import { addScores, bestScore, queryTerms, shareOf } from '../search/keyword-score.ts';
import { createPostings, type Postings } from '../search/postings.ts';

export interface RelevanceQuery {
  /** Terms of the question, from the analyzer. */
  readonly terms: readonly string[];
  /** Null if the embedder is unavailable. */
  readonly vector: QueryVector | null;
  /** Calibration of the vector's generation; null until it is measured. */
  readonly calibration: Calibration | null;
}

export interface SummaryEvidence {
  readonly sentences: SentenceTerms;
  readonly contextVector: Summary['contextVector'];
}

export interface LayerRelevance {
  /** From 0 to 1; decides which summaries are deepened first. */
  readonly relevance: number;
  /** Similarity of question and context vector, `(1 + cosine) / 2`; null if not comparable. */
  readonly similarity: number | null;
  /** The similarity on the scale of search scores, where the default threshold is 0.7. */
  readonly semanticScore: number | null;
  readonly keywordScore: number;
}

/** Relevance of a summary that could not be compared with anything. */
export const NOT_COMPARED: LayerRelevance = {
  relevance: 0,
  similarity: null,
  semanticScore: null,
  keywordScore: 0,
};

/** Default for a generation that is not yet measured: unrelated texts have orthogonal vectors. */
const UNMEASURED: Calibration = { generation: '', unrelatedCosine: 0, sentences: '' };

/**
 * Returns one relevance per summary, in the same order. Vectors of another generation than the
 * question's are not compared; then the words alone decide, on the same scale.
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

// Word scores: how well the words of each layer's summary match the question.

/** Analyzer terms of each sentence of a summary's deepest text. */
type SentenceTerms = readonly (readonly string[])[];

/** Keyword scores as shares of the best possible score for the query, 0 to 1. */
interface WordShares {
  /** The share of the sentence that matches the question best. */
  readonly bestSentence: number;
  /** The share of the summary as one text, since a question may combine several sentences. */
  readonly whole: number;
}

/**
 * Returns one result per summary, in the same order. Word rarity is counted over the sentences of
 * all summaries, so that a word that every layer uses favors none.
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

/** Returns 0 for a question without words, which has no best score. */
function share(score: number, best: number): number {
  return best === 0 ? 0 : shareOf(score, best);
}
