import { describe, expect, test } from 'vitest';
import { mayBeCharged } from '#core/budget/free-failures.ts';
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
  ])('that the provider refused before any work, with %s', (code) => {
    expect(failed(code)).toBe(false);
  });

  test.each<[string, ErrorDetails]>([
    ['that was never sent, since nothing could be reached', { sent: false }],
    ['that the provider answered with a failure of its own', { status: 500 }],
    ['that the provider answered with being overloaded', { sent: true, status: 503 }],
  ])('%s', (_, details) => {
    expect(failed('PROVIDER_ERROR', details)).toBe(false);
  });
});

describe('a tenant may have to pay for a failed call', () => {
  test.each<[string, ErrorDetails]>([
    ['that was sent and lost its connection', { sent: true }],
    ['of which nobody knows whether it was sent', {}],
    ['that a gateway gave up while the model may have gone on', { status: 504 }],
    ['whose status is no number', { status: 'unknown' }],
  ])('%s', (_, details) => {
    expect(failed('PROVIDER_ERROR', details)).toBe(true);
  });

  test.each<ErrorCode>(['TIMEOUT', 'CANCELLED', 'MODEL_OUTPUT_INVALID'])(
    'that ended with %s, even where it has a status',
    (code) => {
      expect(failed(code, { status: 500 })).toBe(true);
    },
  );

  test('whose failure is unknown', () => {
    expect(mayBeCharged(new Error('socket hang up'))).toBe(true);
    expect(mayBeCharged(undefined)).toBe(true);
  });
});
