/**
 * Activity of the tick: requests a refresh of every tenant with due work no open run may know of,
 * marks what a change of recipe is to remake, and settles what was reserved and left.
 */
import { periodOf } from '#core/budget/budget-account.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import { isReleased, type PolicyRecord, type TenantPolicy } from '#core/records/policy.ts';
import { backfillMarks, mayBackfill, type BackfillRules } from '#core/refresh/recipe-backfill.ts';
import { recipeHash, type RecipeModel } from '#core/refresh/recipe.ts';
import { policyPages, scopePages } from '#core/refresh/record-pages.ts';
import { cutFarLeases } from './shorten-far-leases.ts';
import { settleLostReservations } from './lost-reservations.ts';
import { withModelsOf, type RefreshPorts, portsOfTenant } from './refresh-ports.ts';

/** Tenants that one tick requests a refresh of; the next tick takes the rest. */
const TENANTS_PER_TICK_MAX = 500;

/** Leases come first, since they hide what is due; what else the tick does follows requests. */
export async function requestDueRefreshes(
  ports: RefreshPorts,
  refreshTrigger: RefreshTrigger,
  looks: RecipeLooks = new Map(),
): Promise<number> {
  await orWarn(ports, 'leases of a clock ahead', () => cutFarLeases(ports, null));
  const requested = await requestAll(ports, refreshTrigger);
  await orWarn(ports, 'lost reservations', () => settleLostReservations(withModelsOf(ports)));
  await orWarn(ports, 'changed recipes', () => backfillRecipes(ports, looks));
  return requested;
}

async function requestAll(ports: RefreshPorts, refreshTrigger: RefreshTrigger): Promise<number> {
  const { store, platform } = ports;
  const now = platform.clock();
  const tenants = await store.scopes.dueTenants({ now, limit: TENANTS_PER_TICK_MAX });
  let requested = 0;
  for (const tenant of tenants) {
    try {
      await store.refreshRequests.want(tenant);
      await refreshTrigger.notify(tenant, { urgent: false });
      requested += 1;
    } catch (error) {
      // Those who waited longest come first: one whose run is unreachable must not hold up others.
      platform.log.warn({ tenant, error }, 'refresh not requested; the next tick retries');
    }
  }
  return requested;
}

/** What the tick does besides must not keep it from requesting refreshes. */
async function orWarn(
  ports: RefreshPorts,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    ports.platform.log.warn({ what, error }, 'left to the next tick');
  }
}

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
  const recipeOfLayer = (layer: Layer) =>
    hash(layer, models.ofClass(policy.layers[layer].modelClass));
  const rules: BackfillRules = {
    recipeOf: ({ layer }) => recipeOfLayer(layer),
    fallbackOf: ({ layer }) => hash(layer, models.extractive),
    ...(policy.leastIntervalMs === undefined ? {} : { leastIntervalMs: policy.leastIntervalMs }),
  };
  const recipes = JSON.stringify(LAYERS.map((layer) => recipeOfLayer(layer)));
  const last = looks.get(tenant);
  if (last?.recipes === recipes && now - last.at < LOOK_AGAIN_MS) return 0;
  looks.delete(tenant);
  if (!mayBackfill(await store.accounts.get(tenant, periodOf(now), budget))) return 0;
  const marks = backfillMarks({ ...rules, now });
  for await (const page of scopePages(store.scopes, tenant)) marks.add(page);
  if (!marks.isAnyBehind()) looks.set(tenant, { recipes, at: now });
  let marked = 0;
  for (const record of marks.records()) {
    // The next tick looks again at a scope that changed meanwhile.
    if (await store.scopes.replace(record)) marked += 1;
  }
  return marked;
}
