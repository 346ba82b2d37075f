/** Policies, models and scopes for the tests of forecasts. */
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { LayerPolicy, TenantPolicy } from '#core/records/policy.ts';
import type { Layer } from '#core/layer.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import { emptyScopeRecord, type ScopeRecord } from '#core/records/scope-record.ts';
import { layerRecipe, type ForecastModels } from '#operator/forecast/forecast-models.ts';
import type { ScopeRules } from '#operator/forecast/forecast-tenant.ts';
import { digest, NOW } from '../operator/policy-store.ts';

const MINUTE_MS = 60_000;
export const HOUR_MS = 60 * MINUTE_MS;

type OwnModel = Pick<SummaryModel, 'name' | 'revision' | 'price' | 'inputTokensMax' | 'usageMax'>;

/** A dollar for a million tokens read, two for a million written; a byte counts as a token. */
export function pricedModel(name: string): OwnModel {
  return {
    name,
    revision: '1',
    price: { inputMicroDollarsPerMillion: 1_000_000, outputMicroDollarsPerMillion: 2_000_000 },
    inputTokensMax: 100_000,
    usageMax: ({ items }) => ({ inputTokens: 100 * items.length, outputTokens: 1_000 }),
  };
}

export const EXTRACTIVE: OwnModel = { ...pricedModel('extractive'), price: null };

export const MODELS: ForecastModels = {
  own: {
    ofClass: (modelClass) => pricedModel(modelClass === 'economy' ? 'small' : 'large'),
    extractive: EXTRACTIVE,
  },
  providers: new Map(),
  digest,
};

/** The defaults of tenant acme with another policy for its user layer. */
export function policyWith(
  user: Partial<LayerPolicy>,
  differing: Partial<TenantPolicy> = {},
): TenantPolicy {
  const policy = defaultPolicy('acme');
  const layers = { ...policy.layers, user: { ...policy.layers.user, ...user } };
  return { ...policy, layers, ...differing };
}

export function rulesOf(before: TenantPolicy, after: TenantPolicy): ScopeRules {
  return {
    before: { policy: before, recipe: layerRecipe(before, 'user', MODELS) },
    after: { policy: after, recipe: layerRecipe(after, 'user', MODELS) },
    now: NOW,
  };
}

/** A user's scope, summarized an hour ago by the recipe of the defaults, with nothing changed. */
export function freshScope(
  differing: Partial<ScopeRecord> = {},
  layer: Layer = 'user',
): ScopeRecord {
  const recipe = layerRecipe(defaultPolicy('acme'), layer, MODELS);
  return {
    ...emptyScopeRecord({ tenant: 'acme', layer, scopeId: 'ann' }),
    sourceCount: 9,
    sourceTokens: 900,
    checkedAt: NOW - HOUR_MS,
    generatedAt: NOW - HOUR_MS,
    recipeHash: recipe.recipeHash,
    version: 1,
    ...differing,
  };
}

/** A scope with one change, looked at ten minutes ago. */
export const CHANGED = {
  changes: 1,
  firstStaleAt: NOW - 5 * MINUTE_MS,
  checkedAt: NOW - 10 * MINUTE_MS,
} as const;
