/** Limits how many calls start per minute, with a sliding window, so that no minute has more. */

const MINUTE_MS = 60_000;

export interface CallRate {
  /**
   * Returns 0 and counts a call if one may start at `now`; otherwise the milliseconds until one
   * may start, provided that no other waiting call comes first.
   */
  take(now: number): number;
}

/** Per process: each worker enforces the rate independently. */
export function createCallRate(callsPerMinute: number): CallRate {
  /** Start times of calls, earliest first; at most `callsPerMinute` of them. */
  let begun: readonly number[] = [];
  return {
    take: (now) => {
      begun = begun.filter((at) => now - at < MINUTE_MS);
      const [earliest] = begun;
      if (earliest !== undefined && begun.length >= callsPerMinute) {
        return earliest + MINUTE_MS - now;
      }
      begun = [...begun, now];
      return 0;
    },
  };
}
