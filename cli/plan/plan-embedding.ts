/** What files change about the embedding model of an installation, and its text for people. */
import { isDeepStrictEqual } from 'node:util';
import {
  embeddingProvider,
  type ModelProviderRecord,
  type ProvidedEmbedding,
} from '#core/records/model-provider.ts';
import { FOLDER_CLUSTER } from '#core/records/policy.ts';
import type { ModelProvider } from '#crds/model-provider.ts';
import type { Installation } from './plan-installation.ts';
import { plannedProviders } from './plan-policies.ts';

type Declaring = Pick<ModelProviderRecord, 'name' | 'provider' | 'createdAt'>;

/** A declared model, and the ModelProvider that declares it. */
interface DeclaredModel {
  readonly provider: string;
  readonly model: ProvidedEmbedding;
}

export interface EmbeddingForecast {
  /** Null if no ModelProvider declares one. */
  readonly current: DeclaredModel | null;
  readonly planned: DeclaredModel | null;
  /** ModelProviders in the files whose embedding model would not be used. */
  readonly superseded: readonly string[];
}

/** Files without ModelProviders, where the store has none. */
export const SAME_EMBEDDING: EmbeddingForecast = { current: null, planned: null, superseded: [] };

/** @param records every ModelProvider in the store */
export function forecastEmbedding(
  files: readonly ModelProvider[],
  records: readonly ModelProviderRecord[],
  installation: Installation,
): EmbeddingForecast {
  const current = declaredIn(records);
  const { accepted, isRechosen } = plannedProviders(files, records, installation);
  if (!isRechosen) return { current, planned: current, superseded: [] };
  const names = new Set(accepted.map(({ name }) => name));
  const isFolder = installation.cluster === FOLDER_CLUSTER;
  const others = records.filter(
    ({ name, owner }) => !names.has(name) && !(isFolder && owner.cluster === FOLDER_CLUSTER),
  );
  const heard = accepted.map(({ name, provider, createdAt }): Declaring => {
    const at = Date.parse(createdAt);
    return { name, provider, ...(Number.isNaN(at) ? {} : { createdAt: at }) };
  });
  const planned = declaredIn([...others, ...heard]);
  const inFiles = new Set(files.map(({ metadata }) => metadata.name));
  const superseded = heard
    .filter(({ provider }) => provider.openai?.embedding !== undefined)
    .filter(({ name }) => inFiles.has(name) && name !== planned?.provider)
    .map(({ name }) => name);
  return { current, planned, superseded };
}

function declaredIn(providers: readonly Declaring[]): DeclaredModel | null {
  const used = embeddingProvider(providers);
  const model = used?.provider.openai?.embedding;
  return used === null || model === undefined ? null : { provider: used.name, model };
}

/** Whether new tenants would be embedded differently. */
export function changesEmbedding({ current, planned }: EmbeddingForecast): boolean {
  return !isDeepStrictEqual(current, planned);
}

/** Returns no line if nothing changes and every declared model is used. */
export function embeddingLines(forecast: EmbeddingForecast): readonly string[] {
  const { current, planned, superseded } = forecast;
  const change =
    `embedding model ${nameOf(current)} → ${nameOf(planned)}; tenants that have memories keep ` +
    'their model until varve embeddings migrate';
  return [
    ...(changesEmbedding(forecast) ? [change] : []),
    ...superseded.map(
      (name) =>
        `ModelProvider ${name}: its embedding model is not used, since ModelProvider ` +
        `${planned?.provider ?? ''} is older, or first by name`,
    ),
  ];
}

function nameOf(declared: DeclaredModel | null): string {
  if (declared === null) return 'of the settings';
  const { model, provider } = declared;
  return `${model.name} (${model.dimensions} dimensions, ModelProvider ${provider})`;
}
