/**
 * Leases of runs that a new Temporal server cannot know of are freed, so that nothing waits for
 * them; what their calls had reserved is settled, since they may have been charged.
 */
import { settleLostAttempts } from '#activities/lost-attempts.ts';
import { portsOfTenant, type RefreshPorts } from '#activities/refresh-ports.ts';
import { scopePages } from '#core/refresh/record-pages.ts';
import { applyRelease } from '#core/refresh/scope-failure.ts';

const TENANTS_PER_PAGE = 500;

/** Right only while no worker runs: the caller holds the lock of the installation. */
export async function freeLeases(ports: RefreshPorts): Promise<number> {
  const { store } = ports;
  let freed = 0;
  let after: string | null = null;
  do {
    // Every tenant with a scope, also one that no policy was ever declared for.
    const page: readonly string[] = await store.embeddings.tenants({
      after,
      limit: TENANTS_PER_PAGE,
    });
    for (const tenant of page) freed += await freeTenant(ports, tenant);
    after = page.length < TENANTS_PER_PAGE ? null : (page.at(-1) ?? null);
  } while (after !== null);
  return freed;
}

async function freeTenant(ports: RefreshPorts, tenant: string): Promise<number> {
  const { store, platform } = ports;
  const batches = new Set<string>();
  let freed = 0;
  for await (const page of scopePages(store.scopes, tenant)) {
    for (const scope of page) {
      if (scope.lease === null) continue;
      batches.add(scope.lease.batchId);
      if (await store.scopes.replace(applyRelease(scope, platform.clock()))) freed += 1;
    }
  }
  const known = batches.size === 0 ? ports : await portsOfTenant(ports, tenant);
  for (const batchId of batches) {
    await settleLostAttempts(known, { tenant, batchId });
    await store.answers.close(tenant, batchId);
  }
  return freed;
}
