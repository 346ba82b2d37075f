/** The one mapping of errors to tRPC. */
import { TRPCError } from '@trpc/server';
import { ERRORS, VarveError, type ErrorCode, type ErrorDetails } from '#core/errors.ts';

/** What a client sees of a failure, beside tRPC's own code. */
export interface ErrorShape {
  readonly code: ErrorCode;
  readonly retryable: boolean;
  readonly details: ErrorDetails;
}

/** Wraps an error of ours; any other stays internal and shows nothing of itself. */
export function toTrpcError(error: unknown): TRPCError {
  if (error instanceof TRPCError) return error;
  if (error instanceof VarveError) {
    return new TRPCError({ code: ERRORS[error.code].trpc, message: error.message, cause: error });
  }
  const message = 'Something failed that should not; the server log has it under this time.';
  return new TRPCError({ code: 'INTERNAL_SERVER_ERROR', message });
}

export function errorShape(error: TRPCError): ErrorShape {
  const { cause } = error;
  if (cause instanceof VarveError) {
    return { code: cause.code, retryable: cause.retryable, details: cause.details };
  }
  return error.code === 'INTERNAL_SERVER_ERROR'
    ? { code: 'CORRUPT', retryable: false, details: {} }
    : { code: 'INVALID_INPUT', retryable: false, details: {} };
}
