/** The client's own limit of requests, so that a start with many resources is no flood. */
import { VarveError } from '#core/errors.ts';
import { createTokenBucket, type BucketLimits } from '#core/token-bucket.ts';

/** What a start with 1,000 resources may ask of the server; client-go's default is 5 and 10. */
export const REQUESTS_PER_SECOND = 20;
export const REQUEST_BURST = 30;

/** Requests that may wait; more than this many callers at once is a mistake of the program. */
const WAITING_MAX = 1_000;

/** Time that passes, as the limiter needs it. */
export interface RequestTime {
  /** Milliseconds that never go back. */
  readonly timer: () => number;
  /** Rejects with CANCELLED once the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Resolves when a request may be sent, first come, first served.
 * @param isUrgent goes at once and is paid for by those after it: a Lease that is renewed late is
 * lost
 * @throws VarveError RATE_LIMITED where too many wait; CANCELLED where the signal is aborted
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
