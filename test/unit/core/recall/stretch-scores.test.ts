import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { stretchScores } from '#core/recall/stretch-scores.ts';

/** A bell curve of 15 turns, up to the 38th turn to each side. */
const WIDTH = 15;
const REACH = 38;

function meanAround(own: readonly number[], at: number): number {
  let [sum, weights] = [0, 0];
  for (const [other, score] of own.entries()) {
    const distance = Math.abs(other - at);
    if (distance > REACH) continue;
    const weight = Math.exp(-(distance ** 2) / (2 * WIDTH ** 2));
    sum += weight * score;
    weights += weight;
  }
  return sum / weights;
}

test('a turn of a long session scores the mean of the turns around it, of its session alone', () => {
  const session = fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 120 });
  fc.assert(
    fc.property(session, session, fc.nat({ max: 5 }), (one, two, gap) => {
      const between = Array.from({ length: gap }, () => 7);
      const all = Float64Array.from([...one, ...between, ...two]);
      const second = one.length + gap;
      const found = stretchScores(all, [
        { first: 0, end: one.length },
        { first: second, end: all.length },
      ]);
      const expected = [
        ...one.map((_, at) => meanAround(one, at)),
        ...between.map(() => 0),
        ...two.map((_, at) => meanAround(two, at)),
      ];
      expect(found).toHaveLength(expected.length);
      for (const [at, mean] of expected.entries()) expect(found[at]).toBeCloseTo(mean, 9);
    }),
  );
});

test('without a long session, no turn has a score', () => {
  expect([...stretchScores(Float64Array.of(1, 2), [])]).toEqual([0, 0]);
});
