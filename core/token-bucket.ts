/** A token bucket: allows a burst, then a fixed number per second. */

export interface BucketLimits {
  readonly perSecond: number;
  readonly burst: number;
}

export interface TokenBucket {
  /**
   * Takes a token, borrowing it from the future if there is none; returns how long to wait for it.
   */
  reserve(now: number): number;
  /** Takes a token if there is one; returns whether it did. */
  take(now: number): boolean;
  /** Returns whether there is a token to take. */
  has(now: number): boolean;
}

/** @param now milliseconds of the clock that all calls use; the bucket starts full */
export function createTokenBucket({ perSecond, burst }: BucketLimits, now: number): TokenBucket {
  let tokens = burst;
  let filledAt = now;
  const fill = (at: number) => {
    tokens = Math.min(burst, tokens + (Math.max(0, at - filledAt) * perSecond) / 1_000);
    filledAt = Math.max(filledAt, at);
  };
  return {
    reserve(at) {
      fill(at);
      tokens -= 1;
      return tokens >= 0 ? 0 : (-tokens * 1_000) / perSecond;
    },
    take(at) {
      fill(at);
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    has(at) {
      fill(at);
      return tokens >= 1;
    },
  };
}
