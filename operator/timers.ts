/** Time that passes: what the loops of the operator wait with, given as an argument. */
import { VarveError } from '#core/errors.ts';
import type { Timers } from '#core/ports/platform.ts';

/** Calls back after so many milliseconds, unless the signal is aborted before. */
export function afterTime(
  timers: Timers,
  { ms, signal }: { readonly ms: number; readonly signal: AbortSignal },
  then: () => void,
): void {
  // A wait only rejects when it is abandoned, which is the point of the signal.
  timers.wait(ms, signal).then(then, () => undefined);
}

/**
 * What the work answers; null once the signal is aborted, also where the work goes on: who stops
 * does not wait for what hangs. Throws what the work throws before.
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
 * Runs `work` with a signal that is aborted when the time is over or the outer signal is. Does
 * not wait for work that ignores its signal.
 * @throws VarveError TIMEOUT when the time is over; what the work throws
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
 * A time as the API server takes it for Leases and Events.
 *
 * RFC 3339 with six digits: the server refuses a `MicroTime` with the three that a Date prints.
 * @param now milliseconds since the epoch
 */
export function microTime(now: number): string {
  return new Date(now).toISOString().replace('Z', '000Z');
}
