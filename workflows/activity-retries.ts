/** How often activities are tried again, for all workflows. */
import type { ErrorCode } from '#core/errors.ts';

/** Activities that read and write the store. */
export const RETRY_STORE = {
  initialInterval: '1 second',
  backoffCoefficient: 2,
  maximumInterval: '30 seconds',
  maximumAttempts: 20,
} as const;

/** Those that make something of a stored answer: one that can't be read is not readable later. */
export const RETRY_ANSWER = {
  ...RETRY_STORE,
  nonRetryableErrorTypes: ['MODEL_OUTPUT_INVALID'] satisfies ErrorCode[],
} as const;

/** PROVIDER_ERROR and RATE_LIMITED are tried again three times (design 9). */
export const RETRY_PROVIDER = {
  initialInterval: '2 seconds',
  backoffCoefficient: 2,
  maximumInterval: '2 minutes',
  maximumAttempts: 4,
} as const;

/** A tick that fails is made good by the next one. */
export const RETRY_TICK = { ...RETRY_STORE, maximumAttempts: 3 } as const;
