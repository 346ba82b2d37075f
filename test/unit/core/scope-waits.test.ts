import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { openAccount, periodEnd, periodOf } from '#core/budget/budget-account.ts';
import { nextCheckAt } from '#core/refresh/when-to-refresh.ts';
import type { Account, Exhaustion } from '#core/records/account.ts';
import type { DroppedSource, ScopeRecord } from '#core/records/scope-record.ts';
import type { ScopeChange } from '#core/sources/source-change.ts';
import { applyChange, applyCommit, withDue } from '#core/refresh/scope-transitions.ts';
import {
  applyAvailable,
  applyExhausted,
  applyFailure,
  applyFunds,
  applyOutdated,
  applyRetry,
  applyUnavailable,
  ATTEMPTS_MAX,
  isUnavailable,
  waitsForBudget,
  waitsForModel,
} from '#core/refresh/retries-and-dead-letters.ts';
import { HOUR_MS, leaseOf, MINUTE_MS, NOW, SECOND_MS } from '#test/conformance/samples.ts';
import { duePolicy, settledScope } from './scope-records.ts';

const FAILURE = { code: 'MODEL_OUTPUT_INVALID', reason: 'NoGroundedFact' };
const DROPPED: DroppedSource = { id: 'm-1', reason: 'SourceDeleted' };
const EXHAUSTION: Exhaustion = {
  measure: 'tokens',
  limit: 100,
  spent: 90,
  reserved: 0,
  requested: 20,
  periodEndsAt: periodEnd(periodOf(NOW)),
};

const LIMITS = { limitTokens: 100, limitMicroDollars: null, onExhausted: 'Reject' } as const;
const ACCOUNT = openAccount('acme', periodOf(NOW), LIMITS);

function change(dropped: readonly DroppedSource[]): ScopeChange {
  return { lanes: [], sources: 0, tokens: 0, bytes: 0, dropped, written: [], expiresAt: null };
}

function leased(differing: Partial<ScopeRecord> = {}): ScopeRecord {
  const record = settledScope({ dueAt: NOW, dueTrigger: 'Urgent', changes: 4, ...differing });
  return { ...record, lease: leaseOf(record) };
}

describe('a failed scope', () => {
  test.each([
    [1, 30 * SECOND_MS],
    [2, 60 * SECOND_MS],
  ])('is tried again after failure %d, in %d ms', (failures, pauseMs) => {
    const record = applyFailure(leased({ attempts: failures - 1 }), FAILURE, NOW);
    const expected = { lease: null, attempts: failures, deadLetter: null, dueTrigger: 'Urgent' };
    expect(record).toMatchObject({ ...expected, dueAt: NOW + pauseMs, version: 8 });
  });

  test('is dead-lettered after three failures, with the reason, and waits an hour', () => {
    const record = applyFailure(leased({ attempts: ATTEMPTS_MAX - 1 }), FAILURE, NOW);
    expect(record).toMatchObject({
      lease: null,
      attempts: ATTEMPTS_MAX,
      dueAt: NOW + HOUR_MS,
      dueTrigger: 'Interval',
      deadLetter: { ...FAILURE, at: NOW, recipeHash: leased().lease?.recipeHash },
      changes: 4,
    });
    expect(nextCheckAt({ ...record, nextExpiryAt: NOW })).toBe(NOW + HOUR_MS);
  });

  test('waits twice as long after each further failure as a dead letter, up to a day', () => {
    let record = leased({ attempts: ATTEMPTS_MAX - 1 });
    const rests: number[] = [];
    for (let failures = 0; failures < 7; failures += 1) {
      record = applyFailure({ ...record, lease: leaseOf(record) }, FAILURE, NOW);
      rests.push(((record.dueAt ?? 0) - NOW) / HOUR_MS);
    }
    expect(rests).toEqual([1, 2, 4, 8, 16, 24, 24]);
  });

  test('is not tried earlier after a write, urgent or not', () => {
    const failed = applyFailure(leased(), FAILURE, NOW);
    const changed = applyChange(failed, change([]), { policy: duePolicy(), now: NOW + 1 });
    expect(changed).toMatchObject({ attempts: 1, dueAt: NOW + 30 * SECOND_MS });
    const urgent = applyChange(failed, change([DROPPED]), {
      policy: duePolicy(),
      now: NOW - MINUTE_MS,
    });
    expect(urgent).toMatchObject({ dueTrigger: 'Urgent', dueAt: NOW + 30 * SECOND_MS });
    expect(nextCheckAt({ ...failed, nextExpiryAt: NOW - 1 })).toBe(NOW + 30 * SECOND_MS);
  });
});

