/** What becomes of a scope that was not summarized: try again later, or give up. */
import { limitOf } from '../budget/budget.ts';
import { backoffDelay } from '../backoff.ts';
import type { DuePolicy } from '../sources/due.ts';
import type { ErrorCode } from '../errors.ts';
import type { Account, Exhaustion } from '../records/account.ts';
import type { Hold, ScopeRecord } from '../records/scope-record.ts';
import { withDue } from '../sources/scope-change.ts';

/** Failures of the same item by its content after which it is put aside (design 7). */
export const ATTEMPTS_MAX = 3;
/** Pauses before another attempt: they double, and after a third failure the scope rests. */
const RETRY_AFTER = { firstMs: 30_000, mostMs: 60_000 };
/** How long a dead letter rests before it is tried once more: each rest is twice the last. */
const DEAD_LETTER_REST = { firstMs: 60 * 60_000, mostMs: 24 * 60 * 60_000 };
/** A smaller batch may fit, and reservations settle below what they held: so look again by then. */
const BUDGET_RETRY_AFTER_MS = 15 * 60_000;
/** Longer than the pauses between the tries of a call, which were not long enough. */
const OUTDATED_RETRY_AFTER_MS = 60_000;
/**
 * An outage is looked at again after a tenth of the time that it has lasted: one of ten minutes is
 * noticed to be over within a minute, and one of a day costs a call in ten minutes.
 */
const OUTAGE_BACKOFF = { share: 0.1, leastMs: 60_000, mostMs: 10 * 60_000 };

const EXHAUSTED: ErrorCode = 'BUDGET_EXHAUSTED';
/** Of the model or its endpoint, whatever they are asked: no scope is given up for it. */
const UNAVAILABLE: ReadonlySet<string> = new Set<ErrorCode>([
  'RATE_LIMITED',
  'PROVIDER_ERROR',
  'TIMEOUT',
  'NOT_FOUND',
  'UNAUTHENTICATED',
  'FORBIDDEN',
]);
const OUTDATED: ErrorCode = 'CONFLICT';

/** The record after a failure by content: due again after a pause, or a dead letter that rests. */
export function applyFailure(
  record: ScopeRecord,
  failure: { code: string; reason: string },
  now: number,
): ScopeRecord {
  const attempts = record.attempts + 1;
  const released = { ...record, lease: null, attempts, version: record.version + 1 };
  if (attempts >= ATTEMPTS_MAX) {
    const { lease } = record;
    const by = lease === null ? {} : { recipeHash: lease.recipeHash };
    const deadLetter = { ...failure, at: now, ...by };
    const dueAt = now + backoffDelay(attempts - ATTEMPTS_MAX + 1, DEAD_LETTER_REST);
    return { ...released, dueAt, dueTrigger: 'Interval', hold: null, deadLetter };
  }
  const until = now + backoffDelay(attempts, RETRY_AFTER);
  return { ...released, dueAt: until, hold: holdOf(record, { until, code: failure.code }, now) };
}

/**
 * The record after an empty budget, which is no failure of the scope: it waits a quarter of an
 * hour, or until the period ends. A grant or a higher limit ends the wait (`applyFunds`).
 */
export function applyExhausted(
  record: ScopeRecord,
  exhaustion: Exhaustion | null,
  now: number,
): ScopeRecord {
  const until = Math.min(now + BUDGET_RETRY_AFTER_MS, exhaustion?.periodEndsAt ?? Infinity);
  const hold = { ...holdOf(record, { until, code: EXHAUSTED }, now), exhaustion };
  return { ...applyRelease(record, until), hold };
}

/** Whether a failure is one that no scope is given up for (`applyUnavailable`). */
export function isUnavailable(code: string): boolean {
  return UNAVAILABLE.has(code);
}

/**
 * The record after a model that was too busy, could not be reached, failed, or has no valid key:
 * no failure of its own, so no scope becomes a dead letter for it. The scope waits a minute, and
 * longer while the outage lasts.
 */
