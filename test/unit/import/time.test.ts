import { describe, expect, test } from 'vitest';
import { timeOf } from '#cli/import/time.ts';

const NINE = Date.UTC(2026, 0, 31, 9);

describe('times', () => {
  test.each([
    ['2026-01-31T09:00:00Z', NINE],
    ['2026-01-31T09:00', NINE],
    ['2026-01-31 09:00:00', NINE],
    ['2026-01-31T10:00:00+01:00', NINE],
    ['2026-01-31T10:00:00.000+0100', NINE],
    ['2026-01-31', Date.UTC(2026, 0, 31)],
    [NINE, NINE],
    [NINE / 1_000, NINE],
    [0, 0],
    ['yesterday', null],
    ['2026-13-01', null],
    ['31.01.2026', null],
    ['', null],
    [-1, null],
    [Number.NaN, null],
    [1e300, null],
    [null, null],
    ['1969-01-01', null],
  ])('IMPORT-6: %j is %j', (value, expected) => {
    expect(timeOf(value)).toBe(expected);
  });
});
