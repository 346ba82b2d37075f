/** The lease of a claimed batch: how long its worker may keep the scopes. */
import type { LeaseCut } from '../ports/scope-records.ts';

/** Longer than any activity; afterwards a lost claim is free again. */
export const BATCH_LEASE_MS = 600_000;

/** Clocks that are less apart than this change nothing. */
const CLOCKS_APART_MS = BATCH_LEASE_MS;
/** Leases that one look shortens; the next one shortens more. */
const SHORTENED_MAX = 1_000;

/**
 * Which leases a clock that was ahead wrote, and when they end instead. No claim takes a lease that
 * ends later than `BATCH_LEASE_MS` from now. Such a lease is not taken for expired: its holder may
 * be at work, and gets a whole lease from now, so that no second holder begins beside it. A holder
 * that needs longer commits nothing once another has its scope.
 * @param tenant null for every tenant
 */
export function farLeaseCut(tenant: string | null, now: number): LeaseCut {
  const until = now + BATCH_LEASE_MS;
  return { tenant, beyond: until + CLOCKS_APART_MS, until, limit: SHORTENED_MAX };
}