describe('a scope whose model is unavailable', () => {
  const CODES = ['RATE_LIMITED', 'PROVIDER_ERROR', 'TIMEOUT', 'NOT_FOUND', 'UNAUTHENTICATED'];

  test.each(CODES)('is never dead-lettered with %s, and waits a minute at first', (code) => {
    const record = applyUnavailable(leased({ attempts: ATTEMPTS_MAX - 1 }), NOW, code);
    const hold = { until: NOW + MINUTE_MS, dueAt: NOW, code, since: NOW, exhaustion: null };
    expect(record).toMatchObject({ lease: null, deadLetter: null, attempts: 2, hold });
    expect(nextCheckAt(record)).toBe(NOW + MINUTE_MS);
    expect(isUnavailable(code)).toBe(true);
  });

  test.each([
    [MINUTE_MS, MINUTE_MS],
    [10 * MINUTE_MS, MINUTE_MS],
    [30 * MINUTE_MS, 3 * MINUTE_MS],
    [100 * MINUTE_MS, 10 * MINUTE_MS],
    [48 * HOUR_MS, 10 * MINUTE_MS],
  ])('with an outage of %d ms is tried again after %d ms', (lastedMs, pauseMs) => {
    const first = applyUnavailable(leased(), NOW, 'PROVIDER_ERROR');
    const now = NOW + lastedMs;
    const later = applyUnavailable({ ...first, lease: leaseOf(first) }, now, 'TIMEOUT');
    expect(later.hold).toMatchObject({ until: now + pauseMs, since: NOW, dueAt: NOW });
  });

  test('starts a new outage after another kind of failure', () => {
    const first = applyUnavailable(leased(), NOW, 'PROVIDER_ERROR');
    const failed = applyFailure(first, FAILURE, NOW + HOUR_MS);
    const later = applyUnavailable(failed, NOW + 2 * HOUR_MS, 'PROVIDER_ERROR');
    expect(later.hold).toMatchObject({ since: NOW + 2 * HOUR_MS });
  });

  test('is due as before once its model answers, and other scopes stay as they are', () => {
    const held = applyUnavailable(leased(), NOW, 'PROVIDER_ERROR');
    expect(waitsForModel(held)).toBe(true);
    const before = { hold: null, dueAt: NOW, dueTrigger: 'Urgent', version: held.version + 1 };
    expect(applyAvailable(held)).toEqual({ ...held, ...before });
    for (const other of [
      applyExhausted(leased(), EXHAUSTION, NOW),
      applyFailure(leased(), FAILURE, NOW),
      { ...held, lease: leaseOf(held) },
    ]) {
      expect(applyAvailable(other)).toBe(other);
    }
  });
});

