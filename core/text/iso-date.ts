/** Matches a day, or a time with its offset. */
const ISO_DATE =
  /^\d{4}-\d{2}-\d{2}(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2}))?$/u;

/** Returns an ISO 8601 time or day (its start in UTC) in milliseconds since the epoch, or null. */
export function parseIsoDate(text: string): number | null {
  if (!ISO_DATE.test(text)) return null;
  const at = Date.parse(text);
  return Number.isNaN(at) || !isDay(text.slice(0, DAY_LENGTH)) ? null : at;
}

const DAY_LENGTH = '2026-11-01'.length;

/** Whether a day exists: JavaScript reads November 31 as December 1. */
function isDay(day: string): boolean {
  return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day);
}
