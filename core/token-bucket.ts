/** A token bucket: so many at once, then so many a second. */

export interface BucketLimits {
  readonly perSecond: number;
  readonly burst: number;
}

export interface TokenBucket {
  /** Takes a token, from the future if need be; answers how long to wait for it. */
  reserve(now: number): number;
  /** Takes a token if there is one. */
  take(now: number): boolean;
  /** Whether there is one to take. */
  has(now: number): boolean;
}

/** @param now milliseconds of the clock that all calls use; the bucket begins full */
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