describe('a scope that exhausted its budget', () => {
  const exhausted = applyExhausted(leased({ attempts: 1 }), EXHAUSTION, NOW);

  test('counts no failure and waits 15 minutes, recording what was lacking', () => {
    const hold = { code: 'BUDGET_EXHAUSTED', exhaustion: EXHAUSTION, dueAt: NOW };
    const dueAt = NOW + 15 * MINUTE_MS;
    expect(exhausted).toMatchObject({ lease: null, attempts: 1, deadLetter: null, version: 8 });
    expect(exhausted).toMatchObject({ dueAt, hold: { ...hold, until: dueAt } });
    expect(waitsForBudget(exhausted)).toBe(true);
  });

  test('waits no longer than its period lasts', () => {
    const now = EXHAUSTION.periodEndsAt - SECOND_MS;
    expect(applyExhausted(leased(), EXHAUSTION, now).dueAt).toBe(EXHAUSTION.periodEndsAt);
    expect(applyExhausted(leased(), null, now).dueAt).toBe(now + 15 * MINUTE_MS);
  });

  test('makes no call before its time, whatever is written or ends', () => {
    const writes = fc.array(
      fc.record({ waitMs: fc.integer({ min: 0, max: MINUTE_MS }), drops: fc.boolean() }),
      { maxLength: 14 },
    );
    fc.assert(
      fc.property(writes, (all) => {
        let record: ScopeRecord = { ...exhausted, nextExpiryAt: NOW - 1 };
        let now = NOW;
        for (const { waitMs, drops } of all) {
          now += waitMs;
          const rules = { policy: duePolicy(), now };
          record = applyChange(record, change(drops ? [DROPPED] : []), rules);
          expect(record.dueAt).toBe(NOW + 15 * MINUTE_MS);
          expect(nextCheckAt(record)).toBe(NOW + 15 * MINUTE_MS);
        }
      }),
    );
  });

  test.each<[string, Partial<Account>, isFunded: boolean]>([
    ['the same limit', { limitTokens: 100 }, false],
    ['a lower limit', { limitTokens: 90 }, false],
    ['a higher limit', { limitTokens: 101 }, true],
    ['no limit', { limitTokens: null }, true],
    ['a grant', { granted: { tokens: 1, microDollars: 0 } }, true],
    ['a grant of the other measure', { granted: { tokens: 0, microDollars: 9 } }, false],
  ])('is funded by more budget only: %s', (_, differing, isFunded) => {
    const record = applyFunds(exhausted, { ...ACCOUNT, ...differing });
    expect(record.hold === null).toBe(isFunded);
  });

  test('is due as before with more budget, and other scopes stay as they are', () => {
    const richer = { ...ACCOUNT, limitTokens: 1_000 };
    const funded = applyFunds(exhausted, richer);
    expect(funded).toMatchObject({ hold: null, dueAt: NOW, dueTrigger: 'Urgent', version: 9 });
    expect(withDue(funded, duePolicy(), NOW + HOUR_MS)).toMatchObject({ dueAt: NOW });
    const failed = applyFailure(leased(), FAILURE, NOW);
    expect(applyFunds(failed, richer)).toBe(failed);
  });

  test('stops waiting at the next check if its exhaustion is unknown', () => {
    const unknown = applyExhausted(leased(), null, NOW);
    expect(unknown.dueAt).toBe(NOW + 15 * MINUTE_MS);
    expect(applyFunds(unknown, ACCOUNT)).toMatchObject({ hold: null, dueAt: NOW });
  });

  test('stops waiting after a commit', () => {
    const committed = { ...exhausted, cited: new Set<string>(), generated: true };
    const record = applyCommit(exhausted, committed, { policy: duePolicy(), now: NOW });
    expect(record.hold).toBeNull();
  });

  test('stays pending if it was requested but is not due', () => {
    const asked = leased({ dueAt: null, dueTrigger: null, changes: 0 });
    const record = withDue(applyExhausted(asked, EXHAUSTION, NOW), duePolicy(), NOW + 1);
    expect(record).toMatchObject({ dueAt: NOW + 15 * MINUTE_MS, dueTrigger: 'Requested' });
  });
});

describe('a dead letter', () => {
  const dead = applyFailure(leased({ attempts: ATTEMPTS_MAX - 1 }), FAILURE, NOW);

  test('is due again with all its attempts if an operator retries it', () => {
    const retried = applyRetry(dead);
    const due = { dueAt: NOW, dueTrigger: 'Requested' };
    expect(retried).toMatchObject({ ...due, attempts: 0, deadLetter: null, version: 9 });
    expect(withDue(retried, duePolicy(), NOW + HOUR_MS).dueAt).toBe(NOW);
    expect(applyRetry(retried)).toBe(retried);
  });

  test('is due again at once if someone writes', () => {
    const now = NOW + SECOND_MS;
    const written = applyChange(dead, change([]), { policy: duePolicy(), now });
    expect(written).toMatchObject({ deadLetter: null, hold: null, attempts: 0, dueAt: now });
  });
});

describe('a scope whose sources changed during every attempt', () => {
  test('waits a minute whatever is written to it, and counts no failure', () => {
    const policy = duePolicy({ updateOnChanges: 2 });
    const before = leased({ attempts: 1, firstStaleAt: NOW });
    const outdated = applyOutdated(before, policy, NOW);
    const version = before.version + 1;
    expect(outdated).toMatchObject({ lease: null, attempts: 0, dueAt: NOW + MINUTE_MS, version });
    const written = applyChange(outdated, change([]), { policy, now: NOW + SECOND_MS });
    expect(written.dueAt).toBe(NOW + MINUTE_MS);
  });

  test('is due after a minute if it has no summary, even without a write', () => {
    const unmade = leased({ changes: 0, firstStaleAt: null, generatedAt: null });
    const due = { dueAt: NOW + MINUTE_MS, dueTrigger: 'Requested', hold: { code: 'CONFLICT' } };
    expect(applyOutdated(unmade, duePolicy(), NOW)).toMatchObject(due);
  });
});
