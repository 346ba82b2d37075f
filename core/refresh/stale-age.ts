/** Measures how long the oldest stale summary has waited, which shows whether refreshes keep up. */
import type { ScopeRecords } from '../ports/scope-records.ts';

/** Tenants to check, longest waiting first, and scopes of each: 21 short index reads. */
const TENANTS_MAX = 20;
const SCOPES_PER_TENANT_MAX = 50;

/**
 * Returns the milliseconds since the oldest stale scope became stale, among due scopes without a
 * lease; 0 if there is none.
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
