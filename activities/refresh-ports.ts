/** What the refresh activities need of the world, passed in by the composition root. */
import type { Calendar } from '#core/ports/calendar.ts';
import type { DreamModel } from '#core/ports/dream-model.ts';
import type { Embedder, Embedders } from '#core/ports/embedder.ts';
import type { MemoryProvider } from '#core/ports/memory-provider.ts';
import type { Metrics } from '#core/ports/metrics.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import type { ModelClass } from '#core/records/model-class.ts';
import type { RecipeModel } from '#core/refresh/recipe.ts';

/** The models of a tenant. */
export interface Models {
  /** The model of a class, available or not, as recipes name it. */
  ofClass(modelClass: ModelClass): RecipeModel;
  /** Undefined if it is not available: not configured, or not for this tenant any more. */
  byName(name: string): SummaryModel | undefined;
  /** The summarizer without a model, for tenants whose budget ended and who chose it. */
  readonly extractive: SummaryModel;
  /** The same models as they dream. */
  readonly dreamerByName: (name: string) => DreamModel | undefined;
  readonly extractiveDreamer: DreamModel;
}

/** The models that resources of a cluster offer to some tenants. */
export interface ProvidedModels {
  /** Those of a tenant: by its policy, and for the rest those of the installation itself. */
  forTenant(tenant: string, own: Models): Promise<Models>;
}

export interface RefreshPorts {
  readonly store: Store;
  readonly provider: MemoryProvider;
  readonly platform: Platform;
  /** Of the installation itself; within an activity those of its tenant. */
  readonly models: Models;
  readonly provided: ProvidedModels;
  readonly embedder: Embedder;
  readonly embedders: Embedders;
  readonly tokens: TokenCounter;
  readonly metrics: Metrics;
  readonly calendar: Calendar;
}

/** The same ports with the models of a tenant. */
export async function portsOfTenant(ports: RefreshPorts, tenant: string): Promise<RefreshPorts> {
  const models = await ports.provided.forTenant(tenant, ports.models);
  return { ...ports, models };
}

/** For what looks at the calls of many tenants. */
export function withModelsOf(ports: RefreshPorts) {
  const { provided, models } = ports;
  return { ...ports, modelsOf: (tenant: string) => provided.forTenant(tenant, models) };
}

/** What a change of the embedding model needs. */
export type ReembedPorts = Pick<RefreshPorts, 'store' | 'platform' | 'embedders'>;

/** What a running activity is given by whatever runs it. */
export interface ActivityCall {
  readonly signal: AbortSignal;
  /** Reports the progress in counts, which the run shows. */
  readonly report?: (counts: Readonly<Record<string, number>>) => void;
}
