import { expect, test } from 'vitest';
import { readPairs, type Pair } from '#bench/corrections.ts';
import { halfOf } from '#bench/data-sets.ts';
import { endingOf } from '#core/extraction/compare-with-known.ts';
import { lastingOf } from '#core/extraction/lasting.ts';

const RECOGNIZED_MIN = 0.75;
/** Of the sets of corrections in passing, in words that are hard on purpose. */
const PASSING_MIN = 0.2;
const PASSING = new Set(['passing', 'everyday']);

test('of hand-written pairs most corrections end the older statement, and nothing else does', () => {
  const pairs = readPairs().filter(({ id }) => halfOf(id) === 'report');
  const ended = pairs.filter(
    ({ older, newer }) => endingOf(lastingOf(older), lastingOf(newer)) !== 'None',
  );
  for (const isPassing of [true, false]) {
    const ofSet = ({ set, ends }: Pair) => ends && PASSING.has(set) === isPassing;
    const least = pairs.filter(ofSet).length * (isPassing ? PASSING_MIN : RECOGNIZED_MIN);
    expect(ended.filter(ofSet).length).toBeGreaterThanOrEqual(least);
  }
  expect(ended.filter(({ ends }) => !ends)).toEqual([]);
});
