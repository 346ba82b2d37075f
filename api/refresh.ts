/** Refreshes a tenant in this process, without a batch window. */
import { VarveError } from '#core/errors.ts';
import type { RefreshReport } from '#core/refresh/refresh-contract.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorizeTenant, type Principal } from './principal.ts';
import type { RefreshTenant } from './schemas/installation.ts';

/**
 * Refreshes a tenant now.
 * @throws VarveError BUDGET_EXHAUSTED with what the budget lacked, if the policy says `Reject`;
 * PROVIDER_REJECTED if only workers refresh; FORBIDDEN for a principal bound to identifiers, since
 * a refresh spends the tenant's budget and reports when it is used up
 */
export async function refreshTenant(
  { refreshHere }: ApiPorts,
  principal: Principal,
  { tenant, kind }: RefreshTenant,
): Promise<RefreshReport> {
  authorizeTenant(principal, tenant);
  if (refreshHere !== null) return refreshHere(tenant, kind);
  const message = 'Workers refresh summaries here when they are due; no call is needed.';
  throw new VarveError('PROVIDER_REJECTED', message);
}

/**
 * Requests a refresh. The store keeps the request, so a lost message delays it by a minute at most.
 */
export async function requestTenantRefresh(
  { store, platform, refreshTrigger }: ApiPorts,
  tenant: string,
): Promise<void> {
  const { edge } = await store.refreshRequests.want(tenant);
  try {
    await refreshTrigger.notify(tenant, { urgent: false, isFirst: edge });
  } catch (error) {
    platform.log.warn({ tenant, error }, 'refresh request not delivered; the tick will find it');
  }
}
