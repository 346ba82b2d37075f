/**
 * Activity of the tick: requests a refresh of every tenant with due work no open run may know of,
 * marks what a change of recipe is to remake, and settles what was reserved and left.
 */
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import { backfillRecipes, type RecipeLooks } from './backfill-recipes.ts';
import { settleLostReservations } from './lost-attempts.ts';
import { withModelsOf, type RefreshPorts } from './refresh-ports.ts';

/** Tenants woken by one tick; the next tick takes the rest. */
const TENANTS_PER_TICK_MAX = 500;

/** Requests come first; what else the tick does follows. */
export async function requestDueRefreshes(
  ports: RefreshPorts,
  refreshTrigger: RefreshTrigger,
  looks: RecipeLooks = new Map(),
): Promise<number> {
  const woken = await requestAll(ports, refreshTrigger);
  await orWarn(ports, 'lost reservations', () => settleLostReservations(withModelsOf(ports)));
  await orWarn(ports, 'changed recipes', () => backfillRecipes(ports, looks));
  return woken;
}

async function requestAll(ports: RefreshPorts, refreshTrigger: RefreshTrigger): Promise<number> {
  const { store, platform } = ports;
  const now = platform.clock();
  const tenants = await store.scopes.dueTenants({ now, limit: TENANTS_PER_TICK_MAX });
  let woken = 0;
  for (const tenant of tenants) {
    try {
      await store.refreshRequests.want(tenant);
      await refreshTrigger.wake(tenant, { urgent: false });
      woken += 1;
    } catch (error) {
      // Those who waited longest come first: one that cannot be woken must not hold up the others.
      platform.log.warn({ tenant, error }, 'refresh not requested; the next tick retries');
    }
  }
  return woken;
}

/** What the tick does besides must not keep it from waking. */
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
