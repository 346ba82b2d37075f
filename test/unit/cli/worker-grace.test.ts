import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readConfig } from '#cli/config.ts';
import { workerGrace } from '#cli/worker-roles-and-grace.ts';

/** What `varve start` waits for its worker before it kills it, in milliseconds. */
const STACK_PATIENCE_MS = 15_000;
/** The least that connections and the store need to close, in milliseconds. */
const CLOSING_MS = 7_000;

describe('the grace of a worker', () => {
  test.each([
    [null, { activitiesMs: 5_000, endWithinMs: 12_000 }],
    [27, { activitiesMs: 20_000, endWithinMs: 27_000 }],
    [117, { activitiesMs: 110_000, endWithinMs: 117_000 }],
  ])('of %s seconds becomes %j', (seconds, expected) => {
    expect(workerGrace(seconds)).toEqual(expected);
  });

  test('that is not set ends before varve start would kill the worker', () => {
    expect(workerGrace(readConfig({}, {}).graceSeconds).endWithinMs).toBeLessThan(
      STACK_PATIENCE_MS,
    );
  });

  test('leaves activities all but the time for closing', () => {
    fc.assert(
      fc.property(fc.integer({ min: 12, max: 600 }), (seconds) => {
        const { graceSeconds } = readConfig({ VARVE_GRACE_SECONDS: String(seconds) }, {});
        const { activitiesMs, endWithinMs } = workerGrace(graceSeconds);
        expect(endWithinMs).toBe(seconds * 1_000);
        expect(activitiesMs).toBeGreaterThan(0);
        expect(endWithinMs - activitiesMs).toBe(CLOSING_MS);
      }),
    );
  });

  test.each(['11', '601', '12.5', 'long'])('of %s is refused', (value) => {
    expect(() => readConfig({ VARVE_GRACE_SECONDS: value }, {})).toThrow('VARVE_GRACE_SECONDS');
  });
});
