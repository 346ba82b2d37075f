/** The models of tenants: those that their policies name out of the providers in the store. */
import type { Models, ProvidedModels } from '#activities/refresh-ports.ts';
import { EXTRACTIVE_NAME, modelNameOf, desiredModel } from '#core/refresh/model-choice.ts';
import { isAllowedIn } from '#core/records/model-provider-spec.ts';
import type { ModelChoice, TenantPolicy } from '#core/records/policy.ts';
import type { PolicyRecords } from '#core/ports/policy-records.ts';
import type { Owner } from '#core/records/policy-record.ts';
import type { ByName, KnownProviders } from './known-providers.ts';
import type { ServedProvider } from './served-provider.ts';

/**
 * A model that a policy names is that one or none: where its provider is gone, or does not allow
 * the namespace of the tenant any more, no other model stands in.
 */
export function createProvidedModels(
  policies: Pick<PolicyRecords, 'get'>,
  providers: KnownProviders,
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

/** Without the summarizer that every process has. */
function choicesOf({ models }: TenantPolicy): readonly ModelChoice[] {
  return [models?.economy ?? null, models?.standard ?? null]
    .filter((choice) => choice !== null)
    .filter(({ model }) => model !== EXTRACTIVE_NAME);
}

/** Of the tenant's own cluster: a namespace of another one is not the same. */
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
  /** Those of providers that the policy names. */
  readonly named: ReadonlySet<string>;
  readonly provided: Pick<ServedProvider, 'models' | 'dreamers'>;
}

function modelsOf(policy: TenantPolicy, { own, named, provided }: Sources): Models {
  const oneOf = <T>(name: string, model: T | undefined, other: T | undefined): T | undefined => {
    // A model of the installation itself may have such a name: it is not clear which is meant.
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
