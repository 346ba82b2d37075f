/**
 * What an operator can't do without is waited for: a process that ends for each failed try would
 * come back with pauses of minutes, long after an outage is over.
 */
import { backoffDelay } from '#core/backoff.ts';
import { VarveError } from '#core/errors.ts';
import type { Log } from '#core/ports/platform.ts';
import type { Timers } from '#operator/timers.ts';

/** Doubled with each try up to the most, as other restarts are spread. */
const FIRST_PAUSE_MS = 1_000;
const PAUSE_MS_MAX = 30_000;
/** Up to a fifth longer, so that replicas do not come back together. */
const JITTER = 0.2;

export interface Opening {
  readonly timers: Timers;
  readonly log: Log;
  readonly signal: AbortSignal;
  /** Told what is waited for, as a sentence. */
  readonly onMissing: (finding: string) => void;
}

/**
 * Tries until it comes about.
 * @param what e.g. `the store`
 * @throws VarveError CANCELLED with the signal; what does not pass by itself, at once
 */
export async function untilOpen<T>(
  what: string,
  open: () => Promise<T>,
  { timers, log, signal, onMissing }: Opening,
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    if (signal.aborted) throw new VarveError('CANCELLED', `The wait for ${what} was cancelled.`);
    onMissing(`${what} is not there yet`);
    try {
      return await open();
    } catch (error) {
      if (!(error instanceof VarveError) || !error.retryable) throw error;
      const { code, message } = error;
      const pause = { firstMs: FIRST_PAUSE_MS, mostMs: PAUSE_MS_MAX };
      const pauseMs = backoffDelay(tries, pause) * (1 + JITTER * timers.random());
      onMissing(`${what} does not answer (${code})`);
      log.warn({ code, pauseMs: Math.round(pauseMs) }, `${what} is tried again. ${message}`);
      await timers.wait(pauseMs, signal);
    }
  }
}
