/**
 * Maps a generation's cosines to the one scale of scores (design 6.7). What its cosines mean is
 * measured once, on texts that have nothing in common.
 */
import { z } from 'zod';
import { QUESTIONS, SENTENCES_REVISION, STATEMENTS } from './calibration-sentences.ts';
import { dotAt, unitVector } from './vector-kernel.ts';

/** The score of the 99.5th percentile of unrelated pairs. */
export const UNRELATED_SCORE = 0.7;

export const Calibration = z.strictObject({
  generation: z.string(),
  /** Cosine of the 99.5th percentile of unrelated pairs of texts. */
  unrelatedCosine: z.number().min(-1).max(1),
  /** Revision of the sentences that it was measured on. */
  sentences: z.string(),
});
export type Calibration = z.infer<typeof Calibration>;

/**
 * Share of the best possible keyword score that maps to the default threshold
 * (`npm run bench -- retrieval` and `everyday`).
 */
export const UNRELATED_SHARE = 0.12;

/**
 * Maps a cosine to the scale of scores: 0.7 where unrelated texts end, 1 for equal texts, linear
 * between; below 0.7 linear down to 0 for opposite texts. Monotonic.
 */
export function calibrate(
  cosine: number,
  { unrelatedCosine }: Pick<Calibration, 'unrelatedCosine'>,
): number {
  return scaled(cosine, { least: -1, unrelated: unrelatedCosine });
}

/** Maps a share of the best possible keyword score, 0 to 1, to the same scale. */
export function calibrateKeyword(share: number): number {
  return scaled(share, { least: 0, unrelated: UNRELATED_SHARE });
}

function scaled(value: number, { least, unrelated }: { least: number; unrelated: number }): number {
  if (value >= 1) return 1;
  if (value <= least) return 0;
  if (value < unrelated) return (UNRELATED_SCORE * (value - least)) / (unrelated - least);
  return UNRELATED_SCORE + ((1 - UNRELATED_SCORE) * (value - unrelated)) / (1 - unrelated);
}

/** Share of unrelated pairs that score below the default threshold (design 6.7). */
const UNRELATED_BELOW = 0.995;

/** Leaves room above unrelated pairs, for a model that finds all texts alike. */
const UNRELATED_COSINE_MAX = 0.999;

export type Embed = (
  texts: readonly string[],
  purpose: 'query' | 'passage',
) => Promise<readonly (readonly number[])[]>;

/**
 * Returns the calibration of a generation. Embeds 64 statements and 64 questions, each list in one
 * call if the model accepts that many; otherwise `embed` splits them.
 * @throws what `embed` throws
 */
export async function measureCalibration(embed: Embed, generation: string): Promise<Calibration> {
  const passages = (await embed(STATEMENTS, 'passage')).map(unitVector);
  const questions = (await embed(QUESTIONS, 'query')).map(unitVector);
  const cosines: number[] = [];
  for (const [place, passage] of passages.entries()) {
    for (const question of questions) cosines.push(dotAt(question, 0, passage));
    for (const other of passages.slice(place + 1)) cosines.push(dotAt(other, 0, passage));
  }
  const sorted = Float64Array.from(cosines).toSorted();
  const unrelated = sorted[Math.floor(UNRELATED_BELOW * (sorted.length - 1))] ?? 0;
  return {
    generation,
    unrelatedCosine: Math.max(-1, Math.min(UNRELATED_COSINE_MAX, unrelated)),
    sentences: SENTENCES_REVISION,
  };
}
