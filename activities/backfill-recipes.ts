/** Part of the tick: makes scopes of another recipe due where the tenant's policy wants that. */
import { periodOf } from '#core/budget.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import { recipeHash } from '#core/recipe.ts';
import { isBehind, mayBackfill, recipeMarks, type BackfillRules } from '#core/recipe-backfill.ts';
import type { TenantPolicy } from '#core/policy.ts';
import type { RefreshPorts } from './refresh-ports.ts';

/** Tenants that have a policy of their own; further ones are left as they are. */
const TENANTS_MAX = 1_000;
/** Scopes of a tenant that are looked at; as many as a change of its policy looks at. */
const SCOPES_MAX = 10_000;

/** What one tick spends on it; it wakes nobody meanwhile, and has a minute for everything. */
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
  for (const { policy } of await store.policies.list(TENANTS_MAX)) {
    if (policy.onRecipeChange !== 'Backfill') continue;
    if (platform.clock() > until) break;
    try {
      marked += await backfill(ports, policy, looks);
    } catch (error) {
      platform.log.warn({ tenant: policy.tenant, error }, 'recipes not looked at; tried again');
    }
  }
  return marked;
}

async function backfill(
  ports: RefreshPorts,
  policy: TenantPolicy,
  looks: RecipeLooks,
): Promise<number> {
  const { store, platform, models } = ports;
  const { tenant, budget } = policy;
  const now = platform.clock();
  const hash = (layer: Layer, model: SummaryModel) =>
    recipeHash(platform.digest, { layer: policy.layers[layer], model });
  const wanted = (layer: Layer) => hash(layer, models.ofClass(policy.layers[layer].modelClass));
  const rules: BackfillRules = {
    recipeOf: ({ layer }) => wanted(layer),
    standInOf: ({ layer }) => hash(layer, models.extractive),
  };
  const recipes = JSON.stringify(LAYERS.map((layer) => wanted(layer)));
  const last = looks.get(tenant);
  if (last?.recipes === recipes && now - last.at < LOOK_AGAIN_MS) return 0;
  looks.delete(tenant);
  if (!mayBackfill(await store.accounts.get(tenant, periodOf(now), budget))) return 0;
  const records = await store.scopes.list(tenant, SCOPES_MAX);
  if (!records.some((record) => isBehind(record, rules))) looks.set(tenant, { recipes, at: now });
  let marked = 0;
  for (const record of recipeMarks(records, { ...rules, now })) {
    // A scope that somebody wrote to meanwhile is looked at again by the next tick.
    if (await store.scopes.replace(record)) marked += 1;
  }
  return marked;
}
