/** Which numbers count as computed from those of the sources. */
import { describe, expect, test } from 'vitest';
import { isDerivedFrom, type DerivationOperation } from '#core/grounding/derived-numbers.ts';
import { plainText } from '#core/grounding/comparable-text.ts';
import { measuresOf } from '#core/grounding/quantities-and-times.ts';
import { tokensOf } from '#core/text/words-and-marks.ts';

/** A Tuesday. */
const AT = Date.UTC(2026, 10, 24);
const DAY_MS = 86_400_000;

const measured = (text: string) => measuresOf(tokensOf(plainText(text)), 'en');

function isDerived(
  stated: string,
  operation: DerivationOperation,
  texts: readonly string[],
  at = AT,
) {
  const [quantity] = measured(stated).quantities;
  if (quantity === undefined) throw new Error(`No number is in ${stated}`);
  const sources = texts.map((text) => ({ measures: measured(text), at }));
  return isDerivedFrom(quantity, operation, sources);
}

const PAID = ['Ann paid 20 euros.', 'Bob paid 30 euros.', 'Cleo paid 100 euros.'];
const SHIFTS = ['Ann worked 90 minutes.', 'Bob worked 2 hours.'];
const TABLE = ['The rows are 4 apples, 6 apples and 20 apples.'];

describe('a number', () => {
  test.each<[DerivationOperation, string, readonly string[], yes: string, no: string]>([
    ['sum', 'of several sources', PAID, '150 euros', '149 euros'],
    ['sum', 'in another unit', SHIFTS, '3.5 hours', '92 hours'],
    ['sum', 'of one source', TABLE, '30 apples', '26 apples'],
    ['average', 'of several sources', PAID, '50 euros', '30 euros'],
    [
      'average',
      'rounded as people do',
      ['It took 1 hour.', 'It took 1 hour.', 'It took 2 hours.'],
      '1.33 hours',
      '1.3 hours',
    ],
    ['average', 'of one source', TABLE, '10 apples', '6 apples'],
    ['difference', 'of two sources', PAID, '80 euros', '60 euros'],
    ['difference', 'within one source', TABLE, '16 apples', '15 apples'],
    ['min', 'of several sources', PAID, '20 euros', '30 euros'],
    ['min', 'within one source', TABLE, '4 apples', '6 apples'],
    ['max', 'of several sources', PAID, '100 euros', '30 euros'],
    ['max', 'in another unit', SHIFTS, '120 minutes', '2 minutes'],
    ['count', 'of the sources', PAID, '3 payments', '2 payments'],
  ])('is the %s %s: %s', (operation, _, texts, yes, no) => {
    expect(isDerived(yes, operation, texts)).toBe(true);
    expect(isDerived(no, operation, texts)).toBe(false);
  });

  test('is derived only from numbers of the same thing', () => {
    const trips = ['Ann drove 3 trips in 2 cars.', 'Bob drove 4 trips in 5 cars.'];
    expect(isDerived('7 trips', 'sum', trips)).toBe(true);
    expect(isDerived('8 trips', 'sum', trips)).toBe(false);
    expect(isDerived('7 cars', 'sum', trips)).toBe(true);
  });

  test.each<[DerivationOperation, string]>([
    ['sum', '20 euros'],
    ['average', '20 euros'],
    ['min', '20 euros'],
    ['max', '20 euros'],
    ['difference', '0 euros'],
  ])('is not a %s if a source has no number of its unit', (operation, stated) => {
    for (const other of ['Bob paid nothing.', 'Bob waited 20 minutes.']) {
      expect(isDerived(stated, operation, ['Ann paid 20 euros.', other])).toBe(false);
    }
  });

  test('is not a sum of sources with too many numbers to decide', () => {
    const row = (n: number) => {
      const counts = Array.from({ length: 20 }, (_, k) => String(7 ** n + k * 400 ** n));
      return `There were ${counts.join(' boxes, ')} boxes.`;
    };
    const rows = [0, 1, 2, 3].map(row);
    expect(isDerived(`${String(1 + 7)} boxes`, 'sum', rows.slice(0, 2))).toBe(true);
    expect(isDerived(`${String(1 + 7 + 49 + 343)} boxes`, 'sum', rows)).toBe(false);
  });
});

describe('a duration', () => {
  test.each<[string, readonly string[], yes: string, no: string]>([
    [
      'between two dates',
      ['It began on 3 May 2026.', 'It ended on 13 May 2026.'],
      '10 days',
      '11 days',
    ],
    [
      'between dates of two years',
      ['It began on 25 December 2025.', 'It ended on 1 January 2026.'],
      '7 days',
      '8 days',
    ],
    [
      'between dates without a year',
      ['It began on 3 May.', 'It ended on 17 May.'],
      '2 weeks',
      '3 weeks',
    ],
    ['in whole weeks', ['It began on 3 May.', 'It ended on 23 May.'], '3 weeks', '2 weeks'],
    [
      'between two times of day',
      ['We met at 14:00.', 'We left at 16:30.'],
      '150 minutes',
      '160 minutes',
    ],
    ['since a relative day', ['It broke yesterday.', 'It works.'], '1 day', '2 days'],
  ])('is derived %s', (_, texts, yes, no) => {
    expect(isDerived(yes, 'duration', texts)).toBe(true);
    expect(isDerived(no, 'duration', texts)).toBe(false);
  });

  test('is derived from the days of its sources if they name none', () => {
    const [quantity] = measured('5 days').quantities;
    const said = (days: number) => ({ measures: measured('It rains.'), at: AT + days * DAY_MS });
    if (quantity === undefined) throw new Error('There is no number.');
    expect(isDerivedFrom(quantity, 'duration', [said(0), said(5)])).toBe(true);
    expect(isDerivedFrom(quantity, 'duration', [said(0), said(6)])).toBe(false);
  });

  test('is not derived for a number of something else', () => {
    const texts = ['It began on 3 May.', 'It ended on 13 May.'];
    expect(isDerived('10 euros', 'duration', texts)).toBe(false);
    expect(isDerived('10 boxes', 'duration', texts)).toBe(false);
  });
});
