/** What becomes of a scope that was not summarised: try again later, or give up. */
import { limitOf } from './budget.ts';
import { doubledDelay } from './doubled-delay.ts';
import type { DuePolicy } from './due.ts';
import type { ErrorCode } from './errors.ts';
import type { Account, Exhaustion } from './records/account.ts';
import type { ScopeRecord } from './records/scope-record.ts';
import { withDue } from './scope-change.ts';

/** Failures of the same item after which it is put aside (design 7). */
export const ATTEMPTS_MAX = 3;
/** Pauses before another attempt: they double, and after a third failure there is no attempt. */
const RETRY_AFTER = { firstMs: 30_000, mostMs: 60_000 };
/** A smaller batch may fit, and reservations settle below what they held: so look again by then. */
const BUDGET_RETRY_AFTER_MS = 15 * 60_000;
/** Longer than the pauses between the tries of a call, which were not long enough. */
const BUSY_RETRY_AFTER_MS = 60_000;

const EXHAUSTED: ErrorCode = 'BUDGET_EXHAUSTED';
const BUSY: ErrorCode = 'RATE_LIMITED';
/** Of the model or its endpoint, whatever they are asked: no scope is given up for it. */
const OF_NO_SCOPE: ReadonlySet<ErrorCode> = new Set([
  BUSY,
  'NOT_FOUND',
  'UNAUTHENTICATED',
  'FORBIDDEN',
]);
const OUTDATED: ErrorCode = 'CONFLICT';

/** The record after a failure: due again after a pause, or a dead letter with its reason. */
export function applyFailure(
  record: ScopeRecord,
  failure: { code: string; reason: string },
  now: number,
): ScopeRecord {
  const attempts = record.attempts + 1;
  const released = { ...record, lease: null, attempts, version: record.version + 1 };
  if (attempts >= ATTEMPTS_MAX) {
    const deadLetter = { ...failure, at: now };
    return { ...released, dueAt: null, dueTrigger: null, hold: null, deadLetter };
  }
  const until = now + doubledDelay(attempts, RETRY_AFTER);
  const hold = { until, dueAt: dueBefore(record, now), code: failure.code, exhaustion: null };
  return { ...released, dueAt: until, hold };
}

/**
 * The record after an empty budget, which is nobody's failure: it waits a quarter of an hour, or
 * until the period ends. A grant or a higher limit ends the wait (`applyFunds`).
 */
export function applyExhausted(
  record: ScopeRecord,
  exhaustion: Exhaustion | null,
  now: number,
): ScopeRecord {
  const until = Math.min(now + BUDGET_RETRY_AFTER_MS, exhaustion?.periodEndsAt ?? Infinity);
  const hold = { until, dueAt: dueBefore(record, now), code: EXHAUSTED, exhaustion };
  return { ...applyRelease(record, until), hold };
}

/** Whether a failure is one that no scope is given up for (`applyBusy`). */
export function isOfNoScope(code: ErrorCode): boolean {
  return OF_NO_SCOPE.has(code);
}

/**
 * The record after a provider that was too busy for every try of a batch, is not to be had, or has
 * no valid key: nobody's failure, so it is never what a scope is given up for. It waits a minute.
 */
export function applyBusy(record: ScopeRecord, now: number, code: ErrorCode = BUSY): ScopeRecord {
  const until = now + BUSY_RETRY_AFTER_MS;
  const hold = { until, dueAt: dueBefore(record, now), code, exhaustion: null };
  return { ...applyRelease(record, until), hold };
}

/**
 * The record of a scope whose sources changed under all that a model said of them: nobody's
 * failure. Due by its writes, but not within a minute: a scope that changes during each call would
 * be paid for without an end.
 */
export function applyOutdated(record: ScopeRecord, policy: DuePolicy, now: number): ScopeRecord {
  const until = now + BUSY_RETRY_AFTER_MS;
  const hold = { until, dueAt: dueBefore(record, now), code: OUTDATED, exhaustion: null };
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

function dueBefore({ dueAt }: ScopeRecord, now: number): number {
  return Math.min(dueAt ?? now, now);
}
