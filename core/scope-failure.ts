/** What a failed attempt does to the record of its scope: try again later, or give up. */
import type { ScopeRecord } from './records/scope-record.ts';

/** Failures of the same item after which it is put aside (design 7). */
export const ATTEMPTS_MAX = 3;
/** First pause before another attempt; it doubles with each failure. */
const RETRY_AFTER_MS = 30_000;

/** The record after a failure: due again after a pause, or a dead letter with its reason. */
export function applyFailure(
  record: ScopeRecord,
  failure: { code: string; reason: string },
  now: number,
): ScopeRecord {
  const attempts = record.attempts + 1;
  const released = { ...record, lease: null, attempts, version: record.version + 1 };
  if (attempts >= ATTEMPTS_MAX) {
    return { ...released, dueAt: null, dueTrigger: null, deadLetter: { ...failure, at: now } };
  }
  return { ...released, dueAt: now + RETRY_AFTER_MS * 2 ** (attempts - 1) };
}

/**
 * The record after a release that was nobody's failure, such as an empty budget. Where a source has
 * ended, the first of the attempts is spent on it: without one the scope would be looked at because
 * of that end, again and again, instead of at `retryAt`.
 */
export function applyRelease(record: ScopeRecord, retryAt: number): ScopeRecord {
  const ended = record.nextExpiryAt !== null && record.nextExpiryAt <= retryAt;
  const attempts = ended ? Math.max(1, record.attempts) : record.attempts;
  return { ...record, lease: null, attempts, dueAt: retryAt, version: record.version + 1 };
}
