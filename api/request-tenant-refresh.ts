/** Refreshes a tenant in this process, without a batch window. */
import type { ApiPorts } from './api-ports.ts';

/** Requests a refresh. The store keeps it, so a lost message delays it by a minute at most. */
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
