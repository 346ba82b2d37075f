/** The client's own rate limit, so that a start with many resources does not flood the server. */
import { VarveError } from '#core/errors.ts';
import { createTokenBucket, type BucketLimits } from '#core/token-bucket.ts';

/** Rate and burst, sized for a start with 1,000 resources; client-go's defaults are 5 and 10. */
export const REQUESTS_PER_SECOND = 20;
export const REQUEST_BURST = 30;

/** Requests that may wait; more callers at once than this indicate a bug. */
const WAITING_MAX = 1_000;

/** The clock and timer of the limiter. */
export interface RequestTime {
  /** Milliseconds that never go back. */
  readonly timer: () => number;
  /** Rejects with CANCELLED once the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Resolves when a request may be sent, first come, first served.
 * @param isUrgent sends at once, and later requests wait for it: a Lease that is renewed late is
 * lost
 * @throws VarveError RATE_LIMITED if too many wait; CANCELLED if the signal is aborted
 */
export type RequestLimiter = (signal: AbortSignal, isUrgent: boolean) => Promise<void>;

export function createRequestLimiter(limits: BucketLimits, time: RequestTime): RequestLimiter {
  const bucket = createTokenBucket(limits, time.timer());
  let timers = 0;
  return async (signal, isUrgent) => {
    if (timers >= WAITING_MAX) throw tooMany();
    const waitMs = bucket.reserve(time.timer());
    if (waitMs <= 0 || isUrgent) return;
    timers += 1;
    try {
      await time.wait(waitMs, signal);
    } finally {
      timers -= 1;
    }
  };
}

function tooMany(): VarveError {
  return new VarveError(
    'RATE_LIMITED',
    `${String(WAITING_MAX)} requests to the Kubernetes API wait already; let fewer run at once.`,
    { details: { httpStatus: 0, reason: 'ClientLimit' } },
  );
}
