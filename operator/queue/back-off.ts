/**
 * How long a key waits after a failure. Both limits and their numbers are those of client-go's
 * default (util/workqueue/default_rate_limiters.go): per key 5 ms doubling up to 1,000 s, and ten
 * failures a second over all keys with a burst of 100. The longer of the two counts.
 */
import { backoffDelay } from '#core/backoff.ts';

const FIRST_DELAY_MS = 5;
export const DELAY_MS_MAX = 1_000_000;
/** Shortens a pause by up to this share, so that keys that failed together come back apart. */
const JITTER = 0.2;
/** A tenth later at most: keys that were listed together are not looked at together for ever. */
const REQUEUE_SPREAD = 0.1;

/** @param failures failures of the key in a row, the last one counted: at least 1 */
export function retryDelayMs(failures: number, random: number): number {
  const delay = backoffDelay(failures, { firstMs: FIRST_DELAY_MS, mostMs: DELAY_MS_MAX });
  return delay * (1 - JITTER * random);
}

/** Never earlier than asked for. */
export function requeueDelayMs(ms: number, random: number): number {
  return Math.max(0, ms) * (1 + REQUEUE_SPREAD * random);
}

/** What the other side asked for, bounded; 0 where it asked for nothing. */
export function askedDelayMs(details: Readonly<Record<string, unknown>>): number {
  const asked = details['retryAfterMs'];
  if (typeof asked !== 'number' || !Number.isFinite(asked)) return 0;
  return Math.min(Math.max(0, asked), DELAY_MS_MAX);
}
