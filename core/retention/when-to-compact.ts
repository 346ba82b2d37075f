/**
 * When the text of a session's old turns may be deleted (decision 0053). Pure; needs only the
 * scope's row.
 */
import { DAY_MS } from '../duration.ts';
import type { TenantPolicy } from '../records/policy.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { SessionRecord } from '../records/session.ts';
import type { Summary } from '../records/summary.ts';
import type { Turn } from '../records/turn.ts';

/**
 * If a session waits for a summary or a flush for this many times its tenant's retention time, it
 * loses the text of its old turns without. That is long enough to notice and fix a problem, and
 * still limited, because a retention time is a promise.
 */
export const WAITING_TIMES = 2;
/** The shortest retention time of a policy: no younger turn is old for any tenant. */
export const RETENTION_MS_MIN = DAY_MS;

/** Returns how long a tenant's turns keep their text, in milliseconds. */
export function retentionMsOf({
  transcriptRetentionDays,
}: Pick<TenantPolicy, 'transcriptRetentionDays'>): number {
  return transcriptRetentionDays * DAY_MS;
}

/** Returns from when on the age of a turn counts: a chat of last year is not old when imported. */
export function heldSince({ at, storedAt = at }: Pick<Turn, 'at' | 'storedAt'>): number {
  return Math.max(at, storedAt);
}

/**
 * Returns the old turns that no longer wait for a flush, which makes memories and daily lines of
 * them. Turns without an owner wait for none.
 */
export function flushedTurns(
  old: readonly Turn[],
  session: Pick<SessionRecord, 'opener' | 'flushedTo'> | null,
  { retentionMs, now }: { retentionMs: number; now: number },
): readonly Turn[] {
  if (session === null || session.opener === '') return old;
  const overdue = now - WAITING_TIMES * retentionMs;
  return old.filter((turn) => turn.sequence <= session.flushedTo || heldSince(turn) <= overdue);
}

type RetentionDecision =
  | {
      readonly kind: 'Compact';
      /** How many of the session's last turns the summary may lack; infinite without a summary. */
      readonly uncovered: number;
      /** Whether old turns among them are deleted too. */
      readonly isOverdue: boolean;
    }
  /** A summary is being made. */
  | { readonly kind: 'Wait' };

/**
 * Returns which old turns of a session may be deleted. The age and the recipe of its summary do not
 * show what it covers; each later write may be one more turn at the end. The fallback summary of a
 * dead letter covers nothing, because no model made it.
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
  const isOverdue = since <= now - WAITING_TIMES * retentionMs;
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
