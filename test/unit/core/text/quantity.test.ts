/** Which numbers and units stand in a text. */
import { describe, expect, test } from 'vitest';
import { quantityAt } from '#core/text/quantity.ts';
import { tokensOf } from '#core/text/token.ts';

/** Of the first quantity in a text: what it may be, and the dimension of its unit. */
function read(text: string) {
  const tokens = tokensOf(text);
  const found = tokens.map((_, at) => quantityAt(tokens, at)).find((each) => each !== null);
  return { values: found?.values, units: found?.units.map(({ dimension }) => dimension) };
}

describe('a quantity', () => {
  test.each<[string, number | readonly number[]]>([
    ['1200 rows', 1_200],
    ['1 200 rows', 1_200],
    ['12 345 678 rows', 12_345_678],
    ['1200 300 rows', 1_200],
    ['1,200,000 rows', 1_200_000],
    ["1'200 rows", 1_200],
    ['1,200 rows', [1_200, 1.2]],
    ['1.200 Zeilen', [1.2, 1_200]],
    ['2.300,50 Euro', 2_300.5],
    ['5k rows', 5_000],
    ['5K rows', 5_000],
    ['3 million rows', 3_000_000],
    ['3m', [3, 3_000_000]],
    ['1,5 Mrd Euro', 1_500_000_000],
    ['two hundred and fifty rows', 250],
    ['three thousand two hundred rows', 3_200],
    ['twenty-one rows', 21],
    ['two three rows', 2],
    ['twelve hundred and five rows', 1_205],
    ['a hundred rows', 100],
    ['half a million rows', 500_000],
    ['a dozen eggs', 12],
    ['one dozen eggs', 12],
    ['two dozen eggs', 24],
    ['half a dozen eggs', 6],
    ['zwei Dutzend Eier', 24],
    ['dos docenas de huevos', 24],
    ['mil euros', 1_000],
    ['mil doscientos euros', 1_200],
    ['dos mil trescientos euros', 2_300],
    ['cien mil euros', 100_000],
    ['treinta y cinco euros', 35],
    ['one and a half hours', 1.5],
    ['half an hour', 0.5],
    ['twenty-first place', 21],
  ])('%s is %j', (text, expected) => {
    expect(read(text).values).toEqual([expected].flat());
  });

  test.each([
    ['$20', 'usd'],
    ['US $20', 'usd'],
    ['20 US dollars', 'usd'],
    ['€ 20', 'eur'],
    ['20 euros', 'eur'],
    ['20 %', 'percent'],
    ['20 per cent', 'percent'],
    ['20 percentage points', 'points'],
    ['20 °C', 'celsius'],
    ['20 degrees Celsius', 'celsius'],
    ['20 km', 'length'],
    ['20 km/h', 'speed'],
    ['20 minutes', 'duration'],
    ['20-minute', 'duration'],
  ])('of %s is one of %s', (text, dimension) => {
    expect(read(text)).toEqual({ values: [20], units: [dimension] });
  });

  test.each(['a friend', 'half a friend', 'the thousand', 'version 1.2.3'])(
    'is none in %s',
    (text) => {
      expect(read(text).values ?? []).toEqual([]);
    },
  );
});
