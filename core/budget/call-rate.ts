/** How many calls may begin within a minute: a sliding window, so that no minute has more. */

const MINUTE_MS = 60_000;

export interface CallRate {
  /**
   * 0 where a call may begin at `now`, which then counts; else the milliseconds until one may,
   * where none of those that are waiting comes before.
   */
  take(now: number): number;
}

/** Of one process: each worker holds the rate by itself. */
export function createCallRate(callsPerMinute: number): CallRate {
  /** When calls began, the earliest first; at most `callsPerMinute` of them. */
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
