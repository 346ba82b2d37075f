/** The providers in the store as this process caches them, and the state that it keeps for each. */
import type { Models, ProvidedModels } from '#activities/refresh-ports.ts';
import type { ModelProviderRecords, PolicyRecords } from '#core/ports/policy-records.ts';
import type { Clock } from '#core/ports/platform.ts';
import {
  embeddingProvider,
  isAllowedIn,
  PROVIDERS_MAX,
  type ModelProviderRecord,
} from '#core/records/model-provider.ts';
import type { Owner, ModelChoice, TenantPolicy } from '#core/records/policy.ts';
import { EXTRACTIVE_NAME, modelNameOf, desiredModel } from '#core/refresh/model-choice.ts';
import type { ServedProvider } from './served-provider.ts';

/** A changed provider is in use after this time. */
export const KEPT_MS = 15_000;
/** A lookup that misses a provider reads again, but no more often than this. */
const AGAIN_MS = 1_000;

export interface ProviderCache {
  /** Returns providers by name; reads again if `isMissing` says that the cache lacks something. */
  all(isMissing?: (known: ByName) => boolean): Promise<ByName>;
}

type ByName = ReadonlyMap<string, ServedProvider>;

/** Returns the provider whose embedding model the installation uses; null if none declares one. */
export function declaringProvider(known: ByName): ServedProvider | null {
  const used = embeddingProvider([...known.values()].map(({ record }) => record));
  return used === null ? null : (known.get(used.name) ?? null);
}

export function createProviderCache(
  records: Pick<ModelProviderRecords, 'list'>,
  clock: Clock,
  serve: (record: ModelProviderRecord) => Promise<ServedProvider>,
): ProviderCache {
  let known: ByName = new Map();
  let readAt = -Infinity;
  let reading: Promise<ByName> | null = null;
  // State of a provider (its key, its rate) starts over whenever the provider changes.
  const carried = async (record: ModelProviderRecord): Promise<ServedProvider> => {
    const before = known.get(record.name);
    return before?.record.hash === record.hash ? { ...before, record } : serve(record);
  };
  const read = async (): Promise<ByName> => {
    try {
      const listed = await records.list(PROVIDERS_MAX);
      const served = await Promise.all(listed.map(carried));
      known = new Map(served.map((each) => [each.record.name, each]));
      readAt = clock();
      return known;
    } finally {
      reading = null;
    }
  };
  return {
    all: async (isMissing) => {
      const age = clock() - readAt;
      const isKept = age < KEPT_MS && (age < AGAIN_MS || isMissing?.(known) !== true);
      // Activities that begin at the same time share one read.
      return isKept ? known : (reading ??= read());
    },
  };
}

/**
 * Returns the models of providers for a tenant. No other model replaces one that a policy names,
 * even if its provider is gone or no longer allows the tenant's namespace.
 */
export function createProvidedModels(
  policies: Pick<PolicyRecords, 'get'>,
  providers: ProviderCache,
): ProvidedModels {
  return {
    forTenant: async (tenant, own) => {
      const record = await policies.get(tenant);
      if (record === null) return own;
      const { policy, owner } = record;
      const choices = choicesOf(policy);
      const known = await providers.all((kept) =>
        choices.some(({ provider }) => !kept.has(provider)),
      );
      const named = new Set(choices.map(modelNameOf));
      return modelsOf(policy, { own, named, provided: allowedModels(known, owner) });
    },
  };
}

/** Returns the models that a policy names, except the summarizer that every process has. */
function choicesOf({ models }: TenantPolicy): readonly ModelChoice[] {
  return [models?.economy ?? null, models?.standard ?? null]
    .filter((choice) => choice !== null)
    .filter(({ model }) => model !== EXTRACTIVE_NAME);
}

/** Only providers of the tenant's cluster: an equal namespace of another is not the same. */
function allowedModels(
  known: ByName,
  { cluster, namespace }: Owner,
): Pick<ServedProvider, 'models' | 'dreamers'> {
  const allowed = [...known.values()].filter(
    ({ record }) => record.owner.cluster === cluster && isAllowedIn(record.provider, namespace),
  );
  return {
    models: new Map(allowed.flatMap(({ models }) => [...models])),
    dreamers: new Map(allowed.flatMap(({ dreamers }) => [...dreamers])),
  };
}

interface Sources {
  readonly own: Models;
  /** Names of models from providers that the policy names. */
  readonly named: ReadonlySet<string>;
  readonly provided: Pick<ServedProvider, 'models' | 'dreamers'>;
}

function modelsOf(policy: TenantPolicy, { own, named, provided }: Sources): Models {
  const oneOf = <T>(name: string, model: T | undefined, other: T | undefined): T | undefined => {
    // If the installation itself has a model of that name, it is unclear which one is meant: use
    // none.
    if (named.has(name)) return model === undefined ? other : undefined;
    return model ?? other;
  };
  return {
    extractive: own.extractive,
    ofClass: (modelClass) => desiredModel(policy, modelClass, own),
    byName: (name) => oneOf(name, own.byName(name), provided.models.get(name)),
    extractiveDreamer: own.extractiveDreamer,
    dreamerByName: (name) => oneOf(name, own.dreamerByName(name), provided.dreamers.get(name)),
  };
}
