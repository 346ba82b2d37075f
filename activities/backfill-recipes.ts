/** Part of the tick: makes scopes of another recipe due where the tenant's policy wants that. */
import { periodOf } from '#core/budget/budget.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import { recipeHash, type RecipeModel } from '#core/refresh/recipe.ts';
import { backfillMarks, mayBackfill, type BackfillRules } from '#core/refresh/recipe-backfill.ts';
import { policyPages, scopePages } from '#core/refresh/record-pages.ts';
import { isReleased, type PolicyRecord } from '#core/records/policy-record.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { portsOfTenant, type RefreshPorts } from './refresh-ports.ts';

/** What one tick spends on it; it requests no refresh meanwhile and ends in a minute. */
const TICK_MS_MAX = 20_000;
/** A look that found nothing is repeated by then: a worker of another version may have written. */
const LOOK_AGAIN_MS = 3_600_000;

/** By tenant: the recipes of its last whole look that found nothing to remake, and when it was. */
export type RecipeLooks = Map<string, { readonly recipes: string; readonly at: number }>;

/** Answers how many scopes were made due. A tenant that fails does not hold up the others. */
export async function backfillRecipes(
  ports: RefreshPorts,
  looks: RecipeLooks = new Map(),
): Promise<number> {
  const { store, platform } = ports;
  const until = platform.clock() + TICK_MS_MAX;
  let marked = 0;
  for await (const page of policyPages(store.policies)) {
    for (const { policy } of page.filter(isBackfilled)) {
      if (platform.clock() > until) return marked;
      try {
        marked += await backfill(ports, policy, looks);
      } catch (error) {
        platform.log.warn({ tenant: policy.tenant, error }, 'failed to check recipes; will retry');
      }
    }
  }
  return marked;
}

function isBackfilled(record: PolicyRecord): boolean {
  return record.policy.onRecipeChange === 'Backfill' && !isReleased(record);
}

async function backfill(
  ports: RefreshPorts,
  policy: TenantPolicy,
  looks: RecipeLooks,
): Promise<number> {
  const { store, platform } = ports;
  const { models } = await portsOfTenant(ports, policy.tenant);
  const { tenant, budget } = policy;
  const now = platform.clock();
  const hash = (layer: Layer, model: RecipeModel) =>
    recipeHash(platform.digest, { layer: policy.layers[layer], model });
  const wanted = (layer: Layer) => hash(layer, models.ofClass(policy.layers[layer].modelClass));
  const rules: BackfillRules = {
    recipeOf: ({ layer }) => wanted(layer),
    fallbackOf: ({ layer }) => hash(layer, models.extractive),
    ...(policy.leastIntervalMs === undefined ? {} : { leastIntervalMs: policy.leastIntervalMs }),
  };
  const recipes = JSON.stringify(LAYERS.map((layer) => wanted(layer)));
  const last = looks.get(tenant);
  if (last?.recipes === recipes && now - last.at < LOOK_AGAIN_MS) return 0;
  looks.delete(tenant);
  if (!mayBackfill(await store.accounts.get(tenant, periodOf(now), budget))) return 0;
  const marks = backfillMarks({ ...rules, now });
  for await (const page of scopePages(store.scopes, tenant)) marks.add(page);
  if (!marks.isAnyBehind()) looks.set(tenant, { recipes, at: now });
  let marked = 0;
  for (const record of marks.records()) {
    // A scope that somebody wrote to meanwhile is looked at again by the next tick.
    if (await store.scopes.replace(record)) marked += 1;
  }
  return marked;
}
