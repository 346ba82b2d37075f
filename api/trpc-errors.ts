/** The one mapping of errors to tRPC. */
import { TRPCError } from '@trpc/server';
import { VarveError, type ErrorDetails } from '#core/errors.ts';
import { ERRORS, type ErrorCode } from '#core/error-codes.ts';
import { rpcMethodNotAllowed } from './method-not-allowed.ts';
import { unknownOperation } from './trpc-help-page.ts';

/** What a client sees of a failure, besides tRPC's own code. */
export interface ErrorShape {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: ErrorDetails;
}

type Refusal = readonly [code: ErrorCode, words: string | ((path: string | undefined) => string)];

/** Requests that tRPC itself refuses, before any procedure runs. */
const REFUSALS: Partial<Record<TRPCError['code'], Refusal>> = {
  INTERNAL_SERVER_ERROR: [
    'CORRUPT',
    'An unexpected error occurred; the server log has the details.',
  ],
  NOT_FOUND: ['NOT_FOUND', unknownOperation],
  METHOD_NOT_SUPPORTED: ['INVALID_INPUT', rpcMethodNotAllowed],
  UNSUPPORTED_MEDIA_TYPE: ['INVALID_INPUT', 'Send content-type: application/json.'],
  PAYLOAD_TOO_LARGE: ['CONTENT_TOO_LONG', 'The body is too large; send less at a time.'],
};
const UNREADABLE: Refusal = [
  'INVALID_INPUT',
  'The request could not be read: send the input as JSON, in the body of POST, or URL-encoded as ' +
    '?input= of GET.',
];

/** Wraps a VarveError; any other error stays internal, without details. */
export function toTrpcError(error: unknown): TRPCError {
  if (error instanceof TRPCError) return error;
  if (error instanceof VarveError) {
    return new TRPCError({ code: ERRORS[error.code].trpc, message: error.message, cause: error });
  }
  return new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message: 'An unexpected error occurred.' });
}

export function errorShape({ cause, code: refused }: TRPCError): ErrorShape {
  if (cause instanceof VarveError) {
    return { code: cause.code, retryable: cause.retryable, details: cause.details };
  }
  const [code] = REFUSALS[refused] ?? UNREADABLE;
  return { code, retryable: ERRORS[code].retryable, details: {} };
}

/**
 * Returns our own message, or one about the request: a parser's message would quote the input.
 * @param path of the procedure, if one was named
 */
export function errorMessage(
  { cause, code, message }: TRPCError,
  path: string | undefined,
): string {
  if (cause instanceof VarveError) return message;
  const [, words] = REFUSALS[code] ?? UNREADABLE;
  return typeof words === 'string' ? words : words(path);
}
