/**
 * Hashed lexical embedding: no model, no download, the same vector on every machine. Texts are near
 * when they share words, word stems, neighboring words or n-grams; synonyms are far.
 *
 * Method: signed feature hashing (Weinberger, Dasgupta, Langford, Smola, Attenberg, "Feature
 * Hashing for Large Scale Multitask Learning", ICML 2009), under which unrelated features cancel on
 * average, with sublinear term frequency 1 + ln(count) (Manning, Raghavan, Schütze, "Introduction
 * to Information Retrieval", 6.4.1).
 */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { VarveError } from '#core/errors.ts';
import type { Embedder } from '#core/ports/embedder.ts';
import { createFeatures, type FeaturesOf } from './features.ts';

const DIMENSIONS = 384;

/** Change this whenever a vector changes: words, stems, stop words, weights, hash. */
const GENERATION = `lexical-${DIMENSIONS}-1`;

/** Longer texts are embedded by their beginning; four times the longest memory. */
const TEXT_UNITS_MAX = 131_072;

/** Texts of one call: about 200 ms, after which a caller can report progress. */
const TEXTS_MAX = 1_024;

/** Texts embedded before other work of the process gets a turn: about 10 ms. */
const TEXTS_PER_TURN = 64;

/**
 * The vector of a text without any feature, such as an empty one: the same in every dimension, of
 * length 1. Stores refuse zero vectors, and this one is not near any text with words.
 */
const EMPTY: readonly number[] = Array.from({ length: DIMENSIONS }, () =>
  Math.fround(1 / Math.sqrt(DIMENSIONS)),
);

export function createLexicalEmbedder(): Embedder {
  const featuresOf = createFeatures();
  return {
    generation: GENERATION,
    dimensions: DIMENSIONS,
    quality: 'keyword',
    textsMax: TEXTS_MAX,
    microDollarsPerMillionTokens: null,
    async embed(texts, { signal }) {
      const vectors: number[][] = [];
      for (const text of texts) {
        if (signal?.aborted === true) throw new VarveError('CANCELLED', 'Embedding was cancelled.');
        vectors.push(vectorOf(text.slice(0, TEXT_UNITS_MAX), featuresOf));
        if (vectors.length % TEXTS_PER_TURN === 0) await nextTurn();
      }
      return vectors;
    },
  };
}

/** Returns single-precision numbers, so that a store with 32 bits returns the same vector. */
function vectorOf(text: string, featuresOf: FeaturesOf): number[] {
  const sums = new Float64Array(DIMENSIONS);
  for (const { hash, weight, count } of featuresOf(text)) {
    const at = (hash >>> 1) % DIMENSIONS;
    const sign = (hash & 1) === 0 ? 1 : -1;
    sums[at] = (sums[at] ?? 0) + sign * weight * (count === 1 ? 1 : 1 + Math.log(count));
  }
  let squares = 0;
  for (const sum of sums) squares += sum * sum;
  // Features may cancel each other out.
  if (squares < Number.EPSILON) return [...EMPTY];
  const scale = 1 / Math.sqrt(squares);
  // A loop: mapping an array of floats takes five times as long.
  const vector: number[] = [];
  for (const sum of sums) vector.push(Math.fround(sum * scale));
  return vector;
}
