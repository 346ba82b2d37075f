import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { cosineAt, encodePassage, passageVectors } from '#core/recall/sessions/passage-vectors.ts';
import { cosine } from '#core/vector.ts';

/** How far the cosine of an encoded vector may be off. */
const COSINE_ERROR_MAX = 0.05;

function of(...turns: readonly (readonly (readonly number[])[] | null)[]) {
  let passages = 0;
  const encoded = turns.map((turn) => {
    if (turn === null) return null;
    const first = passages;
    passages += turn.length;
    return { first, codes: turn.map(encodePassage) };
  });
  return passageVectors(encoded, passages);
}

function unit(vector: readonly number[]): Float32Array {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => value / length);
}

describe('the vectors of passages', () => {
  test('have the cosines of the vectors that were encoded, but for a few hundredths', () => {
    const vector = fc
      .array(fc.float({ min: -1, max: 1, noNaN: true }), { minLength: 9, maxLength: 9 })
      .filter((numbers) => Math.hypot(...numbers) > 0.1);
    fc.assert(
      fc.property(vector, vector, vector, (one, other, asked) => {
        const vectors = of([one, other]);
        for (const [place, each] of [one, other].entries()) {
          const exact = cosine([...each], [...asked]);
          const found = cosineAt(vectors, place, unit(asked));
          expect(Math.abs(found - exact)).toBeLessThan(COSINE_ERROR_MAX);
        }
      }),
    );
  });

  test('are the mean of their turn, by the scale of their sum', () => {
    const vectors = of([
      [1, 0],
      [0, 1],
    ]);
    expect(vectors?.turnScales[0]).toBeCloseTo(Math.SQRT1_2);
  });

  test('have no cosine for a passage without a vector, or with one of another length', () => {
    const vectors = of([[1, 0]], [[0, 1, 0]]);
    expect(cosineAt(vectors, 0, Float32Array.of(1, 0))).toBe(1);
    expect(cosineAt(vectors, 1, Float32Array.of(1, 0))).toBeNaN();
    expect(cosineAt(vectors, 0, Float32Array.of(1, 0, 0))).toBeNaN();
    expect(cosineAt(null, 0, Float32Array.of(1, 0))).toBeNaN();
  });

  test.for(['', '!!', 'gg'])('a turn with an unreadable one has none: %j', (code) => {
    const turn = { first: 0, codes: [encodePassage([1, 0]), code] };
    const vectors = passageVectors([turn], 2);
    expect([...(vectors?.scales ?? [])]).toEqual([0, 0]);
    expect([...(vectors?.levels ?? [])]).toEqual([0, 0, 0, 0]);
  });

  test('are null if no turn has any', () => {
    expect(passageVectors([null, null], 3)).toBeNull();
  });
});
