import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createCallRate } from '#core/budget/model-calls-per-minute.ts';

const MINUTE_MS = 60_000;

describe('a rate limit of calls', () => {
  test('makes the next call wait for the first once a minute is full', () => {
    const rate = createCallRate(2);
    expect([rate.take(0), rate.take(10_000)]).toEqual([0, 0]);
    expect(rate.take(20_000)).toBe(40_000);
    expect(rate.take(59_999)).toBe(1);
    expect(rate.take(60_000)).toBe(0);
    expect(rate.take(60_001)).toBe(9_999);
  });

  test('is never exceeded, and lets a caller through after the wait it names', () => {
    const steps = fc.array(fc.nat({ max: 30_000 }), { maxLength: 60 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), steps, (callsPerMinute, pauses) => {
        const rate = createCallRate(callsPerMinute);
        const begun: number[] = [];
        let now = 0;
        for (const pause of pauses) {
          now += pause;
          const rest = rate.take(now);
          if (rest > 0) {
            now += rest;
            expect(rate.take(now)).toBe(0);
          }
          begun.push(now);
          expect(begun.filter((at) => now - at < MINUTE_MS).length).toBeLessThanOrEqual(
            callsPerMinute,
          );
        }
      }),
    );
  });
});
