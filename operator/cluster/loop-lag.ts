/**
 * How long the event loop was blocked. A process that stands still longer than it has to renew its
 * Lease may be replaced while it believes that it leads, so this is watched and shown.
 */
import type { OperatorMetrics } from '#core/ports/operator-metrics.ts';
import type { Log } from '#core/ports/platform.ts';
import type { Timers } from '../timers.ts';

const LOOK_EVERY_MS = 1_000;
/** Looks that are remembered: one minute. */
const LOOKS_MAX = 60;
/** From here on a person should hear of it. */
const WARN_MS = 2_000;

export interface LoopLag {
  /** Of the last look, in milliseconds: a loop that turns again is well. */
  latestMs(): number;
  /** The longest of the last minute, in milliseconds. */
  longestMs(): number;
  /** Resolves when the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export function createLoopLag(options: {
  readonly timers: Timers;
  readonly metrics: OperatorMetrics;
  readonly log: Log;
}): LoopLag {
  const { timers, metrics, log } = options;
  const lags: number[] = [];
  const longestMs = () => Math.max(0, ...lags);
  return {
    latestMs: () => lags.at(-1) ?? 0,
    longestMs,
    async run(signal) {
      while (!signal.aborted) {
        const from = timers.timer();
        try {
          await timers.wait(LOOK_EVERY_MS, signal);
        } catch (error) {
          if (signal.aborted) return;
          throw error;
        }
        const lagMs = Math.max(0, timers.timer() - from - LOOK_EVERY_MS);
        lags.push(lagMs);
        if (lags.length > LOOKS_MAX) lags.shift();
        metrics.set('event_loop_lag_seconds', {}, longestMs() / 1_000);
        if (lagMs > WARN_MS) log.warn({ lagMs: Math.round(lagMs) }, 'event loop blocked');
      }
    },
  };
}
