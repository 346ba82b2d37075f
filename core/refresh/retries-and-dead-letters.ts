/**
 * How long a scope waits after a refresh that made no summary, and what ends the wait, as pure
 * functions: after a failure, which in the end makes it a dead letter, without budget, while its
 * model is away, and after its sources changed during the call.
 */
import { limitOf } from '../budget/budget-account.ts';
import type { ErrorCode } from '../error-codes.ts';
import { backoffDelay } from '../exponential-delay.ts';
import type { Account, Exhaustion } from '../records/account.ts';
import type { DuePolicy } from '../records/policy.ts';
import type { Hold, ScopeRecord } from '../records/scope-record.ts';
import { withDue } from './scope-transitions.ts';
import { DEAD_LETTER_BACKOFF_MS_MAX, HOLD_MS_MAX } from './when-to-refresh.ts';

/** Failures caused by an item's content before its scope becomes a dead letter (design 7). */
export const ATTEMPTS_MAX = 3;
/**
 * Exponential backoff between attempts; after the third failure the scope becomes a dead letter.
 */
const RETRY_AFTER = { firstMs: 30_000, mostMs: 60_000 };
/** How long a dead letter rests before its next retry; the rest doubles each time. */
const DEAD_LETTER_BACKOFF = { firstMs: 60 * 60_000, mostMs: DEAD_LETTER_BACKOFF_MS_MAX };
/**
 * Retries after this time, because a smaller batch may fit and calls settle below their
 * reservation.
 */
const BUDGET_RETRY_AFTER_MS = HOLD_MS_MAX;
/** Longer than the pauses between the tries of a call, which were too short. */
const OUTDATED_RETRY_AFTER_MS = 60_000;
/**
 * An outage is checked again after a tenth of its duration: the end of a ten-minute outage is
 * noticed within a minute, and a day-long outage costs one call in ten minutes.
 */
const OUTAGE_BACKOFF = { share: 0.1, leastMs: 60_000, mostMs: 10 * 60_000 };

const EXHAUSTED: ErrorCode = 'BUDGET_EXHAUSTED';
/**
 * Errors of the model or its endpoint, regardless of the request: no scope becomes a dead letter.
 */
const UNAVAILABLE: ReadonlySet<string> = new Set<ErrorCode>([
  'RATE_LIMITED',
  'PROVIDER_ERROR',
  'TIMEOUT',
  'NOT_FOUND',
  'UNAUTHENTICATED',
  'FORBIDDEN',
]);
const OUTDATED: ErrorCode = 'CONFLICT';

/**
 * Returns the record after a content failure: due again after a pause, or a resting dead letter.
 */
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
    const dueAt = now + backoffDelay(attempts - ATTEMPTS_MAX + 1, DEAD_LETTER_BACKOFF);
    return { ...released, dueAt, dueTrigger: 'Interval', hold: null, deadLetter };
  }
  const until = now + backoffDelay(attempts, RETRY_AFTER);
  return { ...released, dueAt: until, hold: holdOf(record, { until, code: failure.code }, now) };
}

/**
 * Returns the record after an exhausted budget, which is no failure of the scope: it waits a
 * quarter of an hour, or until the period ends. A grant or a higher limit ends the wait
 * (`applyFunds`).
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

/** Whether a failure never makes a scope a dead letter (`applyUnavailable`). */
export function isUnavailable(code: string): boolean {
  return UNAVAILABLE.has(code);
}

/**
 * Returns the record after a model was overloaded, unreachable, broken, or had no valid key. This
 * is not the scope's failure, so the scope never becomes a dead letter. It waits a minute, and
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

/**
 * Returns whether a scope waits in an outage that lasts longer than the first pause. An answer to
 * another scope then shows that the outage is over. Timeouts and rate limits are excluded: the
 * scope itself may cause them, and a retry costs a call.
 */
export function hasOutlasted({ hold }: Pick<ScopeRecord, 'hold'>, now: number): boolean {
  if (hold === null || !isUnavailable(hold.code)) return false;
  if (hold.code === 'TIMEOUT' || hold.code === 'RATE_LIMITED') return false;
  return now - hold.since >= OUTAGE_BACKOFF.leastMs;
}

/** Returns the record once a model answers again: due as before. Other records are unchanged. */
export function applyAvailable(record: ScopeRecord): ScopeRecord {
  if (record.hold === null || !waitsForModel(record) || record.lease !== null) return record;
  return { ...record, hold: null, dueAt: record.hold.dueAt, version: record.version + 1 };
}

/**
 * Returns the record of a scope whose sources changed so much during the call that no fact is
 * usable. This is not a failure. New writes make it due, but not within a minute: otherwise a scope
 * that changes during each call would cost money endlessly.
 */
export function applyOutdated(record: ScopeRecord, policy: DuePolicy, now: number): ScopeRecord {
  const until = now + OUTDATED_RETRY_AFTER_MS;
  const hold = holdOf(record, { until, code: OUTDATED }, now);
  // The mark came due and was handled; only later writes are pending.
  const seen = { ...record, dueAt: null, dueTrigger: null, lease: null, attempts: 0, hold };
  const pending = withDue({ ...seen, version: record.version + 1 }, policy, now);
  return pending.dueAt === null ? { ...pending, dueAt: until, dueTrigger: 'Requested' } : pending;
}

/** Returns the record of a scope that is released without a change, due at `at`. */
export function applyRelease(record: ScopeRecord, at: number): ScopeRecord {
  const dueTrigger = record.dueTrigger ?? 'Requested';
  return { ...record, lease: null, dueAt: at, dueTrigger, version: record.version + 1 };
}

/** Whether a scope waits for budget, and for nothing else. */
export function waitsForBudget({ hold }: Pick<ScopeRecord, 'hold'>): boolean {
  return hold?.code === EXHAUSTED;
}

/**
 * Returns the record once the account allows more than at the refusal: due as before, so that no
 * new window opens. Other records are unchanged.
 */
export function applyFunds(record: ScopeRecord, account: Account): ScopeRecord {
  if (record.hold === null || !waitsForBudget(record)) return record;
  if (!allowsMore(account, record.hold.exhaustion)) return record;
  return { ...record, hold: null, dueAt: record.hold.dueAt, version: record.version + 1 };
}

/** Returns the record of a dead letter that an operator retries: due since it became one. */
export function applyRetry(record: ScopeRecord): ScopeRecord {
  if (record.deadLetter === null) return record;
  const due = { dueAt: record.deadLetter.at, dueTrigger: 'Requested' as const };
  return { ...record, ...due, attempts: 0, deadLetter: null, version: record.version + 1 };
}

function allowsMore(account: Account, exhaustion: Exhaustion | null): boolean {
  const limit = exhaustion === null ? null : limitOf(account, exhaustion.measure);
  return limit === null || limit > (exhaustion?.limit ?? 0);
}

/** For consecutive failures of one kind, keeps the start of the first one and its due time. */
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
