/** How the schedules of dreams change: a table of records and declarations. */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { roundBegun, roundLeftOut } from '#core/dreams/dream-round.ts';
import {
  cronHash,
  scheduleChanges,
  type DeclaredDreams,
  type ScheduleChange,
} from '#core/dreams/schedule-changes.ts';
import type { DreamSchedule } from '#core/records/dream-schedule.ts';
import { calendar, digest } from '../../operator/policy-store.ts';

const NIGHT = { name: 'nightly', cron: '30 3 * * *', timeZone: 'UTC' };
/** Noon, so that the next night is tomorrow's. */
const NOW = Date.UTC(2026, 10, 21, 12);
const NEXT = Date.UTC(2026, 10, 22, 3, 30);
const DAY_MS = 86_400_000;
const moment = { now: NOW, calendar, digest };

const declaredOf = (...dreams: (typeof NIGHT)[]): DeclaredDreams => {
  return { tenant: 'acme', dreams, generation: 4 };
};

function stored(differing: Partial<DreamSchedule> = {}): DreamSchedule {
  return {
    tenant: 'acme',
    name: 'nightly',
    cronHash: cronHash(digest, NIGHT),
    policyGeneration: 4,
    nextAt: NEXT,
    startedAfter: null,
    last: {
      at: NEXT - DAY_MS,
      started: 1,
      outcomes: { Dreamed: 1 },
      counted: [],
      startedAt: NEXT - DAY_MS,
      endedAt: NOW,
    },
    version: 7,
    ...differing,
  };
}

/** `put nightly 2026-11-22T03:30:00.000Z moved`, one for each change. */
function told(changes: readonly ScheduleChange[]): readonly string[] {
  return changes.map((change) => {
    if (change.kind === 'Remove') return `remove ${change.name}`;
    const { name, nextAt } = change.schedule;
    const at = nextAt === null ? 'never' : new Date(nextAt).toISOString().slice(0, 16);
    return `put ${name} ${at}${change.isMoved ? ' moved' : ''}`;
  });
}

const BERLIN = { ...NIGHT, timeZone: 'Europe/Berlin' };
const NEVER = { ...NIGHT, cron: '0 0 30 2 *' };
const asNever = stored({ cronHash: cronHash(digest, NEVER), nextAt: null });

const SITUATIONS: readonly (readonly [
  it: string,
  dreams: readonly (typeof NIGHT)[],
  records: readonly DreamSchedule[],
  expected: readonly string[],
])[] = [
  [
    'a new schedule starts at the first time from now',
    [NIGHT],
    [],
    ['put nightly 2026-11-22T03:30 moved'],
  ],
  ['a schedule that is as declared stays', [NIGHT], [stored()], []],
  ['a due schedule is left to be started', [NIGHT], [stored({ nextAt: NOW })], []],
  [
    'a long overdue schedule is left to be started',
    [NIGHT],
    [stored({ nextAt: NEXT - 9 * DAY_MS })],
    [],
  ],
  [
    'another time zone moves the next time',
    [BERLIN],
    [stored()],
    ['put nightly 2026-11-22T02:30 moved'],
  ],
  [
    'a later policy with the same schedule is recorded',
    [NIGHT],
    [stored({ policyGeneration: 3 })],
    ['put nightly 2026-11-22T03:30'],
  ],
  ['the schedule of a later policy stays', [BERLIN], [stored({ policyGeneration: 5 })], []],
  ['a schedule that is no longer declared is removed', [], [stored()], ['remove nightly']],
  ['an undeclared schedule of a later policy stays', [], [stored({ policyGeneration: 5 })], []],
  [
    'a time that does not match cron is corrected',
    [NIGHT],
    [stored({ nextAt: NEXT - 60_000 })],
    ['put nightly 2026-11-22T03:30 moved'],
  ],
  [
    'a postponed night is corrected',
    [NIGHT],
    [stored({ nextAt: NEXT + DAY_MS })],
    ['put nightly 2026-11-22T03:30 moved'],
  ],
  [
    'a schedule that was postponed forever is corrected',
    [NIGHT],
    [stored({ nextAt: null })],
    ['put nightly 2026-11-22T03:30 moved'],
  ],
  ['a day that no calendar has never comes', [NEVER], [], ['put nightly never moved']],
  ['a schedule that never comes stays', [NEVER], [asNever], []],
  ['an invalid cron never comes', [{ ...NIGHT, cron: 'soon' }], [], ['put nightly never moved']],
  [
    'an unknown time zone never comes',
    [{ ...NIGHT, timeZone: 'Moon/Sea' }],
    [],
    ['put nightly never moved'],
  ],
  [
    'each schedule is judged on its own',
    [NIGHT, { ...NIGHT, name: 'weekly', cron: '0 4 * * 0' }],
    [stored(), stored({ name: 'hourly' })],
    ['put weekly 2026-11-22T04:00 moved', 'remove hourly'],
  ],
];

