/**
 * Leases of a clock that was ahead. No claim takes a lease that ends later than `BATCH_LEASE_MS`
 * from now, so one that does would keep its scope until a time that is far off.
 */
import type { LeaseCut, ScopeRecords } from '../ports/scope-records.ts';
import type { VariantRecords } from '../ports/store.ts';
import { BATCH_LEASE_MS } from './batch-lease.ts';

/** Clocks that are less apart than this change nothing. */
const CLOCKS_APART_MS = BATCH_LEASE_MS;
/** Leases that one look shortens; the next one shortens more. */
const SHORTENED_MAX = 1_000;

interface Records {
  readonly scopes: Pick<ScopeRecords, 'shortenLeases'>;
  readonly variants: Pick<VariantRecords, 'shortenLeases'>;
}

/**
 * Shortens them to a whole lease from now; answers how many. They are not taken for expired: their
 * holder may be at work, and then has its time as if it had begun now, so that no second one
 * begins beside it. One that goes on for longer commits nothing once another has its scope.
 */
export async function shortenFarLeases(
  { scopes, variants }: Records,
  tenant: string | null,
  now: number,
): Promise<number> {
  const until = now + BATCH_LEASE_MS;
  const cut: LeaseCut = { tenant, beyond: until + CLOCKS_APART_MS, until, limit: SHORTENED_MAX };
  return (await scopes.shortenLeases(cut)) + (await variants.shortenLeases(cut));
}
