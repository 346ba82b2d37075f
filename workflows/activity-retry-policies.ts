/** Retry policies of activities, for all workflows. */
import { type ErrorCode, isErrorCode } from '#core/error-codes.ts';
import { ActivityFailure, ApplicationFailure, isCancellation } from '@temporalio/workflow';

/** Activities that read and write the store. */
export const STORE_RETRY_POLICY = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '30 seconds',
  maximumAttempts: 20,
} as const;

/** Activities that process a stored answer: one that cannot be read will not be readable later. */
export const ANSWER_RETRY_POLICY = {
  ...STORE_RETRY_POLICY,
  nonRetryableErrorTypes: ['MODEL_OUTPUT_INVALID'] satisfies ErrorCode[],
} as const;

/** PROVIDER_ERROR and RATE_LIMITED are retried three times (design 9). */
export const MODEL_CALL_RETRY_POLICY = {
  initialInterval: '2 seconds',
  backoffCoefficient: 2,
  maximumInterval: '2 minutes',
  maximumAttempts: 4,
} as const;

/** The next tick makes up for a failed one. */
export const TICK_RETRY_POLICY = { ...STORE_RETRY_POLICY, maximumAttempts: 3 } as const;

/** Returns the code of a failed activity; it crossed the server as the failure's type. */
export function codeOf(failure: unknown): ErrorCode {
  if (isCancellation(failure)) return 'CANCELLED';
  const cause = failure instanceof ActivityFailure ? failure.cause : failure;
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) return cause.type;
  return 'TIMEOUT';
}
