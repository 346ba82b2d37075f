/** What a generation's cosines mean on the one scale of scores (design 6.7). */
import { z } from 'zod';

/** The score of the 99.5th percentile of unrelated pairs; the default threshold of a search. */
export const UNRELATED_SCORE = 0.7;

export const Calibration = z.strictObject({
  generation: z.string(),
  /** Cosine of the 99.5th percentile of unrelated pairs of texts. */
  unrelatedCosine: z.number().min(-1).max(1),
  /** Revision of the list of sentences it was measured on. */
  sentences: z.string(),
});
export type Calibration = z.infer<typeof Calibration>;
