/** What the refresh activities need of the world, passed in by the composition root. */
import type { Embedder, Embedders } from '#core/ports/embedder.ts';
import type { Metrics } from '#core/ports/metrics.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import type { ModelClass } from '#core/policy.ts';

export interface Models {
  /** The model of a class; every class has one. */
  ofClass(modelClass: ModelClass): SummaryModel;
  byName(name: string): SummaryModel | undefined;
  /** The summariser without a model, for tenants whose budget ended and who chose it. */
  readonly extractive: SummaryModel;
}

export interface RefreshPorts {
  readonly store: Store;
  readonly platform: Platform;
  readonly models: Models;
  readonly embedder: Embedder;
  readonly embedders: Embedders;
  readonly tokens: TokenCounter;
  readonly metrics: Metrics;
}

/** What a change of the embedding model needs. */
export type ReembedPorts = Pick<RefreshPorts, 'store' | 'platform' | 'embedders'>;

/** What a running activity is given by whatever runs it. */
export interface ActivityCall {
  readonly signal: AbortSignal;
  /** Tells how far it is, in counts; whoever looks at the run sees it. */
  readonly report?: (counts: Readonly<Record<string, number>>) => void;
}