export function applyUnavailable(record: ScopeRecord, now: number, code: string): ScopeRecord {
  const hold = holdOf(record, { until: now, code }, now);
  const { share, leastMs, mostMs } = OUTAGE_BACKOFF;
  const pauseMs = Math.min(Math.max((now - hold.since) * share, leastMs), mostMs);
  const until = now + Math.round(pauseMs);
  return { ...applyRelease(record, until), hold: { ...hold, until } };
}

/** Whether a scope waits for its model to come back. */
export function waitsForModel({ hold }: Pick<ScopeRecord, 'hold'>): boolean {
  return hold !== null && isUnavailable(hold.code);
}

/** The record once a model answered again: due as it was before. Any other record as it is. */
export function applyAvailable(record: ScopeRecord): ScopeRecord {
  if (record.hold === null || !waitsForModel(record) || record.lease !== null) return record;
  return { ...record, hold: null, dueAt: record.hold.dueAt, version: record.version + 1 };
}

/**
 * The record of a scope whose sources changed under all that a model said of them: nobody's
 * failure. Due by its writes, but not within a minute: a scope that changes during each call would
 * be paid for without an end.
 */
export function applyOutdated(record: ScopeRecord, policy: DuePolicy, now: number): ScopeRecord {
  const until = now + OUTDATED_RETRY_AFTER_MS;
  const hold = holdOf(record, { until, code: OUTDATED }, now);
  // Its mark came due and was seen to; what is owed now are the writes since.
  const seen = { ...record, dueAt: null, dueTrigger: null, lease: null, attempts: 0, hold };
  const owed = withDue({ ...seen, version: record.version + 1 }, policy, now);
  return owed.dueAt === null ? { ...owed, dueAt: until, dueTrigger: 'Requested' } : owed;
}

/** The record of a scope that is given back as it was, due at `at`. */
export function applyRelease(record: ScopeRecord, at: number): ScopeRecord {
  const dueTrigger = record.dueTrigger ?? 'Requested';
  return { ...record, lease: null, dueAt: at, dueTrigger, version: record.version + 1 };
}

/** Whether a scope waits for budget, and for nothing else. */
export function waitsForBudget({ hold }: Pick<ScopeRecord, 'hold'>): boolean {
  return hold?.code === EXHAUSTED;
}

/**
 * The record once the account allows more than when it was refused: due as it was before, so that
 * no window begins anew. Any other record as it is.
 */
export function applyFunds(record: ScopeRecord, account: Account): ScopeRecord {
  if (record.hold === null || !waitsForBudget(record)) return record;
  if (!allowsMore(account, record.hold.exhaustion)) return record;
  return { ...record, hold: null, dueAt: record.hold.dueAt, version: record.version + 1 };
}

/** The record of a dead letter that an operator wants tried again: due since it was given up. */
export function applyRetry(record: ScopeRecord): ScopeRecord {
  if (record.deadLetter === null) return record;
  const due = { dueAt: record.deadLetter.at, dueTrigger: 'Requested' as const };
  return { ...record, ...due, attempts: 0, deadLetter: null, version: record.version + 1 };
}

function allowsMore(account: Account, exhaustion: Exhaustion | null): boolean {
  const limit = exhaustion === null ? null : limitOf(account, exhaustion.measure);
  return limit === null || limit > (exhaustion?.limit ?? 0);
}

/** Of two failures of one kind in a row, the time of the first stays, and when it was due. */
function holdOf(
  record: ScopeRecord,
  { until, code }: { readonly until: number; readonly code: string },
  now: number,
): Hold {
  const before = record.hold !== null && isSameKind(record.hold.code, code) ? record.hold : null;
  const dueAt = before?.dueAt ?? dueBefore(record, now);
  return { until, dueAt, code, since: Math.min(before?.since ?? now, now), exhaustion: null };
}

function isSameKind(before: string, code: string): boolean {
  return before === code || (isUnavailable(before) && isUnavailable(code));
}

function dueBefore({ dueAt }: ScopeRecord, now: number): number {
  return Math.min(dueAt ?? now, now);
}
