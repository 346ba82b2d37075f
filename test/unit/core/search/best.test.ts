import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createTopK } from '#core/search/scope-index.ts';

test('the best items are the same as by sorting, with ties in order', () => {
  const scores = fc.array(fc.integer({ min: 0, max: 6 }), { maxLength: 60 });
  fc.assert(
    fc.property(scores, fc.nat({ max: 20 }), (given, limit) => {
      const best = createTopK(limit, (a, b) => a < b);
      for (const [item, score] of given.entries()) best.offer(item, score);
      const sorted = given
        .map((score, item) => ({ item, score }))
        .toSorted((a, b) => b.score - a.score || a.item - b.item)
        .slice(0, limit)
        .map(({ item }) => item);
      expect(best.items().toSorted((a, b) => a - b)).toEqual(sorted.toSorted((a, b) => a - b));
    }),
  );
});
