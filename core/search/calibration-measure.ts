/** Measures, once per generation, what its cosines mean, on texts that have nothing in common. */
import { cosine } from '../vector.ts';
import type { Calibration } from './calibration.ts';
import { QUESTIONS, SENTENCES_REVISION, STATEMENTS } from './calibration-sentences.ts';

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
  const passages = await embed(STATEMENTS, 'passage');
  const questions = await embed(QUESTIONS, 'query');
  const cosines: number[] = [];
  for (const [place, passage] of passages.entries()) {
    for (const question of questions) cosines.push(cosine(question, passage));
    for (const other of passages.slice(place + 1)) cosines.push(cosine(other, passage));
  }
  const sorted = cosines.toSorted((a, b) => a - b);
  const unrelated = sorted[Math.floor(UNRELATED_BELOW * (sorted.length - 1))] ?? 0;
  return {
    generation,
    unrelatedCosine: Math.max(-1, Math.min(UNRELATED_COSINE_MAX, unrelated)),
    sentences: SENTENCES_REVISION,
  };
}
