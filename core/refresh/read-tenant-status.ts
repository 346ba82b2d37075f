/**
 * Reads how the summaries of a tenant stand, in bounded pages of its scope records. A tenant with
 * more scopes than one look takes is counted by several, each of which goes on where the one before
 * ended.
 */
import type { ScopeRecords } from '../ports/scope-records.ts';
import type { SummaryRecords } from '../ports/summary-records.ts';
import { scopePages, type ScopePlace } from './record-pages.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import {
  isSummarized,
  recordFreshness,
  statusFold,
  summaryFreshness,
  type StatusFold,
  type StatusRules,
  type TenantStatus,
} from './tenant-status.ts';

/** Scopes of one look: some hundred milliseconds. */
const SCOPES_PER_LOOK = 20_000;
/** Summaries that one look reads, of scopes that were written to; further such count as stale. */
const SUMMARIES_PER_LOOK = 200;

/** Of a walk over all scopes of a tenant: what was counted, and how far it came. For one look. */
export interface StatusWalk {
  readonly fold: StatusFold;
  readonly after: ScopePlace;
}

export interface StatusQuery extends StatusRules {
  /** Where the look before ended; null, or absent, to begin with the first scope. */
  readonly walk?: StatusWalk | null;
  readonly scopesMax?: number;
  /** Waited for between pages, so that others go on where a store answers without waiting. */
  readonly pause?: () => Promise<unknown>;
}

export interface StatusSource {
  readonly scopes: Pick<ScopeRecords, 'list'>;
  readonly summaries: Pick<SummaryRecords, 'get'>;
}

/** What was counted since the walk began. */
export interface ReadStatus extends TenantStatus {
  /** For the next look; null where every scope was counted. */
  readonly rest: StatusWalk | null;
}

/**
 * At most `scopesMax` scope records and 200 summaries are read; no memory, and no source. A walk
 * whose look failed is not to be gone on with: a part of it may have been counted.
 */
export async function readTenantStatus(
  { scopes, summaries }: StatusSource,
  tenant: string,
  { scopesMax = SCOPES_PER_LOOK, walk = null, pause, ...rules }: StatusQuery,
): Promise<ReadStatus> {
  const fold = walk?.fold ?? statusFold();
  let after = walk?.after;
  let [looked, read] = [0, 0];
  const freshnessOf = async (record: ScopeRecord): Promise<'Fresh' | 'Stale'> => {
    const freshness = recordFreshness(record, rules);
    if (freshness !== 'Unsure') return freshness;
    if (read >= SUMMARIES_PER_LOOK) return 'Stale';
    read += 1;
    return summaryFreshness(record, await summaries.get(record, ''), rules);
  };
  for await (const page of scopePages(scopes, tenant, after)) {
    const counted = page.slice(0, scopesMax - looked);
    for (const record of counted.filter(isSummarized)) {
      fold.add(record, await freshnessOf(record), rules.now);
    }
    looked += counted.length;
    after = placeOf(counted.at(-1)) ?? after;
    if (counted.length < page.length && after !== undefined) {
      return { ...fold.status(false), rest: { fold, after } };
    }
    await pause?.();
  }
  return { ...fold.status(true), rest: null };
}

/** Without the rest of the record, which would be kept until the next look. */
function placeOf(record: ScopePlace | undefined): ScopePlace | undefined {
  return record === undefined ? undefined : { layer: record.layer, scopeId: record.scopeId };
}
