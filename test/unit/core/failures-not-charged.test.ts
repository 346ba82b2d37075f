import { describe, expect, test } from 'vitest';
import { mayBeCharged } from '#core/budget/failures-not-charged.ts';
import { VarveError, type ErrorDetails } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';

const failed = (code: ErrorCode, details: ErrorDetails = {}) =>
  mayBeCharged(new VarveError(code, 'The call failed.', { details }));

describe('a tenant pays nothing for a failed call', () => {
  test.each<ErrorCode>([
    'RATE_LIMITED',
    'PROVIDER_REJECTED',
    'MISSING_PACKAGE',
    'CONTENT_TOO_LONG',
    'NOT_FOUND',
    'UNAUTHENTICATED',
    'FORBIDDEN',
  ])('that the provider refused with %s before any work', (code) => {
    expect(failed(code)).toBe(false);
  });

  test.each<[string, ErrorDetails]>([
    ['that was never sent because nothing could be reached', { sent: false }],
    ['that the provider answered with an error of its own', { status: 500 }],
    ['that the overloaded provider refused', { sent: true, status: 503 }],
  ])('%s', (_, details) => {
    expect(failed('PROVIDER_ERROR', details)).toBe(false);
  });
});

describe('a tenant may have to pay for a failed call', () => {
  test.each<[string, ErrorDetails]>([
    ['that was sent and lost its connection', { sent: true }],
    ['that may or may not have been sent', {}],
    ['that a gateway gave up although the model may have continued', { status: 504 }],
    ['whose status is not a number', { status: 'unknown' }],
  ])('%s', (_, details) => {
    expect(failed('PROVIDER_ERROR', details)).toBe(true);
  });

  test.each<ErrorCode>(['TIMEOUT', 'CANCELLED', 'MODEL_OUTPUT_INVALID'])(
    'that ended with %s, even with a status',
    (code) => {
      expect(failed(code, { status: 500 })).toBe(true);
    },
  );

  test('whose failure is unknown', () => {
    expect(mayBeCharged(new Error('socket hang up'))).toBe(true);
    expect(mayBeCharged(undefined)).toBe(true);
  });
});
