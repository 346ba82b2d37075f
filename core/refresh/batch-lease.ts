/** The lease of a claimed batch: how long its worker may hold the scopes. */
import type { LeaseClamp } from '../ports/scope-records.ts';

/** Longer than any activity; afterwards the scopes of a lost claim are free again. */
export const BATCH_LEASE_MS = 600_000;

/** Smaller differences between clocks are tolerated. */
const CLOCKS_APART_MS = BATCH_LEASE_MS;
/** The most leases that one check clamps; the next check clamps more. */
const CLAMPED_MAX = 1_000;

/**
 * Finds leases that a clock running ahead wrote, and decides when they end instead. A correct claim
 * has no lease that ends later than `BATCH_LEASE_MS` from now. A lease that does is not treated as
 * expired, because its holder may be at work. It gets a full lease from now, so that no second
 * holder starts beside it. A holder that needs longer commits nothing once another one has its
 * scope.
 * @param tenant null for every tenant
 */
export function futureLeaseClamp(tenant: string | null, now: number): LeaseClamp {
  const until = now + BATCH_LEASE_MS;
  return { tenant, beyond: until + CLOCKS_APART_MS, until, limit: CLAMPED_MAX };
}
