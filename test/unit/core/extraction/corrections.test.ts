import { expect, test } from 'vitest';
import { readPairs } from '#bench/corrections.ts';
import { halfOf } from '#bench/extraction.ts';
import { endingOf } from '#core/extraction/compare.ts';
import { lastingOf } from '#core/extraction/lasting.ts';

const RECOGNIZED_MIN = 0.75;

test('of hand-written pairs most corrections end the older statement, and nothing else does', () => {
  const pairs = readPairs().filter(({ id }) => halfOf(id) === 'report');
  const ended = pairs.filter(
    ({ older, newer }) => endingOf(lastingOf(older), lastingOf(newer)) !== 'None',
  );
  const right = ended.filter(({ ends }) => ends).length;
  const corrections = pairs.filter(({ ends }) => ends).length;
  expect(right).toBeGreaterThanOrEqual(corrections * RECOGNIZED_MIN);
  expect(ended.filter(({ ends }) => !ends)).toEqual([]);
});
