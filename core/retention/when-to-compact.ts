/** When the text of a session's old turns may go (decision 0053): pure, by the scope's one row. */
import type { TenantPolicy } from '../records/policy.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Summary } from '../records/summary.ts';

const DAY_MS = 86_400_000;
/**
 * A session that has waited for a summary for twice its tenant's retention time loses the text of
 * its old turns without one: long enough to notice and fix what is wrong, and still bounded, since
 * a retention time is a promise.
 */
export const UNSUMMARISED_TIMES = 2;
/** The shortest retention time that a policy can name: no younger turn is old for anybody. */
export const RETENTION_MS_MIN = DAY_MS;

/** How long a tenant's turns keep their text, in milliseconds. */
export function retentionMsOf({
  transcriptRetentionDays,
}: Pick<TenantPolicy, 'transcriptRetentionDays'>): number {
  return transcriptRetentionDays * DAY_MS;
}

export type RetentionDecision =
  | {
      readonly kind: 'Compact';
      /** So many of the session's last turns the summary may not know; infinite without one. */
      readonly uncovered: number;
      /** Whether old ones among them go too. */
      readonly isOverdue: boolean;
    }
  /** A summary is being made. */
  | { readonly kind: 'Wait' };

/**
 * Returns which old turns of a session may be deleted. The age and the recipe of its summary say
 * nothing about what it covers; each write since may be one more turn at the end. The fallback
 * summary of a dead letter covers nothing, since no model made it.
 */
export function retentionOf(
  record: Pick<
    ScopeRecord,
    'lease' | 'droppedSources' | 'sourceHash' | 'changes' | 'firstStaleAt' | 'deadLetter'
  >,
  summary: Pick<Summary, 'sourceHash'> | null,
  { retentionMs, now }: { retentionMs: number; now: number },
): RetentionDecision {
  const isLeased = record.lease !== null && record.lease.until > now;
  if (isLeased) return { kind: 'Wait' };
  const since = record.firstStaleAt ?? record.deadLetter?.at ?? Infinity;
  const isOverdue = since <= now - UNSUMMARISED_TIMES * retentionMs;
  return { kind: 'Compact', uncovered: uncoveredOf(record, summary), isOverdue };
}

function uncoveredOf(
  {
    droppedSources,
    sourceHash,
    changes,
    deadLetter,
  }: Pick<ScopeRecord, 'droppedSources' | 'sourceHash' | 'changes' | 'deadLetter'>,
  summary: Pick<Summary, 'sourceHash'> | null,
): number {
  if (summary === null || deadLetter !== null || droppedSources.length > 0) return Infinity;
  if (summary.sourceHash === sourceHash) return 0;
  return changes > 0 ? changes : Infinity;
}
