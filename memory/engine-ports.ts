/** Dependencies of the memory provider, passed in by the composition root. */
import type { Embedders } from '#core/ports/embedder.ts';
import type { Metrics } from '#core/ports/metrics.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';

/** Timing and randomness as arguments (design 6.30). */
export interface Timers {
  /** Monotonic milliseconds, with fractions, from an arbitrary origin. */
  readonly timer: () => number;
  /** Returns a number from 0 (inclusive) to 1 (exclusive). */
  readonly random: () => number;
  /** Resolves after that many milliseconds; rejects with CANCELLED once the signal is aborted. */
  readonly wait: (milliseconds: number, signal: AbortSignal) => Promise<void>;
}

export interface EnginePorts {
  readonly store: Store;
  readonly platform: Platform;
  readonly tokens: TokenCounter;
  readonly analyzer: TextAnalyzer;
  readonly embedders: Embedders;
  readonly metrics: Metrics;
  readonly timers: Timers;
}
