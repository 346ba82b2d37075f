/**
 * How long to wait before the next list or watch: from 0.8 s, doubling, at most 30 s, from the
 * start again after two healthy minutes (client-go, tools/cache/reflector.go).
 */
import { backoffDelay } from '#core/backoff.ts';

const FIRST_MS = 800;
/** With the most of the jitter it is 30 s. */
const DOUBLED_MS_MAX = 20_000;
const JITTER = 0.5;
const HEALTHY_MS = 120_000;

export interface Failures {
  /** In a row, the last one counted. */
  readonly count: number;
  /** When the last one was, by the clock that never goes back. */
  readonly at: number;
}

export const NO_FAILURES: Failures = { count: 0, at: 0 };

export function oneMore({ count, at }: Failures, now: number): Failures {
  return { count: now - at >= HEALTHY_MS ? 1 : count + 1, at: now };
}

/**
 * @param failures at least one
 * @param random at least 0 and below 1: many clients must not come back at the same moment
 */
export function reconnectDelayMs({ count }: Failures, random: number): number {
  const doubled = backoffDelay(count, { firstMs: FIRST_MS, mostMs: DOUBLED_MS_MAX });
  return doubled * (1 + JITTER * random);
}
