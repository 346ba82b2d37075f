import { expect, test } from 'vitest';
import { readPairs, type Pair } from '#bench/corrections.ts';
import { halfOf } from '#bench/data-sets.ts';
import { endingOf } from '#core/extraction/compare-with-known.ts';
import { givesAnotherValue, readValues } from '#core/extraction/newer-value.ts';
import { statementsAndCorrectionsOf } from '#core/extraction/statements-and-corrections.ts';

const RECOGNIZED_MIN = 0.75;
/** Of the sets of corrections in passing, in words that are hard on purpose. */
const PASSING_MIN = 0.2;
const PASSING = new Set(['passing', 'everyday']);

/** Of plain sentences said again with another value, by an author who had not seen the rules. */
const RESTATED_MIN = 0.4;
const RESTATED = new Set(['restated', 'lookalike']);
/** Jobs, homes, medicines, days and counts that change, told beside something else. */
const CHANGED_MIN = 0.7;
const WRONGLY_CHANGED_MAX = 3;

const APART = new Set([...RESTATED, 'changed']);

test('most corrections among hand-written pairs end the older statement, and nothing else does', () => {
  const pairs = readPairs().filter(({ id, set }) => halfOf(id) === 'report' && !APART.has(set));
  const ended = pairs.filter(
    ({ older, newer }) =>
      endingOf(statementsAndCorrectionsOf(older), statementsAndCorrectionsOf(newer)) !== 'None',
  );
  for (const isPassing of [true, false]) {
    const ofSet = ({ set, ends }: Pair) => ends && PASSING.has(set) === isPassing;
    const least = pairs.filter(ofSet).length * (isPassing ? PASSING_MIN : RECOGNIZED_MIN);
    expect(ended.filter(ofSet).length).toBeGreaterThanOrEqual(least);
  }
  expect(ended.filter(({ ends }) => !ends)).toEqual([]);
});

test('many restated sentences give another value, and almost none that may still hold', () => {
  const pairs = readPairs().filter(({ set }) => RESTATED.has(set));
  const given = pairs.filter(({ older, newer }) =>
    givesAnotherValue(readValues(older), readValues(newer)),
  );
  // That Eugene is in Oregon, no rule knows.
  expect(given.filter(({ ends }) => !ends).map(({ id }) => id)).toEqual(['en-r-44']);
  const least = pairs.filter(({ ends }) => ends).length * RESTATED_MIN;
  expect(given.length).toBeGreaterThanOrEqual(least);
});

test('most changes of a job, home, medicine, day or count end what was said before', () => {
  const pairs = readPairs().filter(({ id, set }) => set === 'changed' && halfOf(id) === 'report');
  const ended = pairs.filter(
    ({ older, newer }) =>
      endingOf(statementsAndCorrectionsOf(older), statementsAndCorrectionsOf(newer)) !== 'None',
  );
  const recognized = ended.filter(({ ends }) => ends).length;
  expect(recognized / pairs.filter(({ ends }) => ends).length).toBeGreaterThan(CHANGED_MIN);
  expect(ended.filter(({ ends }) => !ends).length).toBeLessThanOrEqual(WRONGLY_CHANGED_MAX);
});
