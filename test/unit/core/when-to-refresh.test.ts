import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { dueOf, nextCheckAt, URGENT_SPACING_MS } from '#core/refresh/when-to-refresh.ts';
import type { DroppedSource, ScopeRecord } from '#core/records/scope-record.ts';
import type { ScopeChange } from '#core/sources/source-change.ts';
import { applyChange, applyCommit, withDue } from '#core/refresh/scope-transitions.ts';
import { digest, HOUR_MS, idOf, MINUTE_MS, NOW, SECOND_MS } from '#test/conformance/samples.ts';
import { duePolicy, heldUntil, settledScope } from './scope-records.ts';

const DROPPED: DroppedSource = { id: 'm-1', reason: 'SourceDeleted' };
const INTERVAL_MS = 30 * MINUTE_MS;
const AHEAD = NOW + 40 * 24 * HOUR_MS;
const AGED_AT = NOW + 24 * HOUR_MS;

function changeOf(n: number, dropped: readonly DroppedSource[] = []): ScopeChange {
  const lanes = [digest(`lane ${n}`)];
  return { lanes, sources: -1, tokens: -1, bytes: -4, dropped, written: [], expiresAt: null };
}

describe('due', () => {
  test('a clock that was ahead delays a scope no longer than a correct clock', () => {
    const ahead = NOW + 40 * 24 * HOUR_MS;
    const record = (at: number) =>
      settledScope({ changes: 3, checkedAt: at, generatedAt: at, firstStaleAt: NOW });
    for (const policy of [duePolicy(), { ...duePolicy(), leastIntervalMs: HOUR_MS }]) {
      expect(dueOf(record(ahead), policy, NOW)).toEqual(dueOf(record(NOW), policy, NOW));
    }
  });

  test.each<[string, Partial<ScopeRecord>]>([
    ['a change', { changes: 1, firstStaleAt: AHEAD }],
    ['a deletion', { changes: 1, droppedSources: [DROPPED], urgentAt: AHEAD }],
    ['a failure', { changes: 3, hold: heldUntil(AHEAD) }],
    [
      'a dead letter',
      { dueAt: AHEAD, deadLetter: { code: 'TIMEOUT', reason: 'TIMEOUT', at: AHEAD } },
    ],
  ])('%s recorded by a clock ahead delays a refresh by a day at most', (_, differing) => {
    const written = settledScope({ checkedAt: AHEAD, generatedAt: AHEAD, ...differing });
    const looked = nextCheckAt(withDue(written, duePolicy(), NOW)) ?? Infinity;
    const longest = differing.deadLetter === undefined ? INTERVAL_MS : 24 * HOUR_MS;
    expect(looked).toBeLessThanOrEqual(NOW + longest);
  });

  test.each<[string, Partial<ScopeRecord>, ReturnType<typeof dueOf>]>([
    [
      'SUM-12: an unchanged scope is due at its maximum age',
      {},
      { at: AGED_AT, trigger: 'MaxAge' },
    ],
    [
      'a change below the threshold is due at the interval',
      { changes: 2, firstStaleAt: NOW + 1 },
      { at: NOW + INTERVAL_MS, trigger: 'Interval' },
    ],
    [
      'SUM-05: a scope is due now with as many changes as the threshold',
      { changes: 3, firstStaleAt: NOW + 1 },
      { at: NOW + HOUR_MS / 4, trigger: 'Changes' },
    ],
    [
      'a first change long after the interval is due when it came',
      { changes: 1, checkedAt: NOW - 9 * HOUR_MS, firstStaleAt: NOW + MINUTE_MS },
      { at: NOW + MINUTE_MS, trigger: 'Interval' },
    ],
    [
      'a scope never checked is due an interval after the first change',
      { changes: 1, checkedAt: null, generatedAt: null, firstStaleAt: NOW },
      { at: NOW + INTERVAL_MS, trigger: 'Interval' },
    ],
    [
      'a scope without sources and changes is never due',
      { sourceCount: 0, generatedAt: null },
      null,
    ],
    [
      'a dropped cited source is due after the debounce time, above all other triggers',
      { changes: 9, firstStaleAt: NOW, droppedSources: [DROPPED], urgentAt: NOW + 1 },
      { at: NOW + 1 + 15 * SECOND_MS, trigger: 'Urgent' },
    ],
    [
      'a source dropped again is due a minute after the previous mark',
      { droppedSources: [DROPPED], urgentAt: NOW, checkedAt: NOW + SECOND_MS },
      { at: NOW + 75 * SECOND_MS, trigger: 'Urgent' },
    ],
    [
      'a dead letter is not due before the next write',
      { changes: 9, deadLetter: { code: 'TIMEOUT', reason: 'TIMEOUT', at: NOW } },
      null,
    ],
  ])('%s', (_, differing, due) => {
    expect(dueOf(settledScope(differing), duePolicy(), NOW + HOUR_MS / 4)).toEqual(due);
  });

  test('SUM-04: without skipIfUnchanged the interval also applies to an unchanged scope', () => {
    const policy = duePolicy({ skipIfUnchanged: false });
    const due = { at: NOW + INTERVAL_MS, trigger: 'Interval' };
    expect(dueOf(settledScope(), policy, NOW)).toEqual(due);
    const empty = settledScope({ sourceCount: 0, generatedAt: null });
    expect(dueOf(empty, policy, NOW)).toBeNull();
  });

  test('deleting 1,000 cited memories within a minute sets one urgent due time', () => {
    const gaps = fc.array(fc.integer({ min: 0, max: 59 }), { minLength: 1_000, maxLength: 1_000 });
    fc.assert(
      fc.property(gaps, (gapsMs) => {
        let record = settledScope({ sourceCount: 1_000 });
        let now = NOW;
        const marks = new Set<number | null>();
        for (const [n, gapMs] of gapsMs.entries()) {
          now += gapMs;
          const change = changeOf(n, [{ id: idOf(n), reason: 'SourceDeleted' }]);
          record = applyChange(record, change, { policy: duePolicy(), now });
          marks.add(record.dueAt);
          expect(record.dueTrigger).toBe('Urgent');
        }
        expect(marks.size).toBe(1);
        expect(record.droppedSources).toHaveLength(1_000);
      }),
      { numRuns: 3 },
    );
  });

  const traffic = fc.array(
    fc.record({ waitMs: fc.integer({ min: 0, max: 20 * MINUTE_MS }), drops: fc.boolean() }),
    { maxLength: 60 },
  );

  test('writes never postpone a due time that has passed', () => {
    fc.assert(
      fc.property(traffic, (writes) => {
        let record = settledScope();
        let now = NOW;
        for (const [n, { waitMs, drops }] of writes.entries()) {
          const before = record;
          now += waitMs;
          const change = changeOf(n, drops ? [{ id: idOf(n), reason: 'SourceDeleted' }] : []);
          record = applyChange(record, change, { policy: duePolicy(), now });
          const waiting = before.dueAt !== null && before.dueAt <= now;
          // The first dropped source may cost the pause in which others join it.
          const isFirstDrop = drops && before.dueTrigger !== 'Urgent';
          if (waiting && !isFirstDrop) expect(record.dueAt).toBeLessThanOrEqual(before.dueAt ?? 0);
        }
      }),
    );
  });

  test('a changed scope is due at most an interval after the first change', () => {
    fc.assert(
      fc.property(traffic, (writes) => {
        let record = settledScope();
        let now = NOW;
        for (const [n, { waitMs }] of writes.entries()) {
          now += waitMs;
          record = applyChange(record, changeOf(n), { policy: duePolicy(), now });
          const first = record.firstStaleAt ?? 0;
          expect(record.dueAt).toBeLessThanOrEqual(first + INTERVAL_MS);
          if (record.changes >= 3) expect(record.dueAt).toBeLessThanOrEqual(now);
        }
      }),
    );
  });

  test('a scope is marked urgent at most once a minute', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 90 * SECOND_MS }), { maxLength: 50 }),
        (waits) => {
          let record = settledScope();
          let now = NOW;
          const marks: number[] = [];
          for (const [n, waitMs] of waits.entries()) {
            now += waitMs;
            record = applyChange(record, changeOf(n, [DROPPED]), { policy: duePolicy(), now });
            const { urgentAt } = record;
            if (urgentAt !== null && marks.at(-1) !== urgentAt) marks.push(urgentAt);
          }
          const gaps = marks.slice(1).map((mark, at) => mark - (marks[at] ?? 0));
          for (const gap of gaps) expect(gap).toBeGreaterThanOrEqual(URGENT_SPACING_MS);
        },
      ),
    );
  });

  test('deletions are batched for 15 s and handled at most once a minute', () => {
    const waits = fc.array(fc.integer({ min: 0, max: 40 * SECOND_MS }), { maxLength: 40 });
    fc.assert(
      fc.property(waits, (all) => {
        let record = settledScope({ sourceCount: 100 });
        const deletions = all.map((_, n) => NOW + sum(all.slice(0, n + 1)));
        const seenTo: number[] = [];
        const end = (deletions.at(-1) ?? NOW) + 2 * MINUTE_MS;
        for (let now = NOW; now <= end; now += SECOND_MS) {
          for (const at of deletions.filter((each) => each > now - SECOND_MS && each <= now)) {
            const change = changeOf(at, [{ id: idOf(at - NOW), reason: 'SourceDeleted' }]);
            record = applyChange(record, change, { policy: duePolicy(), now: at });
          }
          if (record.dueTrigger !== 'Urgent' || (record.dueAt ?? Infinity) > now) continue;
          const committed = { ...record, cited: new Set<string>(), generated: true };
          record = applyCommit(record, committed, { policy: duePolicy(), now });
          seenTo.push(now);
        }
        expect(record.droppedSources).toEqual([]);
        expect(seenTo.length > 0).toBe(deletions.length > 0);
        for (const [n, at] of seenTo.entries()) {
          const before = seenTo[n - 1] ?? -Infinity;
          expect(at - before).toBeGreaterThanOrEqual(URGENT_SPACING_MS - SECOND_MS);
          const first = deletions.find((each) => each > before) ?? 0;
          expect(at - first).toBeGreaterThanOrEqual(15 * SECOND_MS - SECOND_MS);
          expect(at - first).toBeLessThanOrEqual(75 * SECOND_MS + SECOND_MS);
        }
      }),
    );
  });
});

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
