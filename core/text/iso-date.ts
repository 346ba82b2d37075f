/** Matches a day, or a time with its offset. */
const ISO_DATE =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/u;

/** Milliseconds since the epoch of an ISO 8601 date, a day being its first moment; else null. */
export function dateOf(text: string): number | null {
  if (!ISO_DATE.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) || !isDay(text.slice(0, DAY_LENGTH)) ? null : at;
}

const DAY_LENGTH = '2026-11-01'.length;

/** JavaScript reads November 31 as December 1. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
