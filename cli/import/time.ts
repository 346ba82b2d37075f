/** Times as exports write them. */
import { type Place, refusal } from './refusal.ts';

/** ISO 8601 of a day, or of a time with or without its zone. */
const ISO = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(Z|[+-]\d{2}:?\d{2})?)?$/;

/** A smaller number counts seconds: as milliseconds it would lie before March 1973. */
const MILLISECONDS_MIN = 1e11;

/** The last time that a `Date` can hold. */
const TIME_MAX = 8.64e15;

/**
 * The time of an object's "at", null where it has none.
 * @throws VarveError INVALID_INPUT where it is no time.
 */
export function statedTime(value: unknown, place: Place): number | null {
  if (value === undefined || value === null) return null;
  const at = timeOf(value);
  if (at !== null) return at;
  throw refusal(place, {
    problem: '"at" is not a time since 1970',
    expected: 'Use ISO 8601 or epoch milliseconds, e.g. "2026-01-31T09:00:00Z".',
    details: { field: 'at' },
  });
}

/**
 * Milliseconds since the epoch of an ISO 8601 text or of epoch seconds or milliseconds; a text
 * without a zone is UTC, so that an import means the same on every machine. Null for anything else.
 */
export function timeOf(value: unknown): number | null {
  if (typeof value === 'number') {
    const at = Math.round(value < MILLISECONDS_MIN ? value * 1_000 : value);
    return at >= 0 && at <= TIME_MAX ? at : null;
  }
  if (typeof value !== 'string') return null;
  const match = ISO.exec(value.trim());
  if (match === null) return null;
  const dated = match[0].length > 10 && match[1] === undefined ? `${match[0]}Z` : match[0];
  const at = Date.parse(dated.replace(' ', 'T'));
  return Number.isNaN(at) || at < 0 ? null : at;
}
