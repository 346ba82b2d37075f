/** Reads records page by page in key order, so that every answer of a store is limited in size. */
import { pagesOf } from '../chunks-and-pages.ts';
import type { PolicyRecords } from '../ports/policy-records.ts';
import type { ScopeRecords } from '../ports/scope-records.ts';
import type { PolicyRecord } from '../records/policy.ts';
import type { ScopeRecord } from '../records/scope-record.ts';

/** Scopes per page: reading one takes some milliseconds, and other work runs between pages. */
export const SCOPES_PER_PAGE = 500;
/** Policies per page; each is read whole. */
const POLICIES_PER_PAGE = 200;
/** Enough for five million scopes of a tenant. */
const PAGES_MAX = 10_000;

/** The position after which a walk continues. */
export type ScopePlace = Pick<ScopeRecord, 'layer' | 'scopeId'>;

/** Yields every scope of a tenant with writes, optionally only those after a position. */
export function scopePages(
  scopes: Pick<ScopeRecords, 'list'>,
  tenant: string,
  from?: ScopePlace,
): AsyncGenerator<readonly ScopeRecord[]> {
  const read = (last: ScopeRecord | undefined) =>
    scopes.list(tenant, SCOPES_PER_PAGE, last ?? from);
  return pagesOf(SCOPES_PER_PAGE, read, PAGES_MAX);
}

/** Yields every policy of the installation, including those of released tenants. */
export function policyPages(
  policies: Pick<PolicyRecords, 'list'>,
): AsyncGenerator<readonly PolicyRecord[]> {
  const read = (last: PolicyRecord | undefined) => policies.list(POLICIES_PER_PAGE, last?.tenant);
  return pagesOf(POLICIES_PER_PAGE, read, PAGES_MAX);
}
