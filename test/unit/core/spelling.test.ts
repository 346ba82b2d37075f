import { assert, property, string } from 'fast-check';
import { describe, expect, test } from 'vitest';
import { editDistance, nearestWord } from '#core/spelling.ts';

describe('spelling', () => {
  test.each([
    ['batchWndow', 'batchWindow'],
    ['bacthWindow', 'batchWindow'],
    ['BATCHWINDOW', 'batchWindow'],
    ['batchWindows', 'batchWindow'],
    ['maxage', 'maxAge'],
    ['bat', 'batchWindow'],
    ['ba', null],
    ['colour', null],
    ['x', null],
  ])('POLICY-13: %s is corrected to %s', (word, expected) => {
    expect(nearestWord(word, ['maxAge', 'batchWindow', 'layer'])).toBe(expected);
  });

  test('POLICY-13: the distance is symmetric, and zero only for equal words', () => {
    assert(
      property(string({ maxLength: 8 }), string({ maxLength: 8 }), (a, b) => {
        expect(editDistance(a, b)).toBe(editDistance(b, a));
        expect(editDistance(a, b) === 0).toBe(a === b);
        expect(editDistance(a, b)).toBeLessThanOrEqual(Math.max(a.length, b.length));
      }),
    );
  });
});
