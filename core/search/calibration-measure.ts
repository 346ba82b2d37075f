/** Measures what the cosines of a generation mean, once, on texts that have nothing in common. */
import { cosine } from '../vector.ts';
import type { Calibration } from './calibration.ts';
import { QUESTIONS, SENTENCES_REVISION, STATEMENTS } from './calibration-sentences.ts';

/** Share of unrelated pairs that stay below the score of the default threshold (design 6.7). */
const UNRELATED_BELOW = 0.995;

/** Room that is left above unrelated pairs, for a model that finds all texts the same. */
const UNRELATED_COSINE_MAX = 0.999;

export type Embed = (
  texts: readonly string[],
  purpose: 'query' | 'passage',
) => Promise<readonly (readonly number[])[]>;

/**
 * The calibration of a generation. Embeds 64 statements and 64 questions, each list in one call
 * where the model takes so many; `embed` splits them where it does not.
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
