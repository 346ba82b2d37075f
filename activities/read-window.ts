/** Activity: when the tenant's batch window closes, or that nothing is due soon. */
import { HORIZON_MS, type WindowReading } from '#core/refresh/refresh-contract.ts';
import { policyToRefreshBy } from '#core/policy/tenant-policy.ts';
import { withVariants } from '#core/variants/variant-window.ts';
import { readWindowOf } from '#core/refresh/batch-window.ts';
import type { RefreshPorts } from './refresh-ports.ts';

/** Scopes, and variants, looked at for one window; more than a claim can take in several rounds. */
const DUE_SCOPES_MAX = 1_000;

export async function readWindow(
  { store, platform }: RefreshPorts,
  { tenant }: { tenant: string },
): Promise<WindowReading> {
  const now = platform.clock();
  // Read before the scopes: a mark that comes in between raises it and forces another round.
  const { wanted } = await store.refreshRequests.get(tenant);
  const policy = await policyToRefreshBy(store.policies, tenant);
  if (policy === null) return { kind: 'Idle', wanted };
  const until = now + HORIZON_MS;
  const due = await store.scopes.due(tenant, { until, now, limit: DUE_SCOPES_MAX });
  const variants = await store.variants.due(tenant, { until, now, limit: DUE_SCOPES_MAX });
  return withVariants(readWindowOf(due, { policy, wanted, now }), variants, now);
}
