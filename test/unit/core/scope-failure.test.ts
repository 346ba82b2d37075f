import { describe, expect, test } from 'vitest';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { applyFailure, applyRelease, ATTEMPTS_MAX } from '#core/scope-failure.ts';
import { HOUR_MS, leaseOf, NOW, SECOND_MS } from '#test/conformance/samples.ts';
import { settledScope } from './scope-records.ts';

const FAILURE = { code: 'TIMEOUT', reason: 'TIMEOUT' };

function leased(differing: Partial<ScopeRecord> = {}): ScopeRecord {
  const record = settledScope({ dueAt: NOW, dueTrigger: 'Urgent', changes: 4, ...differing });
  return { ...record, lease: leaseOf(record) };
}

describe('a failed scope', () => {
  test.each([
    [1, 30 * SECOND_MS],
    [2, 60 * SECOND_MS],
  ])('TMP-01: is tried again after failure %d, in %d ms', (failures, pauseMs) => {
    const record = applyFailure(leased({ attempts: failures - 1 }), FAILURE, NOW);
    const expected = { lease: null, attempts: failures, deadLetter: null, dueTrigger: 'Urgent' };
    expect(record).toMatchObject({ ...expected, dueAt: NOW + pauseMs, version: 8 });
  });

  test('TMP-01: is put aside after three failures, with the reason and without a due time', () => {
    const record = applyFailure(leased({ attempts: ATTEMPTS_MAX - 1 }), FAILURE, NOW);
    expect(record).toMatchObject({
      lease: null,
      attempts: ATTEMPTS_MAX,
      dueAt: null,
      dueTrigger: null,
      deadLetter: { ...FAILURE, at: NOW },
      changes: 4,
    });
  });

  test("SUM-15: a release that was nobody's failure counts none and comes back", () => {
    const record = applyRelease(leased({ attempts: 1 }), NOW + HOUR_MS);
    expect(record).toMatchObject({ lease: null, attempts: 1, dueAt: NOW + HOUR_MS, version: 8 });
    expect(record.deadLetter).toBeNull();
    expect(applyRelease(leased(), NOW + HOUR_MS).attempts).toBe(0);
  });

  test('SUM-15: a source that ended does not call for the next try before its time', () => {
    const record = applyRelease(leased({ nextExpiryAt: NOW - 1 }), NOW + HOUR_MS);
    // With an attempt on record the due time alone counts (core/window.ts, providers/sqlite).
    expect(record).toMatchObject({ attempts: 1, dueAt: NOW + HOUR_MS });
    expect(applyRelease(record, NOW + 2 * HOUR_MS).attempts).toBe(1);
  });
});
