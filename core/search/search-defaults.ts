/** What a search and a listing of memories do where the caller names no threshold and no limit. */

import { UNRELATED_SCORE } from './calibration.ts';

/** Score below which a search finds nothing (MEM-06): texts that have nothing to do with it. */
export const THRESHOLD_DEFAULT = UNRELATED_SCORE;
export const SEARCH_LIMIT_DEFAULT = 10;
export const SEARCH_LIMIT_MAX = 100;
export const LIST_LIMIT_DEFAULT = 50;
export const LIST_LIMIT_MAX = 500;
