/** A round begins, starts its dreams, and counts how they end. */
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  dreamCounted,
  roundBegun,
  roundClosed,
  roundDreamId,
  roundLeftOut,
  subjectsStarted,
} from '#core/dreams/dream-round.ts';
import { DreamOutcome } from '#core/records/dream-outcome.ts';
import {
  COUNTED_DREAMS_MAX,
  DreamSchedule,
  dueAtOf,
  ROUND_MS_MAX,
} from '#core/records/dream-schedule.ts';
import { roundOf, scheduleOf } from '#test/conformance/document-samples.ts';
import { digest, NOW } from '#test/conformance/samples.ts';

const TENANT = 'acme';
const DUE = { ...scheduleOf(TENANT), nextAt: NOW };
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/u;

const last = roundOf(NOW, { started: 3, startedAt: NOW });
const AT_WORK = { ...DUE, last };
const dreamOf = (dreamId: string, outcome: DreamOutcome = 'Dreamed') => ({
  dreamId,
  at: NOW,
  outcome,
  now: NOW + 5,
});

describe('a round', () => {
  test('begins with nothing started and with the next time set', () => {
    const begun = roundBegun(DUE, NOW + 1_000);
    expect(begun).toMatchObject({ nextAt: NOW + 1_000, startedAfter: '', version: 2 });
    expect(begun.last).toEqual(roundOf(NOW));
    expect(DreamSchedule.parse(begun)).toEqual(begun);
  });

  test('that is left out is not found again', () => {
    const starting = { ...AT_WORK, startedAfter: 'user/ann' };
    const left = roundLeftOut(starting, null, NOW + 5);
    expect(left).toMatchObject({ nextAt: null, startedAfter: null, version: 2 });
    // What it started until then has its time to end.
    expect(left.last).toEqual({ ...last, startedAt: NOW + 5 });
    expect(roundLeftOut(AT_WORK, null, NOW + 5).last).toEqual(last);
  });

  test('that is still starting its subjects does not end with those already started', () => {
    const starting = { ...AT_WORK, last: roundOf(NOW, { started: 1 }) };
    const counted = dreamCounted(starting, dreamOf('a'))?.last;
    expect(counted).toMatchObject({ started: 1, counted: ['a'], startedAt: null, endedAt: null });
  });

  const OPEN = { ...AT_WORK, last: roundOf(NOW, { started: 3, startedAt: NOW + 1 }) };
  const CLOSES_AT = NOW + 1 + ROUND_MS_MAX;

  test.each<[string, DreamSchedule, number]>([
    ['before its time', OPEN, CLOSES_AT - 1],
    ['after it has ended', { ...OPEN, last: { ...OPEN.last, endedAt: NOW + 9 } }, CLOSES_AT],
    [
      'while it is still starting its subjects',
      { ...AT_WORK, startedAfter: 'user/ann' },
      CLOSES_AT,
    ],
    ['if it never began', { ...OPEN, last: null }, CLOSES_AT],
  ])('is not closed %s', (_, schedule, now) => {
    expect(roundClosed(schedule, now)).toBeNull();
  });

  test('is closed once no dream can still run, and counts missing dreams as failed', () => {
    const told = [dreamOf('a'), dreamOf('b', 'Failed')];
    const open = told.reduce<DreamSchedule>(
      (schedule, dream) => dreamCounted(schedule, dream) ?? schedule,
      { ...OPEN, last: { ...OPEN.last, started: 5 } },
    );
    const closed = roundClosed(open, CLOSES_AT);
    expect(closed?.missing).toBe(3);
    expect(closed?.schedule).toMatchObject({
      version: open.version + 1,
      last: { started: 5, outcomes: { Dreamed: 1, Failed: 4 }, endedAt: CLOSES_AT },
    });
    expect(dueAtOf(closed?.schedule ?? open)).toBe(open.nextAt);
  });

  test('that was closed counts no late dream', () => {
    const closed = roundClosed(OPEN, CLOSES_AT)?.schedule ?? OPEN;
    expect(dreamCounted(closed, dreamOf('late'))).toBeNull();
    const ended = { ...OPEN, last: { ...OPEN.last, endedAt: CLOSES_AT - 1 } };
    expect(dreamCounted(ended, dreamOf('late'))?.last?.outcomes).toEqual({ Dreamed: 1 });
  });

  test.each([
    ['is not over while subjects remain to be started', 'user/bob', {}, null],
    ['is over if none was started', null, {}, NOW + 5],
    ['is over if all have ended', null, { Dreamed: 2, Failed: 1 }, NOW + 5],
    ['is not over if some have not ended', null, { Dreamed: 2 }, null],
  ])('%s', (_, after, outcomes, endedAt) => {
    const started = after === null && Object.keys(outcomes).length === 0 ? 0 : 3;
    const schedule = { ...DUE, startedAfter: '', last: roundOf(NOW, { started, outcomes }) };
    const next = subjectsStarted(schedule, { after, started: 0, now: NOW + 5 });
    expect(next).toMatchObject({ startedAfter: after, last: { started, endedAt } });
  });

  test('counts an ended dream as started, even if the tick died before it reported the start', () => {
    const counted = dreamCounted(
      { ...AT_WORK, last: roundOf(NOW, { startedAt: NOW }) },
      dreamOf('a'),
    );
    expect(counted?.last).toMatchObject({ started: 1, endedAt: NOW + 5 });
  });

  test('counts every dream once, in any order and however often it is reported', () => {
    const told = fc.array(
      fc.record({ n: fc.nat(9), outcome: fc.constantFrom(...DreamOutcome.options) }),
    );
    fc.assert(
      fc.property(told, (ends) => {
        let schedule: DreamSchedule = { ...AT_WORK, last: { ...last, started: 10 } };
        for (const { n, outcome } of ends) {
          schedule = dreamCounted(schedule, dreamOf(`dream-${String(n)}`, outcome)) ?? schedule;
        }
        const outcomes = Object.values(schedule.last?.outcomes ?? {});
        const sum = outcomes.reduce((all, count) => all + count, 0);
        const dreams = new Set(ends.map(({ n }) => n)).size;
        expect(sum).toBe(dreams);
        expect(schedule.last?.endedAt).toBe(dreams === 10 ? NOW + 5 : null);
      }),
    );
  });

  test('remembers why the last dream failed, or TIMEOUT for one that never reported', () => {
    const failed = { ...dreamOf('a', 'Failed'), code: 'PROVIDER_ERROR' } as const;
    const first = dreamCounted(AT_WORK, failed) ?? AT_WORK;
    expect(first.last?.failureCode).toBe('PROVIDER_ERROR');
    const second = dreamCounted(first, { ...dreamOf('b', 'Failed'), code: 'TIMEOUT' }) ?? first;
    expect(second.last?.failureCode).toBe('TIMEOUT');
    const third = dreamCounted(first, dreamOf('b', 'Dreamed'));
    expect(third?.last?.failureCode).toBe('PROVIDER_ERROR');
    expect(DreamSchedule.parse(second)).toEqual(second);
    const closed = roundClosed(OPEN, CLOSES_AT);
    expect(closed?.schedule.last?.failureCode).toBe('TIMEOUT');
    const told = { ...OPEN, last: { ...OPEN.last, failureCode: 'PROVIDER_ERROR' } };
    expect(roundClosed(told, CLOSES_AT)?.schedule.last?.failureCode).toBe('PROVIDER_ERROR');
    const whole = { ...OPEN, last: { ...OPEN.last, outcomes: { Dreamed: 3 } } };
    expect(roundClosed(whole, CLOSES_AT)?.schedule.last).not.toHaveProperty('failureCode');
  });

  test('ignores the dreams of another round', () => {
    expect(dreamCounted(AT_WORK, { ...dreamOf('a'), at: NOW - 1 })).toBeNull();
    expect(dreamCounted({ ...AT_WORK, last: null }, dreamOf('a'))).toBeNull();
  });

  test('remembers only the latest dreams, up to a maximum', () => {
    let schedule: DreamSchedule = { ...AT_WORK, last: roundOf(NOW, { started: 9_999 }) };
    for (let n = 0; n <= COUNTED_DREAMS_MAX; n += 1) {
      schedule = dreamCounted(schedule, dreamOf(`dream-${String(n)}`)) ?? schedule;
    }
    expect(schedule.last?.counted).toHaveLength(COUNTED_DREAMS_MAX);
    expect(schedule.last?.counted.at(-1)).toBe(`dream-${String(COUNTED_DREAMS_MAX)}`);
    expect(DreamSchedule.parse(schedule)).toEqual(schedule);
  });
});

describe('the id of a dream of a round', () => {
  const name = { tenant: TENANT, name: 'nightly', at: NOW, subjectId: 'a' };

  test('is a UUIDv7 that is the same for the same input and differs for any other', () => {
    const id = roundDreamId(digest, name);
    expect(id).toMatch(UUID_V7);
    expect(roundDreamId(digest, { ...name })).toBe(id);
    const others = [
      { ...name, tenant: 'b' },
      { ...name, name: 'weekly' },
      { ...name, at: NOW + 1 },
      { ...name, subjectId: 'b' },
    ].map((other) => roundDreamId(digest, other));
    expect(new Set([id, ...others]).size).toBe(5);
  });

  test('sorts by the time of its round', () => {
    const time = fc.nat(2 ** 47);
    fc.assert(
      fc.property(time, time, (one, other) => {
        fc.pre(one < other);
        const ids = [one, other].map((at) => roundDreamId(digest, { ...name, at }));
        expect(ids.toSorted()).toEqual(ids);
      }),
    );
  });
});
