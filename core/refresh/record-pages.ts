/**
 * Records page after page, in the order of their keys, so that no answer of a store is without a
 * bound. What is written meanwhile may be seen or not; nothing is seen twice.
 */
import type { PolicyRecords } from '../ports/policy-records.ts';
import type { ScopeRecords } from '../ports/scope-records.ts';
import type { PolicyRecord } from '../records/policy-record.ts';
import type { ScopeRecord } from '../records/scope-record.ts';

/** Scopes of one page: some milliseconds, between which others go on. */
export const SCOPES_PER_PAGE = 500;
/** Policies of one page; each is read whole. */
const POLICIES_PER_PAGE = 200;
/** Ends a store that answers the same page for ever; five million scopes of a tenant. */
const PAGES_MAX = 10_000;

/** A scope, for who goes on behind it. */
export type ScopePlace = Pick<ScopeRecord, 'layer' | 'scopeId'>;

/** Every scope of a tenant that was written to; those after one, where one is given. */
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

/** Every policy of the installation, those of released tenants too. */
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
