/** Asks for a refresh of a tenant. */
import type { ApiPorts } from './ports.ts';

/** Asks for a refresh. The wish is kept in the store, so a lost message costs a minute at most. */
export async function requestTenantRefresh(
  { store, platform, refreshTrigger }: ApiPorts,
  tenant: string,
): Promise<void> {
  const { edge } = await store.refreshRequests.want(tenant);
  try {
    await refreshTrigger.wake(tenant, { urgent: false, isFirst: edge });
  } catch (error) {
    platform.log.warn({ tenant, error }, 'refresh request not delivered; the tick will find it');
  }
}
