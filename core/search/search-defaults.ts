/** What a search and a listing of memories do where the caller names no threshold and no limit. */

/**
 * Score below which a search finds nothing (MEM-06). On the scale of scores, it is where texts that
 * have nothing to do with each other end (`calibration.ts`).
 */
export const THRESHOLD_DEFAULT = 0.7;
export const SEARCH_LIMIT_DEFAULT = 10;
export const SEARCH_LIMIT_MAX = 100;
export const LIST_LIMIT_DEFAULT = 50;
export const LIST_LIMIT_MAX = 500;
