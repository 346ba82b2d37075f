/** Which failed calls are retried, how often, and how long the client waits before each retry. */
export const RETRIES_DEFAULT = 3;
export const RETRIES_MAX = 10;
const FIRST_PAUSE_MS = 200;
const PAUSE_MS_MAX = 5_000;
/** A longer Retry-After is cut to this. */
const RETRY_AFTER_MS_MAX = 60_000;

/**
 * Whether a failed call may be sent again.
 * @param isOnce whether a second effect would be visible: then only what was not let in
 */
export function mayRepeat(
  { code, retryable }: { readonly code: string; readonly retryable: boolean },
  isOnce: boolean,
): boolean {
  return isOnce ? code === 'RATE_LIMITED' : retryable;
}

/**
 * Returns the milliseconds before the next try: full jitter over an exponential backoff, or what
 * the server asks for.
 * @param tries failed tries before this one, from 0
 * @param random at least 0 and below 1
 */
export function pauseMs(tries: number, retryAfterMs: number | null, random: number): number {
  if (retryAfterMs !== null) return Math.min(retryAfterMs, RETRY_AFTER_MS_MAX);
  return random * Math.min(FIRST_PAUSE_MS * 2 ** tries, PAUSE_MS_MAX);
}

/** @throws what the signal was aborted with */
export async function wait(ms: number, signal: AbortSignal | undefined): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort);
      resolve();
    }, ms);
    signal?.addEventListener('abort', abort, { once: true });
  });
}
