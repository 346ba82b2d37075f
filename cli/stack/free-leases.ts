/**
 * Leases of runs that a new Temporal server cannot know of are freed, so that nothing waits for
 * them; what their calls had reserved is settled, since they may have been charged.
 */
import { settleLostAttempts } from '#activities/lost-attempts.ts';
import type { RefreshPorts } from '#activities/refresh-ports.ts';
import { applyRelease } from '#core/scope-failure.ts';

const TENANTS_MAX = 1_000;
const SCOPES_PER_TENANT_MAX = 10_000;

/** Right only while no worker runs: the caller holds the lock of the installation. */
export async function freeLeases(ports: RefreshPorts): Promise<number> {
  const { store, platform } = ports;
  let freed = 0;
  for (const { tenant } of await store.policies.list(TENANTS_MAX)) {
    const batches = new Set<string>();
    for (const scope of await store.scopes.list(tenant, SCOPES_PER_TENANT_MAX)) {
      if (scope.lease === null) continue;
      batches.add(scope.lease.batchId);
      if (await store.scopes.replace(applyRelease(scope, platform.clock()))) freed += 1;
    }
    for (const batchId of batches) {
      await settleLostAttempts(ports, { tenant, batchId });
      await store.answers.close(tenant, batchId);
    }
  }
  return freed;
}
