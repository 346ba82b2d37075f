/** Leases of runs that a new Temporal server cannot know of are freed, so that nothing waits. */
import { applyRelease } from '#core/scope-failure.ts';
import type { Store } from '#core/ports/store.ts';

const TENANTS_MAX = 1_000;
const SCOPES_PER_TENANT_MAX = 10_000;

/** Right only while no worker runs: the caller holds the lock of the installation. */
export async function freeLeases(store: Store, now: number): Promise<number> {
  let freed = 0;
  for (const { tenant } of await store.policies.list(TENANTS_MAX)) {
    for (const scope of await store.scopes.list(tenant, SCOPES_PER_TENANT_MAX)) {
      if (scope.lease === null) continue;
      if (await store.scopes.replace(applyRelease(scope, now))) freed += 1;
    }
  }
  return freed;
}
