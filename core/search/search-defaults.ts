/** Defaults for a search or a listing of memories without a threshold or a limit. */

import { UNRELATED_SCORE } from './calibration.ts';

/** Score below which a search finds nothing (MEM-06): such texts are unrelated. */
export const THRESHOLD_DEFAULT = UNRELATED_SCORE;
export const SEARCH_LIMIT_DEFAULT = 10;
export const SEARCH_LIMIT_MAX = 100;
export const LIST_LIMIT_DEFAULT = 50;
export const LIST_LIMIT_MAX = 500;

/** Returns a threshold with one digit that lets a score pass; null if the score is not near. */
export function thresholdBelow(score: number): string | null {
  const below = Math.floor(score * 10) / 10;
  return below === 0 ? null : below.toFixed(1);
}
