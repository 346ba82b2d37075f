import { describe, expect, test } from 'vitest';
import { UNRELATED_SCORE, UNRELATED_SHARE } from '#core/search/calibration.ts';
import { scoredHit } from '#core/search/memory-hit-score.ts';
import type { Candidate } from '#core/search/scope-search.ts';

const QUERY = 'Where is the wharf?';
const MEMORY = { id: 'one', content: 'The warf is closed.' } as Candidate['memory'];

interface Legs {
  readonly cosine: number | null;
  readonly keyword: number | null;
  readonly content?: string;
}

function score(
  { content = MEMORY.content, ...legs }: Legs,
  quality: 'keyword' | 'semantic',
  byWords = true,
): number {
  const calibrations = new Map([['one', { unrelatedCosine: 0.2, quality }]]);
  const candidate = { memory: { ...MEMORY, content }, generation: 'one', ...legs };
  return scoredHit(candidate, { query: QUERY, calibrations, path: 'Memory', byWords }).score;
}

describe('the score of a hit', () => {
  test('with a model, it is the better score of both legs', () => {
    const both = score({ cosine: 0.6, keyword: 0.5 }, 'semantic');
    const alone = [
      score({ cosine: 0.6, keyword: null }, 'semantic'),
      score({ cosine: null, keyword: 0.5 }, 'semantic'),
    ];
    expect(both).toBe(Math.max(...alone));
  });

  test('with hashed vectors, words decide: a near text without them stays below', () => {
    const worded = score({ cosine: 0.1, keyword: 0.3 }, 'keyword');
    const near = score({ cosine: 0.3, keyword: null }, 'keyword');
    expect(worded).toBeGreaterThan(UNRELATED_SCORE);
    expect(near).toBeLessThan(UNRELATED_SCORE);
  });

  test('with hashed vectors, the nearer of two texts with the same words is better', () => {
    const nearer = score({ cosine: 0.2, keyword: 0.3 }, 'keyword');
    expect(nearer).toBeGreaterThan(score({ cosine: 0.1, keyword: 0.3 }, 'keyword'));
  });

  test('with hashed vectors, a very near text is found without a common word', () => {
    expect(score({ cosine: 0.45, keyword: null }, 'keyword')).toBeGreaterThan(UNRELATED_SCORE);
  });

  test.each(['我住在大阪。', 'Я живу в Москве.', 'أعيش في القاهرة', '제 고양이는 루나예요.'])(
    'with hashed vectors, %s is not near a question in another script',
    (content) => {
      expect(score({ cosine: 0.45, keyword: null, content }, 'keyword')).toBe(0);
      const model = score({ cosine: 0.45, keyword: null, content }, 'semantic');
      expect(model).toBeGreaterThan(UNRELATED_SCORE);
    },
  );

  test('with hashed vectors, one shared name counts in a text of another script', () => {
    const content = '我的猫叫Wharf。';
    expect(score({ cosine: 0.45, keyword: 0.2, content }, 'keyword')).toBeGreaterThan(
      UNRELATED_SCORE,
    );
  });

  test('with hashed vectors, only equal words give 1, and no cosine takes a score away', () => {
    expect(score({ cosine: 0.9, keyword: 0.9 }, 'keyword')).toBeLessThan(1);
    expect(score({ cosine: 1, keyword: 1 }, 'keyword')).toBe(1);
    const without = score({ cosine: null, keyword: UNRELATED_SHARE }, 'keyword');
    expect(score({ cosine: -0.5, keyword: UNRELATED_SHARE }, 'keyword')).toBe(without);
    expect(without).toBeCloseTo(UNRELATED_SCORE);
  });

  test('a search by vectors alone compares the cosine with unrelated texts', () => {
    expect(score({ cosine: 0.2, keyword: null }, 'keyword', false)).toBeCloseTo(UNRELATED_SCORE);
  });
});
