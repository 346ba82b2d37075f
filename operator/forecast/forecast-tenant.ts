/** What a changed policy would do to a tenant, counted over its scopes page by page. */
import { plus } from '#core/budget/budget.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { NOTHING, type Amount } from '#core/records/account.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { layerRecipe, type ForecastModels, type LayerRecipe } from './forecast-models.ts';
import { forecastScope, type ScopeForecast } from './forecast-scope.ts';

/** The scopes of a layer that are remade for one reason at one time. */
export interface ForecastRow extends Pick<ScopeForecast, 'reason' | 'when' | 'cost'> {
  readonly layer: Layer;
  readonly scopes: number;
  readonly model: string;
  /** False where nothing is known of the model's price. */
  readonly isPriced: boolean;
}

export interface TenantTally {
  add(page: readonly ScopeRecord[]): void;
  /** By layer, then in the order in which reasons were met. */
  rows(): readonly ForecastRow[];
  /** What all of it costs at most. */
  total(): Amount;
}

export function tallyTenant(
  policies: { readonly before: TenantPolicy; readonly after: TenantPolicy },
  { models, now }: { readonly models: ForecastModels; readonly now: number },
): TenantTally {
  const recipes = recipesOf(policies, models);
  const rows = new Map<string, ForecastRow>();
  return {
    add: (page) => {
      for (const record of page) {
        const { layer } = record;
        const recipe = recipes[layer];
        const forecast = forecastScope(record, {
          before: { policy: policies.before, recipe: recipe.before },
          after: { policy: policies.after, recipe: recipe.after },
          now,
        });
        if (forecast === null) continue;
        const key = `${layer} ${forecast.reason} ${forecast.when}`;
        const { name: model, isKnown: isPriced } = recipe.after.model;
        const row = rows.get(key) ?? {
          ...forecast,
          layer,
          scopes: 0,
          cost: NOTHING,
          model,
          isPriced,
        };
        rows.set(key, { ...row, scopes: row.scopes + 1, cost: plus(row.cost, forecast.cost) });
      }
    },
    rows: () => LAYERS.flatMap((layer) => [...rows.values()].filter((row) => row.layer === layer)),
    total: () => [...rows.values()].reduce((sum, { cost }) => plus(sum, cost), NOTHING),
  };
}

function recipesOf(
  { before, after }: { readonly before: TenantPolicy; readonly after: TenantPolicy },
  models: ForecastModels,
): Readonly<Record<Layer, { before: LayerRecipe; after: LayerRecipe }>> {
  const both = (layer: Layer) => ({
    before: layerRecipe(before, layer, models),
    after: layerRecipe(after, layer, models),
  });
  return {
    agent: both('agent'),
    user: both('user'),
    session: both('session'),
    project: both('project'),
    team: both('team'),
    org: both('org'),
    company: both('company'),
  };
}
