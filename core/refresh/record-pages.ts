/**
 * Reads records page by page in key order, so that every answer of a store is limited in size. A
 * concurrent write may or may not be included; nothing appears twice.
 */
import type { PolicyRecords } from '../ports/policy-records.ts';
import type { ScopeRecords } from '../ports/scope-records.ts';
import type { PolicyRecord } from '../records/policy.ts';
import type { ScopeRecord } from '../records/scope-record.ts';

/** Scopes per page: reading one takes some milliseconds, and other work runs between pages. */
export const SCOPES_PER_PAGE = 500;
/** Policies per page; each is read whole. */
const POLICIES_PER_PAGE = 200;
/** Stops if a store returns the same page forever; enough for five million scopes of a tenant. */
const PAGES_MAX = 10_000;

/** The position after which a walk continues. */
export type ScopePlace = Pick<ScopeRecord, 'layer' | 'scopeId'>;

/** Yields every scope of a tenant with writes, optionally only those after a position. */
export async function* scopePages(
  scopes: Pick<ScopeRecords, 'list'>,
  tenant: string,
  from?: ScopePlace,
): AsyncGenerator<readonly ScopeRecord[]> {
  let after = from;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await scopes.list(tenant, SCOPES_PER_PAGE, after);
    if (page.length > 0) yield page;
    if (page.length < SCOPES_PER_PAGE) return;
    after = page.at(-1);
  }
}

/** Yields every policy of the installation, including those of released tenants. */
export async function* policyPages(
  policies: Pick<PolicyRecords, 'list'>,
): AsyncGenerator<readonly PolicyRecord[]> {
  let after: string | undefined;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const page = await policies.list(POLICIES_PER_PAGE, after);
    if (page.length > 0) yield page;
    if (page.length < POLICIES_PER_PAGE) return;
    after = page.at(-1)?.tenant;
  }
}
