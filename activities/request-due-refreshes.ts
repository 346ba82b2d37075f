/**
 * Activity of the tick: requests a refresh of every tenant with due work that no open run may know
 * of, marks summaries that a change of recipe makes due, and settles lost reservations.
 */
import { periodOf } from '#core/budget/budget-account.ts';
import { LAYERS, type Layer } from '#core/layer.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import { isReleased, type TenantPolicy } from '#core/records/policy.ts';
import { backfillMarks, mayBackfill, type BackfillRules } from '#core/refresh/recipe-backfill.ts';
import { recipeHash, type RecipeModel } from '#core/refresh/recipe.ts';
import { policyPages, scopePages } from '#core/refresh/record-pages.ts';
import { clampFutureLeases } from './clamp-future-leases.ts';
import { settleLostReservations } from './settle-lost-reservations.ts';
import { withModelsOf, type RefreshPorts, portsOfTenant } from './refresh-ports.ts';

/** Tenants that one tick requests a refresh of; the next tick takes the rest. */
const TENANTS_PER_TICK_MAX = 500;

/**
 * Returns how many refreshes it requested. Leases come first, since they hide due scopes; other
 * work of the tick follows the requests.
 */
export async function requestDueRefreshes(
  ports: RefreshPorts,
  refreshTrigger: RefreshTrigger,
  checks: RecipeChecks = new Map(),
): Promise<number> {
  await orWarn(ports, 'leases of a clock ahead', () => clampFutureLeases(ports, null));
  const requested = await requestAll(ports, refreshTrigger);
  await orWarn(ports, 'lost reservations', () => settleLostReservations(withModelsOf(ports)));
  await orWarn(ports, 'changed recipes', () => backfillRecipes(ports, checks));
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
      // Tenants that waited longest come first; one with an unreachable run must not block the
      // others.
      platform.log.warn({ tenant, error }, 'refresh not requested; the next tick retries');
    }
  }
  return requested;
}

/** Failures of the tick's other work must not keep it from requesting refreshes. */
async function orWarn(
  ports: RefreshPorts,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    ports.platform.log.warn({ what, error }, 'step of the tick failed; the next tick retries');
  }
}

/** Time that one tick spends on it: meanwhile it requests no refresh, and it ends in a minute. */
const TICK_MS_MAX = 20_000;
/**
 * A scan that found nothing is repeated after this time: an older worker may have written since.
 */
const CHECK_AGAIN_MS = 3_600_000;

/** By tenant: the recipes of its last whole scan that found nothing to regenerate, and its time. */
export type RecipeChecks = Map<string, { readonly recipes: string; readonly at: number }>;

/** Makes scopes with a changed recipe due; returns how many. A failing tenant blocks no other. */
export async function backfillRecipes(
  ports: RefreshPorts,
  checks: RecipeChecks = new Map(),
): Promise<number> {
  const { store, platform } = ports;
  const until = platform.clock() + TICK_MS_MAX;
  let marked = 0;
  for await (const page of policyPages(store.policies)) {
    for (const record of page) {
      const { policy } = record;
      if (policy.onRecipeChange !== 'Backfill' || isReleased(record)) continue;
      if (platform.clock() > until) return marked;
      try {
        marked += await backfill(ports, policy, checks);
      } catch (error) {
        platform.log.warn({ tenant: policy.tenant, error }, 'failed to check recipes; will retry');
      }
    }
  }
  return marked;
}

async function backfill(
  ports: RefreshPorts,
  policy: TenantPolicy,
  checks: RecipeChecks,
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
  const last = checks.get(tenant);
  if (last?.recipes === recipes && now - last.at < CHECK_AGAIN_MS) return 0;
  checks.delete(tenant);
  if (!mayBackfill(await store.accounts.get(tenant, periodOf(now), budget))) return 0;
  const marks = backfillMarks({ ...rules, now });
  for await (const page of scopePages(store.scopes, tenant)) marks.add(page);
  if (!marks.isAnyBehind()) checks.set(tenant, { recipes, at: now });
  let marked = 0;
  for (const record of marks.records()) {
    // If the scope changed meanwhile, the next tick checks it again.
    if (await store.scopes.replace(record)) marked += 1;
  }
  return marked;
}
