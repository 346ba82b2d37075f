import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { ERRORS, isErrorCode, type ErrorCode } from '#core/error-codes.ts';

const CODES = Object.keys(ERRORS) as ErrorCode[];

/** The codes that a caller may simply try again (MEM-26, MEM-27). */
const RETRYABLE: readonly ErrorCode[] = [
  'CONFLICT',
  'RATE_LIMITED',
  'PROVIDER_ERROR',
  'MODEL_OUTPUT_INVALID',
  'TIMEOUT',
];

/** What tRPC makes of its own codes; the HTTP status of ours must be the same. */
const STATUS_OF_TRPC: Readonly<Record<string, number>> = {
  BAD_REQUEST: 400,
  UNAUTHORIZED: 401,
  PAYMENT_REQUIRED: 402,
  FORBIDDEN: 403,
  NOT_FOUND: 404,
  CONFLICT: 409,
  PAYLOAD_TOO_LARGE: 413,
  UNPROCESSABLE_CONTENT: 422,
  TOO_MANY_REQUESTS: 429,
  CLIENT_CLOSED_REQUEST: 499,
  INTERNAL_SERVER_ERROR: 500,
  NOT_IMPLEMENTED: 501,
  BAD_GATEWAY: 502,
  SERVICE_UNAVAILABLE: 503,
  GATEWAY_TIMEOUT: 504,
};

describe('the error table', () => {
  test('has the codes of the design', () => {
    const design =
      'INVALID_INPUT, MISSING_IDENTIFIER, INVALID_LAYER, CONTENT_TOO_LONG, UNAUTHENTICATED, ' +
      'FORBIDDEN, MEMORY_NOT_FOUND, NOT_FOUND, CONFLICT, BUDGET_EXHAUSTED, ' +
      'CONTEXT_LIMIT_TOO_SMALL, FILTER_TOO_BROAD, TENANT_CLAIMED, RATE_LIMITED, PROVIDER_ERROR, ' +
      'PROVIDER_REJECTED, MISSING_PACKAGE, MODEL_OUTPUT_INVALID, TIMEOUT, CANCELLED, CORRUPT';
    expect(CODES).toEqual(design.split(', '));
  });

  test.each(CODES)('%s means the same in HTTP and tRPC', (code) => {
    const { httpStatus, trpc, retryable } = ERRORS[code];
    expect(STATUS_OF_TRPC[trpc]).toBe(httpStatus);
    expect(retryable).toBe(RETRYABLE.includes(code));
    // A client that goes by the status alone must not give up what is worth another try.
    if ([429, 503, 504].includes(httpStatus)) expect(retryable).toBe(true);
  });

  test('each code has its own condition reason, in PascalCase', () => {
    const reasons = CODES.map((code) => ERRORS[code].reason);
    expect(new Set(reasons).size).toBe(CODES.length);
    for (const reason of reasons) expect(reason).toMatch(/^[A-Z][a-z]+(?:[A-Z][a-z]+)*$/);
  });

  test.each(CODES)('%s ends a command with a distinguishable exit status', (code) => {
    const { exit } = ERRORS[code];
    // 1 is any crash; 126 to 128 are the shell's own; 130 is an interrupt.
    expect([0, 1, 126, 127, 128]).not.toContain(exit);
    expect(exit).toBeLessThan(256);
    expect(exit === 130).toBe(code === 'CANCELLED');
  });

  test.each(CODES)('API-04: an error of %s takes its meaning from the table', (code) => {
    const cause = new Error('cause');
    const error = new VarveError(code, 'Words.', { details: { a: 1 }, cause });
    const { retryable } = ERRORS[code];
    expect(error).toMatchObject({ name: 'VarveError', code, retryable, details: { a: 1 }, cause });
  });

  test.each(CODES)('a settled error of %s is not retryable', (code) => {
    expect(new VarveError(code, 'Words.', { isSettled: true }).retryable).toBe(false);
  });

  test.each(['', 'invalid_input', 'toString', '__proto__', null, 7])(
    '%s is not an error code',
    (value) => {
      expect(isErrorCode(value)).toBe(false);
    },
  );
});
