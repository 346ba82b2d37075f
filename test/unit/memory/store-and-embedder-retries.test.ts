import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import {
  delayBefore,
  RETRIES_MAX,
  RETRY_TOTAL_MS_MAX,
  withRetries,
} from '#memory/store-and-embedder-retries.ts';
import { failureOf } from '#test/unit/failures.ts';

const SIGNAL = new AbortController().signal;

function error(code: ErrorCode, details: Readonly<Record<string, unknown>> = {}): VarveError {
  return new VarveError(code, 'It failed.', { details });
}

/** Runs with time by hand; answers how often it was tried and how long it waited. */
async function run(failures: readonly VarveError[], { random = 1, signal = SIGNAL } = {}) {
  const waits: number[] = [];
  const retried: string[] = [];
  let attempts = 0;
  let elapsed = 0;
  const answer = withRetries(
    () => {
      const failure = failures[attempts];
      attempts += 1;
      return failure === undefined ? Promise.resolve('done') : Promise.reject(failure);
    },
    {
      signal,
      onRetry: (code) => retried.push(code),
      timers: {
        timer: () => elapsed,
        random: () => random,
        wait: (milliseconds) => {
          waits.push(milliseconds);
          elapsed += milliseconds;
          return Promise.resolve();
        },
      },
    },
  );
  const outcome = await answer.catch((failure: VarveError) => failure.code);
  return { outcome, attempts, waits, retried };
}

describe('retries', () => {
  test.each<[ErrorCode, boolean]>([
    ['PROVIDER_ERROR', true],
    ['RATE_LIMITED', true],
    ['TIMEOUT', true],
    ['PROVIDER_REJECTED', false],
    ['INVALID_INPUT', false],
    ['CONFLICT', false],
    ['BUDGET_EXHAUSTED', false],
    ['MODEL_OUTPUT_INVALID', false],
    ['CANCELLED', false],
  ])('%s is retried: %s', async (code, isRetried) => {
    const { outcome, attempts } = await run([error(code)]);
    expect([outcome, attempts]).toEqual(isRetried ? ['done', 2] : [code, 1]);
  });

  test('end after three tries, and then the failure is returned', async () => {
    const always = Array.from({ length: 9 }, () => error('PROVIDER_ERROR'));
    expect(await run(always)).toEqual({
      outcome: 'PROVIDER_ERROR',
      attempts: 1 + RETRIES_MAX,
      waits: [200, 400, 800],
      retried: ['PROVIDER_ERROR', 'PROVIDER_ERROR', 'PROVIDER_ERROR'],
    });
  });

  test('wait as long as the other side asks, plus a random part', async () => {
    const { waits } = await run([error('RATE_LIMITED', { retryAfterMs: 7_000 })], { random: 0.5 });
    expect(waits).toEqual([7_100]);
  });

  test('MEM-27: end at once if a wait would exceed the limit of the whole call', async () => {
    const late = error('RATE_LIMITED', { retryAfterMs: RETRY_TOTAL_MS_MAX + 1 });
    expect(await run([late])).toMatchObject({ outcome: 'RATE_LIMITED', attempts: 1, waits: [] });
  });

  test('do not start for a cancelled call', async () => {
    const controller = new AbortController();
    controller.abort();
    const { outcome, attempts } = await run([], { signal: controller.signal });
    expect([outcome, attempts]).toEqual(['CANCELLED', 0]);
  });

  test('MEM-26: pass on a different error unchanged', async () => {
    const cause = new TypeError('broken');
    const broken = withRetries(() => Promise.reject(cause), {
      signal: SIGNAL,
      onRetry: () => undefined,
      timers: { timer: () => 0, random: () => 0, wait: () => Promise.resolve() },
    });
    await expect(broken).rejects.toBe(cause);
    await expect(failureOf(broken)).rejects.toBe(cause);
  });

  test('have a delay between zero and the maximum, growing with the random part', () => {
    const chances = fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true });
    fc.assert(
      fc.property(fc.nat(20), chances, chances, (retry, a, b) => {
        const failure = error('PROVIDER_ERROR');
        const [low, high] = [Math.min(a, b), Math.max(a, b)].map((random) =>
          delayBefore(retry, { error: failure, random }),
        );
        expect(low).toBeGreaterThanOrEqual(0);
        expect(high).toBeGreaterThanOrEqual(low ?? 0);
        expect(high).toBeLessThanOrEqual(5_000);
      }),
    );
  });
});
