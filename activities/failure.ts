/** The one mapping of errors to Temporal: the code becomes the type, and decides about retries. */
import { ApplicationFailure, CancelledFailure } from '@temporalio/activity';
import { ERRORS, VarveError, type ErrorCode, type ErrorDetails } from '#core/errors.ts';

/**
 * What a history may know of a failure: code, message and plain details of ours. The message of any
 * other error may hold memory text, so it stays out. Such an error is a defect and no outage: after
 * three of them a scope is put aside.
 */
export function toFailure(error: unknown): Error {
  if (error instanceof ApplicationFailure || error instanceof CancelledFailure) return error;
  if (error instanceof VarveError) {
    if (error.code === 'CANCELLED') return new CancelledFailure(error.message);
    const retryAfterMs = retryAfter(error.details);
    return ApplicationFailure.create({
      type: error.code,
      message: error.message,
      nonRetryable: !ERRORS[error.code].retryable,
      details: [error.details],
      ...(retryAfterMs === null ? {} : { nextRetryDelay: retryAfterMs }),
    });
  }
  return ApplicationFailure.create({
    type: 'CORRUPT' satisfies ErrorCode,
    message: 'An activity failed unexpectedly; its log line has the details.',
  });
}

function retryAfter(details: ErrorDetails): number | null {
  const { retryAfterMs } = details;
  return typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? retryAfterMs : null;
}
