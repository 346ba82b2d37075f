/** The ports of the refresh activities, passed in by the composition root. */
import type { Calendar } from '#core/ports/calendar.ts';
import type { DreamModel } from '#core/ports/dream-model.ts';
import type { Embedders } from '#core/ports/embedder.ts';
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import type { Metrics } from '#core/ports/metrics.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { RecipeModel } from '#core/refresh/recipe.ts';

/** The models of a tenant. */
export interface Models {
  /** The model of a class, available or not, as recipes name it. */
  ofClass(modelClass: ModelClass): RecipeModel;
  /** Undefined if it is not available: not configured, or no longer for this tenant. */
  byName(name: string): SummaryModel | undefined;
  /** The summarizer that needs no model; the fallback, also where a budget ran out. */
  readonly extractive: SummaryModel;
  /** The same models, for dreams. */
  readonly dreamerByName: (name: string) => DreamModel | undefined;
  readonly extractiveDreamer: DreamModel;
}

/** The models that resources of a cluster offer to some tenants. */
export interface ProvidedModels {
  /** Returns a tenant's models: those of its policy, and otherwise the installation's `own`. */
  forTenant(tenant: string, own: Models): Promise<Models>;
}

export interface RefreshPorts {
  readonly store: Store;
  readonly provider: MemoryProvider;
  readonly platform: Platform;
  /** The installation's models; within an activity, those of its tenant. */
  readonly models: Models;
  readonly provided: ProvidedModels;
  readonly embedders: Embedders;
  readonly tokens: TokenCounter;
  readonly analyzer: TextAnalyzer;
  readonly metrics: Metrics;
  readonly calendar: Calendar;
}

/** Returns the same ports with the models of a tenant. */
export async function portsOfTenant(ports: RefreshPorts, tenant: string): Promise<RefreshPorts> {
  const models = await ports.provided.forTenant(tenant, ports.models);
  return { ...ports, models };
}

/** Returns the ports for code that handles calls of many tenants. */
export function withModelsOf(ports: RefreshPorts) {
  const { provided, models } = ports;
  return { ...ports, modelsOf: (tenant: string) => provided.forTenant(tenant, models) };
}

/** What a change of the embedding model needs. */
export type ReembedPorts = Pick<RefreshPorts, 'store' | 'platform' | 'embedders'>;

/** What the activities of dreams and of flushes are made of. */
export interface RunWiring<Ports, Runs> {
  readonly ports: Ports;
  /** Returns the ports with the models of a tenant. */
  readonly portsOf: (tenant: string) => Promise<Ports>;
  /** Returns undefined where no schedule starts runs. */
  readonly runs: () => Runs | undefined;
  readonly callOf: () => ActivityCall;
}

/** What an activity gets from whatever runs it. */
export interface ActivityCall {
  readonly signal: AbortSignal;
  /** Reports the progress in counts, which the run shows. */
  readonly report?: (counts: Readonly<Record<string, number>>) => void;
}
