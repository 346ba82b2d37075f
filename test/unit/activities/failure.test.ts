import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { describe, expect, test } from 'vitest';
import { toApplicationFailure } from '#activities/heartbeats-and-failures.ts';
import { VarveError } from '#core/errors.ts';
import { ERRORS, type ErrorCode } from '#core/error-codes.ts';

const CODES = (Object.keys(ERRORS) as ErrorCode[]).filter((code) => code !== 'CANCELLED');

describe('failures as Temporal records them', () => {
  test.each(CODES)('%s keeps its code, which decides whether it is retried', (code) => {
    const error = new VarveError(code, 'Words.', {
      details: { limit: 7 },
      cause: new Error('Oslo'),
    });
    const failure = toApplicationFailure(error);
    const expected = { type: code, message: 'Words.', details: [{ limit: 7 }] };
    expect(failure).toBeInstanceOf(ApplicationFailure);
    expect(failure).toMatchObject({ ...expected, nonRetryable: !ERRORS[code].retryable });
    expect(failure.cause).toBeUndefined();
  });

  test('the wait that a provider asks for becomes the delay before the next retry', () => {
    const failureOf = (retryAfterMs: unknown) =>
      toApplicationFailure(new VarveError('RATE_LIMITED', 'Wait.', { details: { retryAfterMs } }));
    expect(failureOf(1_500)).toMatchObject({ nextRetryDelay: 1_500 });
    for (const wrong of [-1, '9', null, Number.NaN]) {
      expect(failureOf(wrong)).not.toHaveProperty('nextRetryDelay', wrong);
    }
  });

  test.each([
    ['an error of a library', new Error('Ann lives in Oslo.')],
    ['a string', 'Ann lives in Oslo.'],
    ['nothing', undefined],
  ])('the message of %s stays out of the history', (_, error) => {
    const failure = toApplicationFailure(error);
    expect(failure).toMatchObject({ type: 'CORRUPT', nonRetryable: false });
    expect(`${failure.message} ${String(failure.cause)}`).not.toContain('Oslo');
  });

  test('a cancellation remains a cancellation', () => {
    expect(toApplicationFailure(new VarveError('CANCELLED', 'Stop.'))).toBeInstanceOf(
      CancelledFailure,
    );
    const cancelled = new CancelledFailure('Stop.');
    expect(toApplicationFailure(cancelled)).toBe(cancelled);
  });
});
