/** Hits of the index and of recent writes in one list. */
import { describe, expect, it } from 'vitest';

import { cosineOfScore, unitedHits } from '#providers/mongodb/vector-index/vector-leg.ts';

describe('semantic hits', () => {
  it.each([
    [0, -1],
    [0.5, 0],
    [0.7, 0.4],
    [0.95, 0.9],
    [1, 1],
    [1.000_001, 1],
  ])('VEC-13: convert the score %f to the cosine %f', (score, cosine) => {
    expect(cosineOfScore(score)).toBeCloseTo(cosine, 5);
    expect(cosineOfScore(score)).toBeLessThanOrEqual(1);
  });

  it('VEC-14: prefer recent writes to the index', () => {
    const indexed = [
      { id: 'a', cosine: 0.9 },
      { id: 'b', cosine: 0.8 },
    ];
    const recent = [
      { id: 'a', cosine: 0.1 },
      { id: 'c', cosine: 0.85 },
    ];
    expect(unitedHits([indexed, recent], 2)).toEqual([
      { id: 'c', cosine: 0.85 },
      { id: 'b', cosine: 0.8 },
    ]);
  });

  it('VEC-15: are ordered by id if they are equally near', () => {
    const hits = ['c', 'a', 'b'].map((id) => ({ id, cosine: 0.5 }));
    expect(unitedHits([hits], 3).map(({ id }) => id)).toEqual(['a', 'b', 'c']);
  });
});
