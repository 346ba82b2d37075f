/**
 * Activity of the tick: wakes every tenant with something due that no open run may know of, marks
 * what a change of recipe is to remake, and settles what was reserved and left.
 */
import type { Waker } from '#core/ports/waker.ts';
import { backfillRecipes, type RecipeLooks } from './backfill-recipes.ts';
import { settleLostReservations } from './lost-attempts.ts';
import { withModelsOf, type RefreshPorts } from './refresh-ports.ts';

/** Tenants woken by one tick; the next tick takes the rest. */
const TENANTS_PER_TICK_MAX = 500;

/** The first thing is to wake; what the tick does besides is looked at when that is done. */
export async function wakeDueTenants(
  ports: RefreshPorts,
  waker: Waker,
  looks: RecipeLooks = new Map(),
): Promise<number> {
  const woken = await wakeAll(ports, waker);
  await orWarn(ports, 'lost reservations', () => settleLostReservations(withModelsOf(ports)));
  await orWarn(ports, 'changed recipes', () => backfillRecipes(ports, looks));
  return woken;
}

async function wakeAll(ports: RefreshPorts, waker: Waker): Promise<number> {
  const { store, platform } = ports;
  const now = platform.clock();
  const tenants = await store.scopes.dueTenants({ now, limit: TENANTS_PER_TICK_MAX });
  let woken = 0;
  for (const tenant of tenants) {
    try {
      await store.wakes.want(tenant);
      await waker.wake(tenant, { urgent: false });
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
