/**
 * Reads the state of a tenant's summaries in bounded pages of its scope records. A tenant with
 * more scopes than one call reads is counted over several calls, each of which continues where the
 * last ended.
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

/** Maximum scopes per call: some hundred milliseconds. */
const SCOPES_PER_LOOK = 20_000;
/** Maximum summaries read per call, for scopes with new writes; further ones count as stale. */
const SUMMARIES_PER_LOOK = 200;

/** State of a walk over all scopes of a tenant: counts and position. Valid for one call. */
export interface StatusWalk {
  readonly fold: StatusFold;
  readonly after: ScopePlace;
}

export interface StatusQuery extends StatusRules {
  /** Where the last call ended; null or absent to begin with the first scope. */
  readonly walk?: StatusWalk | null;
  readonly scopesMax?: number;
  /** Awaited between pages, so that other work proceeds even if the store answers synchronously. */
  readonly pause?: () => Promise<unknown>;
}

export interface StatusSource {
  readonly scopes: Pick<ScopeRecords, 'list'>;
  readonly summaries: Pick<SummaryRecords, 'get'>;
}

/** The counts since the walk began. */
export interface ReadStatus extends TenantStatus {
  /** For the next call; null once every scope is counted. */
  readonly rest: StatusWalk | null;
}

/**
 * Reads at most `scopesMax` scope records and 200 summaries, but no memories and no sources. Do
 * not continue a walk after a failed call: part of it may already be counted.
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

/** Drops the rest of the record, which would otherwise stay in memory until the next call. */
function placeOf(record: ScopePlace | undefined): ScopePlace | undefined {
  return record === undefined ? undefined : { layer: record.layer, scopeId: record.scopeId };
}
