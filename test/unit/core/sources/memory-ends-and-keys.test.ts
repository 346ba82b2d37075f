/** What ends when a memory on a day to come is added, and what an addition under a key does. */
import { describe, expect, test } from 'vitest';
import {
  endBy,
  isSameValue,
  keyedAddition,
  keyedAt,
  type Keyed,
} from '#core/sources/memory-ends-and-keys.ts';
import { DAY_MS, HOUR_MS, memoryOf, NOW } from '#test/conformance/samples.ts';

const NOON = NOW + 12 * HOUR_MS;
const DAY = NOW + 9 * DAY_MS;
const LATER = DAY + DAY_MS;

const old = memoryOf('acme', 1, { content: '800' });
const next = memoryOf('acme', 2, { content: '900', validFrom: DAY, key: 'rent' });

test.each([
  ['now', NOON, NOW, 'superseded'],
  ['later on the same day', NOON + HOUR_MS, NOW, 'superseded'],
  ['on a day to come', DAY, NOW, 'active'],
  ['on a day to come, after another to come', LATER, DAY, 'superseded'],
] as const)('a memory %s: the older one is %3$s', (_when, from, since, state) => {
  const newer = memoryOf('acme', 2, { validFrom: from });
  const end = endBy(memoryOf('acme', 1, { validFrom: since }), newer, NOON);
  expect(end).toEqual({ state, validTo: from, supersededBy: newer.id });
});

test.each([
  ['nobody', null, null, NOON, [null, null, null]],
  ['one that holds', old, null, NOON, ['800', null, null]],
  ['one to come', next, null, NOON, [null, '900', null]],
  ['both, before the day', old, next, NOON, ['800', '900', null]],
  ['both, on the day', old, next, DAY, ['900', null, '800']],
] as const)('a key of %s', (_whose, first, second, now, expected) => {
  const { holds, toCome, followed } = keyedAt(first, second, now);
  expect([holds, toCome, followed].map((each) => each?.content ?? null)).toEqual(expected);
});

describe('an addition under a key', () => {
  const BOTH: Keyed<typeof old> = { holds: old, toCome: next, followed: null };
  const HELD = { ...BOTH, toCome: null };
  const PLANNED = { ...BOTH, holds: null };

  test.each([
    // What the key has, the text, its day, the ids that it names; onto, ends, until.
    ['a value now', HELD, '850', NOON, [], ['800', null, null]],
    ['a value now, another planned', BOTH, '850', NOON, [], ['800', null, null]],
    ['a value now, only another planned', PLANNED, '850', NOON, [], [null, null, '900']],
    ['the planned value now', PLANNED, '900', NOON, [], ['900', null, null]],
    ['a value to come', HELD, '850', DAY, [], [null, '800', null]],
    ['the value that holds, to come', HELD, '800', DAY, [], ['800', null, null]],
    ['a second value to come', BOTH, '850', LATER, [], ['900', null, null]],
    ['one to come that names the first', BOTH, '850', LATER, [next.id], [null, '800', null]],
    ['a value of the day before', HELD, '750', NOW - HOUR_MS, [], [null, null, '800']],
    ['what holds, of the day before', HELD, '800', NOW - HOUR_MS, [], ['800', null, null]],
    ['an earlier value that names what holds', HELD, '750', NOW - 1, [old.id], [null, null, null]],
    ['one now that names what holds', BOTH, '850', NOON, [old.id], [null, null, '900']],
    ['one now that names both', BOTH, '850', NOON, [old.id, next.id], [null, null, null]],
  ] as const)('%s', (_what, keyed, content, validFrom, supersedes, expected) => {
    const memory = memoryOf('acme', 3, { content, validFrom });
    const done = keyedAddition(keyed, memory, { now: NOON, onKey: 'Update', supersedes });
    const { onto, ends, until } = done;
    expect([onto, ends, until].map((each) => each?.content ?? null)).toEqual(expected);
  });

  test.each([
    ['written without a time, replaces it', { validFrom: NOON, updatedAt: NOON }, '800', null],
    ['written with its time, is noted', { validFrom: NOON, updatedAt: NOON + 1 }, null, '800'],
  ] as const)('of the same morning, if the value was %s', (_how, times, onto, until) => {
    const held = { ...HELD, holds: { ...old, ...times } };
    const memory = memoryOf('acme', 3, { content: '850', validFrom: NOW + HOUR_MS });
    const done = keyedAddition(held, memory, { now: NOON + 1, onKey: 'Update' });
    expect([done.onto?.content ?? null, done.until?.content ?? null]).toEqual([onto, until]);
  });

  test('of the day before is refused if the caller asks for no update', () => {
    const memory = memoryOf('acme', 3, { content: '750', validFrom: NOW - HOUR_MS });
    expect(keyedAddition(HELD, memory, { now: NOON, onKey: 'Unite' }).onto).toBe(old);
  });

  test.each([
    ['the same text', { content: '800' }, 'Update', true],
    ['another text', { content: '850' }, 'Update', false],
    ['the same text, refusing', { content: '800' }, 'Refuse', false],
  ] as const)('that repeats %s', (_what, differing, onKey, expected) => {
    expect(isSameValue(old, memoryOf('acme', 3, differing), { now: NOON, onKey })).toBe(expected);
  });

  test.each([
    ['on its day', DAY, 'Update', true],
    ['on another day', LATER, 'Update', false],
    ['on another day, uniting', LATER, 'Unite', true],
    ['now', NOON, 'Update', true],
  ] as const)('that repeats a planned value %s', (_when, validFrom, onKey, expected) => {
    const memory = memoryOf('acme', 3, { content: '900', validFrom });
    expect(isSameValue(next, memory, { now: NOON, onKey })).toBe(expected);
  });
});
