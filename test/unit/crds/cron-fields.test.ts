import { Cron } from 'croner';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { cronField5, timeZoneField } from '#crds/cron-fields.ts';
import { TIME_ZONES } from '#crds/cron-fields.ts';

const cron = cronField5({ is: 'When.', example: '"0 3 * * *"' });
const timeZone = timeZoneField({ is: 'Where.', example: 'UTC' });

/** Mostly right: in range and ascending; now and then neither. */
const cronPart = (min: number, max: number, names: readonly string[] = []) => {
  const number = fc.oneof(
    { weight: 40, arbitrary: fc.integer({ min, max }) },
    { weight: 1, arbitrary: fc.constantFrom(min - 1, max + 1) },
  );
  const one = fc.oneof(number.map(String), fc.constantFrom('*', ...names));
  const sorted = fc.tuple(number, number).map((pair) => pair.toSorted((a, b) => a - b).join('-'));
  const named = fc.tuple(one, one).map(([from, to]) => `${from}-${to}`);
  const range = fc.oneof({ weight: 9, arbitrary: sorted }, { weight: 1, arbitrary: named });
  const stepped = fc
    .tuple(
      fc.oneof(range, fc.constant('*')),
      fc.integer({ min: 1, max: Math.max(2, Math.floor(max / 2)) }),
    )
    .map(([of, step]) => `${of}/${String(step)}`);
  const part = fc.oneof(one, range, stepped);
  return fc.array(part, { minLength: 1, maxLength: 2 }).map((parts) => parts.join(','));
};
const CRONS = fc
  .tuple(
    cronPart(0, 59),
    cronPart(0, 23),
    cronPart(1, 31),
    cronPart(1, 12, ['JAN', 'DEC']),
    cronPart(0, 6, ['MON', 'FRI', 'SUN']),
  )
  .map((parts) => parts.join(' '));

test('the scheduler accepts every cron that the field accepts', () => {
  let taken = 0;
  fc.assert(
    fc.property(CRONS, (text) => {
      if (!cron.safeParse(text).success) return;
      taken += 1;
      expect(() => new Cron(text, { paused: true, timezone: 'UTC' })).not.toThrow();
    }),
    { numRuns: 2_000, seed: 6 },
  );
  expect(taken).toBeGreaterThan(50);
});

test('every time zone that JavaScript lists is accepted', () => {
  const refused = Intl.supportedValuesOf('timeZone').filter(
    (zone) => !timeZone.safeParse(zone).success,
  );
  expect(refused).toEqual([]);
});

test('JavaScript supports every accepted time zone', () => {
  const refused = [...TIME_ZONES].filter((zone) => !timeZone.safeParse(zone).success);
  expect(refused).toEqual([]);
  for (const zone of TIME_ZONES) {
    expect(() => new Intl.DateTimeFormat('en', { timeZone: zone })).not.toThrow();
  }
});

test.each([
  ['Asia/Calcutta', true],
  ['Asia/Kolkata', true],
  ['Asia/KOLKATA', false],
  ['Europe/Kiev', true],
  ['Europe/Kyiv', true],
  ['Europe/kyiv', false],
  ['US/Pacific', true],
  ['US/PACIFIC', false],
  ['Us/Pacific', false],
  ['Etc/GMT+12', true],
  ['Etc/GMT+13', false],
  ['Etc/GMT-14', true],
  ['SystemV/EST5', false],
])('the zone %s is accepted as written: %s', (zone, isTaken) => {
  expect(timeZone.safeParse(zone).success).toBe(isTaken);
});

test('a zone in another letter case is refused', () => {
  const zones = fc.constantFrom(...TIME_ZONES).filter((zone) => zone !== 'UTC');
  fc.assert(
    fc.property(zones, fc.nat(), (zone, at) => {
      const letters = [...zone.matchAll(/[a-z]/gu)].map(({ index }) => index);
      const index = letters[at % letters.length] ?? 0;
      const other = zone.slice(0, index) + zone.charAt(index).toUpperCase() + zone.slice(index + 1);
      expect(timeZone.safeParse(other).success).toBe(false);
      expect(other).not.toBe(zone);
    }),
  );
});
