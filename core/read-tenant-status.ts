/** Reads how the summaries of a tenant stand, in bounded pages of its scope records. */
import type { ScopeRecords } from './ports/scope-records.ts';
import type { SummaryRecords } from './ports/summary-records.ts';
import { scopePages } from './record-pages.ts';
import {
  isSummarised,
  recordFreshness,
  statusFold,
  summaryFreshness,
  type StatusRules,
  type TenantStatus,
} from './tenant-status.ts';

/** Scopes looked at; of a tenant with more the counts are of the first by layer and id. */
const STATUS_SCOPES_MAX = 20_000;
/** Summaries read of scopes that were written to; further such scopes are counted as stale. */
const SUMMARIES_MAX = 200;

export interface StatusQuery extends StatusRules {
  readonly scopesMax?: number;
  /** Waited for between pages, so that others go on where a store answers without waiting. */
  readonly pause?: () => Promise<unknown>;
}

export interface StatusSource {
  readonly scopes: Pick<ScopeRecords, 'list'>;
  readonly summaries: Pick<SummaryRecords, 'get'>;
}

/** At most `scopesMax` scope records and 200 summaries are read; no memory, and no source. */
export async function readTenantStatus(
  { scopes, summaries }: StatusSource,
  tenant: string,
  { scopesMax = STATUS_SCOPES_MAX, pause, ...rules }: StatusQuery,
): Promise<TenantStatus> {
  const fold = statusFold(rules);
  let [looked, read] = [0, 0];
  for await (const page of scopePages(scopes, tenant)) {
    if (looked >= scopesMax) return fold.status(false);
    for (const record of page.slice(0, scopesMax - looked).filter(isSummarised)) {
      const freshness = recordFreshness(record, rules);
      if (freshness !== 'Unsure') fold.add(record, freshness);
      else if (read >= SUMMARIES_MAX) fold.add(record, 'Stale');
      else {
        read += 1;
        fold.add(record, summaryFreshness(record, await summaries.get(record, ''), rules));
      }
    }
    looked += page.length;
    await pause?.();
  }
  return fold.status(looked <= scopesMax);
}
