/**
 * The workflows with one change that old runs cannot follow: a pause before the first step. The
 * replay of every recorded refresh must fail on it, or replaying would prove nothing.
 */
import { sleep } from '@temporalio/workflow';
import type { RefreshTotals, TenantRefreshInput } from '#core/refresh/refresh-contract.ts';
import { tenantRefresh as unchanged } from '#workflows/tenant-refresh.ts';

export { refreshTick } from '#workflows/tenant-refresh.ts';

export async function tenantRefresh(input: TenantRefreshInput): Promise<RefreshTotals> {
  await sleep('1 second');
  return unchanged(input);
}
