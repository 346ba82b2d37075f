/**
 * Durations as people write them in YAML: `30s`, `5m`, `1h30m`, `7d`. The notation is that of
 * Kubernetes, with days but without fractions, so that every duration has exactly one value.
 */

export const DAY_MS = 86_400_000;

/** Longest unit first; a duration names each unit at most once, in this order. */
const UNITS = [
  ['d', DAY_MS],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1_000],
  ['ms', 1],
] as const;

/**
 * At most seven digits per unit, so that every sum is an exact integer. The pattern also matches
 * the empty text, which its length excludes: the pattern language of Kubernetes has no look-ahead.
 */
export const DURATION_PATTERN =
  /^(?:\d{1,7}d)?(?:\d{1,7}h)?(?:\d{1,7}m)?(?:\d{1,7}s)?(?:\d{1,9}ms)?$/;

/** The shortest and the longest duration that can be parsed, in characters. */
export const DURATION_LENGTH_MIN = 2;
export const DURATION_LENGTH_MAX = 43;

/** Returns the milliseconds of a duration; null if the text is not one. */
export function parseDuration(text: string): number | null {
  if (text.length < DURATION_LENGTH_MIN || text.length > DURATION_LENGTH_MAX) return null;
  if (!DURATION_PATTERN.test(text)) return null;
  const sizes = new Map<string, number>(UNITS);
  let millis = 0;
  for (const [, digits = '0', unit = ''] of text.matchAll(/(\d+)(ms|[dhms])/g)) {
    millis += Number(digits) * (sizes.get(unit) ?? 0);
  }
  return millis;
}

/** Returns the shortest notation of a number of milliseconds: `5400000` is `1h30m`, `0` is `0s`. */
export function formatDuration(millis: number): string {
  let rest = millis;
  let text = '';
  for (const [unit, size] of UNITS) {
    const count = Math.floor(rest / size);
    if (count > 0) text += `${count}${unit}`;
    rest -= count * size;
  }
  return text === '' ? '0s' : text;
}
