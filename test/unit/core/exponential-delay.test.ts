import fc from 'fast-check';
import { describe, expect, test } from 'vitest';

import { backoffDelay } from '#core/exponential-delay.ts';

const PAUSE = { firstMs: 200, mostMs: 5_000 };

describe('a delay that doubles', () => {
  test.each([
    { count: 1, ms: 200 },
    { count: 2, ms: 400 },
    { count: 5, ms: 3_200 },
    { count: 6, ms: 5_000 },
    { count: 5_000, ms: 5_000 },
  ])('after $count failures is $ms ms', ({ count, ms }) => {
    expect(backoffDelay(count, PAUSE)).toBe(ms);
  });

  test('starts at the first value, doubles with each failure and stops at the maximum', () => {
    const pause = fc
      .tuple(fc.integer({ min: 1, max: 100_000 }), fc.integer({ min: 0, max: 10_000_000 }))
      .map(([firstMs, more]) => ({ firstMs, mostMs: firstMs + more }));
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100_000 }), pause, (count, limits) => {
        const delay = backoffDelay(count, limits);
        expect(backoffDelay(1, limits)).toBe(limits.firstMs);
        expect(backoffDelay(count + 1, limits)).toBe(Math.min(2 * delay, limits.mostMs));
      }),
    );
  });
});
