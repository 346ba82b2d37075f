/** How workflows call their activities: queues, timeouts and retries. */
import { type ErrorCode, isErrorCode } from '#core/error-codes.ts';
import { MODEL_TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
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
const MODEL_CALL_RETRY_POLICY = {
  initialInterval: '2 seconds',
  backoffCoefficient: 2,
  maximumInterval: '2 minutes',
  maximumAttempts: 4,
} as const;

/** Model calls have their own task queue: limiting its rate slows nothing else. */
export const MODEL_CALLS = {
  taskQueue: MODEL_TASK_QUEUE,
  allowEagerDispatch: false,
  retry: MODEL_CALL_RETRY_POLICY,
} as const;

/**
 * A model call ends within two minutes; the rest is for reading and writing. Activities send a
 * heartbeat every second; after this long without one, their worker is dead.
 */
export const SHORT_TIMEOUTS = {
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '30 seconds',
} as const;

/** The next tick makes up for a failed one. */
export const TICK_CALLS = {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '30 seconds',
  retry: { ...STORE_RETRY_POLICY, maximumAttempts: 3 },
} as const;

export function timeoutsOf(settings: {
  readonly heartbeatTimeoutMs: number;
  readonly startToCloseTimeoutMs: number;
}) {
  const { heartbeatTimeoutMs, startToCloseTimeoutMs } = settings;
  return { heartbeatTimeout: heartbeatTimeoutMs, startToCloseTimeout: startToCloseTimeoutMs };
}

/** Returns the code of a failed activity; it crossed the server as the failure's type. */
export function codeOf(failure: unknown): ErrorCode {
  if (isCancellation(failure)) return 'CANCELLED';
  const cause = failure instanceof ActivityFailure ? failure.cause : failure;
  if (cause instanceof ApplicationFailure && isErrorCode(cause.type)) return cause.type;
  return 'TIMEOUT';
}
