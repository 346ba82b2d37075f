/** Dependencies of the memory provider, passed in by the composition root. */
import type { Embedders } from '#core/ports/embedder.ts';
import type { Metrics } from '#core/ports/metrics.ts';
import type { Platform, Timers } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';

export interface ProviderPorts {
  readonly store: Store;
  readonly platform: Platform;
  readonly tokens: TokenCounter;
  readonly analyzer: TextAnalyzer;
  readonly embedders: Embedders;
  readonly metrics: Metrics;
  readonly timers: Timers;
}
