/**
 * Retries transient failures three times, after a random part of an exponential backoff ("full
 * jitter", Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog 2015). This is the only
 * level of retries in the memory provider; nothing below it retries.
 */
import { backoffDelay } from '#core/exponential-delay.ts';
import { VarveError } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import type { Timers } from '#core/ports/platform.ts';

/** Attempts after the first (design 9). */
export const RETRIES_MAX = 3;
const FIRST_DELAY_MS = 200;
const DELAY_MS_MAX = 5_000;
/** No attempt starts later than this after the first, since a caller is waiting. */
export const RETRY_TOTAL_MS_MAX = 30_000;

/**
 * Errors that waiting may resolve for the same call. CONFLICT and MODEL_OUTPUT_INVALID are
 * retryable for a caller, who reads again or changes the request; here the call would be the same.
 */
const RETRIED: ReadonlySet<ErrorCode> = new Set(['PROVIDER_ERROR', 'RATE_LIMITED', 'TIMEOUT']);

interface Retries {
  readonly timers: Timers;
  readonly signal: AbortSignal;
  /** Called before each retry with the error code of the failed attempt. */
  readonly onRetry: (code: ErrorCode) => void;
}

export function isTransient(error: unknown): error is VarveError {
  return error instanceof VarveError && RETRIED.has(error.code);
}

/**
 * Runs an attempt that can be repeated without a second effect.
 * @throws VarveError CANCELLED, and the error of the last attempt
 */
export async function withRetries<T>(attempt: () => Promise<T>, retries: Retries): Promise<T> {
  const { timers, signal, onRetry } = retries;
  const deadline = timers.timer() + RETRY_TOTAL_MS_MAX;
  for (let retry = 0; ; retry += 1) {
    throwIfCancelled(signal);
    try {
      return await attempt();
    } catch (error) {
      if (!isTransient(error) || retry === RETRIES_MAX) throw error;
      const delay = delayBefore(retry, { error, random: timers.random() });
      if (timers.timer() + delay > deadline) throw error;
      onRetry(error.code);
      await timers.wait(delay, signal);
    }
  }
}

/**
 * Returns the milliseconds to wait before a retry. Never less than the other side asks for, since
 * it would refuse an earlier call.
 */
export function delayBefore(
  retry: number,
  { error, random }: { error: VarveError; random: number },
): number {
  const pause = { firstMs: FIRST_DELAY_MS, mostMs: DELAY_MS_MAX };
  const jitter = random * backoffDelay(retry + 1, pause);
  const { retryAfterMs } = error.details;
  const asked = typeof retryAfterMs === 'number' && retryAfterMs > 0 ? retryAfterMs : 0;
  return asked + jitter;
}

/** @throws VarveError CANCELLED if the signal is aborted */
export function throwIfCancelled(signal: AbortSignal): void {
  if (signal.aborted) throw cancelled(signal.reason);
}

export function cancelled(cause?: unknown): VarveError {
  return new VarveError('CANCELLED', 'The call was cancelled before it ended.', { cause });
}

/** Settles as the promise does, or rejects with CANCELLED on abort; the work itself continues. */
export async function unlessCancelled<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  throwIfCancelled(signal);
  const aborted = Promise.withResolvers<never>();
  const onAbort = (): void => {
    aborted.reject(cancelled(signal.reason));
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
