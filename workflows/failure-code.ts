/** The code of a failed activity; it crossed the server as the failure's type. */
import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';
import { isErrorCode, type ErrorCode } from '#core/errors.ts';

export function codeOf(failure: unknown): ErrorCode {
  if (isCancellation(failure)) return 'CANCELLED';
  const cause = failure instanceof ActivityFailure ? failure.cause : failure;
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) return cause.type;
  return 'TIMEOUT';
}
