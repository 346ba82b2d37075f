/** For how long the summary has been stale that waits longest: whether refreshes keep up. */
import type { ScopeRecords } from '../ports/scope-records.ts';

/** Tenants looked at, those that wait longest, and scopes of each: 21 short reads of an index. */
const TENANTS_MAX = 20;
const SCOPES_PER_TENANT_MAX = 50;

/**
 * Milliseconds since the oldest stale scope became stale, among those that are due and that nobody
 * works on; 0 where none is.
 */
export async function oldestStaleAge(
  scopes: Pick<ScopeRecords, 'due' | 'dueTenants'>,
  now: number,
): Promise<number> {
  let oldest = now;
  for (const tenant of await scopes.dueTenants({ now, limit: TENANTS_MAX })) {
    const query = { until: now, now, limit: SCOPES_PER_TENANT_MAX };
    for (const { firstStaleAt } of await scopes.due(tenant, query)) {
      oldest = Math.min(oldest, firstStaleAt ?? now);
    }
  }
  return now - oldest;
}
