import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { BLOCK_ROWS, dotAt, productsWith, unitVector } from '#core/search/vector-kernel.ts';
import { cosine } from '#core/vector.ts';

const value = fc.float({ min: -1_000, max: 1_000, noNaN: true, noDefaultInfinity: true });
const pair = fc
  .integer({ min: 1, max: 40 })
  .chain((length) =>
    fc.tuple(
      fc.array(value, { minLength: length, maxLength: length }),
      fc.array(value, { minLength: length, maxLength: length }),
    ),
  )
  .filter((vectors) => vectors.every((vector) => vector.some((each) => Math.abs(each) > 1e-3)));

test('the dot product of unit vectors is their cosine, wherever the row starts', () => {
  fc.assert(
    fc.property(pair, fc.nat({ max: 5 }), ([a, b], before) => {
      const [left, right] = [unitVector(a), unitVector(b)];
      const rows = Float32Array.from([...Array.from({ length: before }, () => 7), ...left, 7]);
      expect(dotAt(rows, before, right)).toBeCloseTo(cosine(a, b), 5);
    }),
  );
});

test('a prepared vector gives exactly the dot product, with few or many zeros', () => {
  const zeros = fc.array(fc.boolean(), { minLength: 40, maxLength: 40 });
  fc.assert(
    fc.property(pair, fc.array(zeros, { minLength: 0, maxLength: 2 }), ([a, b], masks) => {
      // Each mask clears about half of what the one before it left.
      const vector = Float64Array.from(b, (each, at) =>
        masks.every((mask) => mask[at]) ? each : 0,
      );
      const others = [b, a.toReversed(), b.toReversed()];
      const rows = Float32Array.from([7, ...a, ...others.flat(), 7]);
      const products = productsWith(vector);
      const starts = Array.from({ length: BLOCK_ROWS }, (_, row) => 1 + row * a.length);
      const block = new Float64Array(BLOCK_ROWS);
      products.block(rows, 1, block);
      const expected = starts.map((start) => dotAt(rows, start, vector));
      expect(starts.map((start) => products.row(rows, start))).toStrictEqual(expected);
      expect([...block]).toStrictEqual(expected);
    }),
  );
});

test('a unit vector has length 1 however large or small its numbers are', () => {
  const size = fc.constantFrom(1e-300, 1e-40, 1, 1e40, 1e300);
  fc.assert(
    fc.property(pair, size, ([a], factor) => {
      const unit = unitVector(a.map((each) => each * factor));
      expect(unit.reduce((sum, each) => sum + each * each, 0)).toBeCloseTo(1, 9);
    }),
  );
});
