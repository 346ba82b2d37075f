/** Time limits and waits for the operator's loops; the timers are passed in. */
import { VarveError } from '#core/errors.ts';
import type { Timers } from '#core/ports/platform.ts';

/** Calls back after `ms` milliseconds, unless the signal is aborted before. */
export function afterTime(
  timers: Timers,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
  then: () => void,
): void {
  // A wait only rejects when it is abandoned, which is what the signal is for.
  timers.wait(ms, signal).then(then, () => undefined);
}

/**
 * Returns the result of the work, or null once the signal is aborted, even if the work continues: a
 * stop does not wait for work that hangs. Throws what the work throws before.
 */
export async function untilAborted<T>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T | null> {
  if (signal.aborted) return null;
  const over = new AbortController();
  const aborted = new Promise<null>((resolve) => {
    signal.addEventListener('abort', () => resolve(null), { once: true, signal: over.signal });
  });
  try {
    return await Promise.race([work(signal), aborted]);
  } finally {
    over.abort();
  }
}

/**
 * Runs `work` with a signal that is aborted when the time is over or the outer signal is. Does not
 * wait for work that ignores its signal.
 * @throws VarveError TIMEOUT when the time is over; errors of the work
 */
export async function withinTime<T>(
  timers: Timers,
  { limitMs, signal }: { readonly limitMs: number; readonly signal: AbortSignal },
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const timer = new AbortController();
  const over = new AbortController();
  const message = `No answer came within ${String(Math.round(limitMs))} ms.`;
  const limit = timers.wait(limitMs, timer.signal).then((): never => {
    throw new VarveError('TIMEOUT', message, { details: { limitMs } });
  });
  try {
    return await Promise.race([work(AbortSignal.any([signal, over.signal])), limit]);
  } finally {
    over.abort();
    timer.abort();
  }
}

/**
 * Formats a time for Leases and Events: RFC 3339 with six digits, since the API server refuses a
 * `MicroTime` with the three that a Date prints.
 * @param now milliseconds since the epoch
 */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
