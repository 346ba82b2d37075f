/** A memory provider over given parts; nothing is measured. */
import { NO_METRICS } from '#core/ports/metrics.ts';
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import { createMemoryProvider } from '#memory/memory-provider.ts';
import type { ProviderPorts } from '#memory/provider-ports.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createTimers } from '#providers/node/timers.ts';

type Given = Pick<ProviderPorts, 'store' | 'platform' | 'tokens' | 'embedders'>;

export function providerOver({ store, platform, tokens, embedders }: Given): MemoryProvider {
  return createMemoryProvider({
    ...{ store, platform, tokens, embedders },
    analyzer: createTextAnalyzer(),
    timers: createTimers(),
    metrics: NO_METRICS,
  });
}
