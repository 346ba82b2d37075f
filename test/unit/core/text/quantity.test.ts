/** Which numbers and units a text contains. */
import { describe, expect, test } from 'vitest';
import { quantityAt } from '#core/text/quantity.ts';
import { tokensOf } from '#core/text/words-and-marks.ts';

/** Of the first quantity in a text: what it may be, and what its units measure. */
function read(text: string) {
  const tokens = tokensOf(text);
  const found = tokens.map((_, at) => quantityAt(tokens, at)).find((each) => each !== null);
  return {
    values: found?.values,
    units: found?.units.map(({ dimension }) => dimension),
    per: found?.per.map(({ dimension }) => dimension),
  };
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
    ['two and three quarters', 2.75],
    ['2 and a half hours', 2.5],
    ['a million and a half', 1_500_000],
    ['two and three quarters of it', 2],
    ['5 hundred rows', 500],
    ['zweihundertfünfzig Zeilen', 250],
    ['zwölfhundert Zeilen', 1_200],
    ['hundertneunundneunzig Zeilen', 199],
    ['tausendundeins', 1_001],
    ['dreitausendzweihundertfünf Zeilen', 3_205],
    ['vierzigtausend Zeilen', 40_000],
    ['zweieinhalb Stunden', 2.5],
    ['dreidreiviertel Stunden', 3.75],
    ['anderthalb Stunden', 1.5],
    ['dos horas y media', 2.5],
    ['dos millones y medio de euros', 2_500_000],
    ['2 mn euros', 2_000_000],
    ['5 k euros', 5_000],
    ['2 Tsd. Euro', 2_000],
    ['minus 5', -5],
    ['minus 5 rows', 5],
    ['-5', 5],
    ['minus 5 degrees', -5],
    ['-5 °C', -5],
    ['5 degrees below zero', -5],
    ['5 Grad unter null', -5],
    ['5 grados bajo cero', -5],
    ['al menos 5 grados', 5],
    ['10-5 degrees', 10],
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
    ['20 minutes', 'duration'],
    ['20-minute', 'duration'],
  ])('in %s has the unit %s', (text, dimension) => {
    expect(read(text)).toEqual({ values: [20], units: [dimension], per: [] });
  });

  test.each([
    ['50 km/h', ['length'], ['duration']],
    ['50 mph', ['length'], ['duration']],
    ['$5 per user', ['usd'], ['each user']],
    ['5 € pro Monat', ['eur'], ['duration']],
    ['5 € monatlich', ['eur'], ['duration']],
    ['5 l/100 km', ['volume'], ['length']],
    ['50 euros por hora', ['eur'], ['duration']],
    ['50 euros por la bicicleta', ['eur'], []],
    ['10 requests per second', [], ['duration']],
    ['3 cats/dogs', [], []],
    ['3 cats/hour', [], ['duration']],
    ['3/month', [], ['duration']],
    ['5 kg a month ago', ['mass'], []],
    ['zwei Mio. Euro', ['eur'], []],
  ])('in %s has the units %j per %j', (text, units, per) => {
    expect(read(text)).toMatchObject({ units, per });
  });

  test.each([
    'a friend',
    'half a friend',
    'the thousand',
    'version 1.2.3',
    'allerhundert',
    'tausendfach',
  ])('is not found in %s', (text) => {
    expect(read(text).values ?? []).toEqual([]);
  });
});
