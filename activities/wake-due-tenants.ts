/** Activity of the tick: wakes every tenant with something due that no open run may know of. */
import type { Waker } from '#core/ports/waker.ts';
import type { RefreshPorts } from './refresh-ports.ts';

/** Tenants woken by one tick; the next tick takes the rest. */
const TENANTS_PER_TICK_MAX = 500;

export async function wakeDueTenants(ports: RefreshPorts, waker: Waker): Promise<number> {
  const now = ports.platform.clock();
  const tenants = await ports.store.scopes.dueTenants({ now, limit: TENANTS_PER_TICK_MAX });
  for (const tenant of tenants) {
    await ports.store.wakes.want(tenant);
    await waker.wake(tenant, { urgent: false });
  }
  return tenants.length;
}
