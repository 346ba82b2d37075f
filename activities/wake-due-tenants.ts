/** Activity of the tick: wakes every tenant with something due that no open run may know of. */
import type { Waker } from '#core/ports/waker.ts';
import type { RefreshPorts } from './refresh-ports.ts';

/** Tenants woken by one tick; the next tick takes the rest. */
const TENANTS_PER_TICK_MAX = 500;

export async function wakeDueTenants(ports: RefreshPorts, waker: Waker): Promise<number> {
  const now = ports.platform.clock();
  const tenants = await ports.store.scopes.dueTenants({ now, limit: TENANTS_PER_TICK_MAX });
  let woken = 0;
  for (const tenant of tenants) {
    try {
      await ports.store.wakes.want(tenant);
      await waker.wake(tenant, { urgent: false });
      woken += 1;
    } catch (error) {
      // Those who waited longest come first: one that cannot be woken must not hold up the others.
      ports.platform.log.warn({ tenant, error }, 'tenant not woken; the next tick tries again');
    }
  }
  return woken;
}
