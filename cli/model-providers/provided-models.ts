/** The models of tenants: those that their policies name out of the providers in the store. */
import type { Models, ProvidedModels } from '#activities/refresh-ports.ts';
import { EXTRACTIVE_NAME, modelNameOf, wantedModel } from '#core/model-choice.ts';
import { isAllowedIn } from '#core/model-provider.ts';
import type { ModelChoice, TenantPolicy } from '#core/policy.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import type { PolicyRecords } from '#core/ports/policy-records.ts';
import type { Owner } from '#core/records/policy-record.ts';
import type { ByName, KnownProviders } from './known-providers.ts';

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

/** Without the summariser that every process has. */
function choicesOf({ models }: TenantPolicy): readonly ModelChoice[] {
  return [models?.economy ?? null, models?.standard ?? null]
    .filter((choice) => choice !== null)
    .filter(({ model }) => model !== EXTRACTIVE_NAME);
}

/** Of the tenant's own cluster: a namespace of another one is not the same. */
function allowedModels(
  known: ByName,
  { cluster, namespace }: Owner,
): ReadonlyMap<string, SummaryModel> {
  const allowed = [...known.values()].filter(
    ({ record }) => record.owner.cluster === cluster && isAllowedIn(record.provider, namespace),
  );
  return new Map(allowed.flatMap(({ models }) => [...models]));
}

interface Sources {
  readonly own: Models;
  /** Those of providers that the policy names. */
  readonly named: ReadonlySet<string>;
  readonly provided: ReadonlyMap<string, SummaryModel>;
}

function modelsOf(policy: TenantPolicy, { own, named, provided }: Sources): Models {
  return {
    extractive: own.extractive,
    ofClass: (modelClass) => wantedModel(policy, modelClass, own),
    byName: (name) => {
      const model = own.byName(name);
      // A model of the installation itself may have such a name: it is not clear which is meant.
      if (named.has(name)) return model === undefined ? provided.get(name) : undefined;
      return model ?? provided.get(name);
    },
  };
}
