/** How often a call is tried again, and how long the client waits before each try. */
export const RETRIES_DEFAULT = 3;
export const RETRIES_MAX = 10;
const FIRST_PAUSE_MS = 200;
const PAUSE_MS_MAX = 5_000;
/** A server that asks for more is not waited for. */
const RETRY_AFTER_MS_MAX = 60_000;

/**
 * Milliseconds before the next try: full jitter over a pause that doubles, or what the server says.
 * @param tries failed ones before this one, from 0
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