describe('the schedules of dreams', () => {
  test.each(SITUATIONS)('%s', (_, dreams, records, expected) => {
    expect(told(scheduleChanges(declaredOf(...dreams), records, moment))).toEqual(expected);
  });

  test('a running round and the last one survive a change of cron', () => {
    const record = stored({ startedAfter: 'agent:a' });
    const [change] = scheduleChanges(declaredOf(BERLIN), [record], moment);
    expect(change).toMatchObject({
      schedule: { startedAfter: 'agent:a', last: record.last, version: 8, policyGeneration: 4 },
    });
  });

  test('a schedule whose round a clock ahead has just started stays', () => {
    // Both look at the same night, and one of them is past it already.
    const before = { ...moment, now: NEXT - 5_000 };
    expect(scheduleChanges(declaredOf(NIGHT), [stored({ nextAt: NEXT + DAY_MS })], before)).toEqual(
      [],
    );
  });

  test('a round that begins causes no drift on clocks half a minute apart', () => {
    for (const cron of ['30 3 * * *', '* * * * *']) {
      const dream = { ...NIGHT, cron };
      const due = stored({ cronHash: cronHash(digest, dream), nextAt: NEXT });
      for (const apartMs of [-30_000, -1, 0, 1, 30_000]) {
        const following = calendar.nextTime(cron, 'UTC', NEXT + 1);
        const begun = roundBegun({ ...due, nextAt: NEXT }, following);
        const at = { ...moment, now: NEXT + 1 + apartMs };
        expect(scheduleChanges(declaredOf(dream), [begun], at)).toEqual([]);
      }
    }
  });

  test('a schedule left out because its tenant was released gets a time again', () => {
    const left = roundLeftOut(stored({ nextAt: NOW }), null, NOW);
    const changes = told(scheduleChanges(declaredOf(NIGHT), [left], moment));
    expect(changes).toEqual(['put nightly 2026-11-22T03:30 moved']);
  });

  test('a schedule just written needs no change at any moment before it is due', () => {
    const crons = ['30 3 * * *', '*/7 * * * *', '0 2 29 2 *', '15 2 * * SUN', '0 0 31 4 *'];
    const zones = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];
    fc.assert(
      fc.property(
        fc.constantFrom(...crons),
        fc.constantFrom(...zones),
        fc.integer({ min: Date.UTC(2026, 0), max: Date.UTC(2030, 0) }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (...[cron, timeZone, now, share]) => {
          const declared = declaredOf({ name: 'nightly', cron, timeZone });
          const [made] = scheduleChanges(declared, [], { ...moment, now });
          if (made?.kind !== 'Put') throw new Error('Nothing was made.');
          const { nextAt } = made.schedule;
          const later = now + Math.floor(((nextAt ?? now) - now) * share);
          const again = scheduleChanges(declared, [made.schedule], { ...moment, now: later });
          expect(again).toEqual([]);
        },
      ),
    );
  });
});
