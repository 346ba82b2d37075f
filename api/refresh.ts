/** Refreshes a tenant where the caller is, without a window. */
import { VarveError } from '#core/errors.ts';
import type { RefreshReport } from '#core/refresh/refresh-contract.ts';
import type { ApiPorts } from './api-ports.ts';
import { authorizeTenant, type Principal } from './authorize.ts';
import type { RefreshTenant } from './schemas/installation.ts';

/**
 * @throws VarveError BUDGET_EXHAUSTED with what the budget lacked, where the policy says `Reject`;
 * FORBIDDEN for a principal that is bound to identifiers: it spends the budget of the tenant, and
 * says so where that is used up
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

/** Asks for a refresh. The wish is kept in the store, so a lost message costs a minute at most. */
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
