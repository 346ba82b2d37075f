/**
 * Due: when a scope must be regenerated, and why (design 6.12, 6.13). Stale is what readers see
 * (staleness.ts). A stale scope need not be due, because not every change regenerates a summary.
 */
import type { Layer } from '../layer.ts';
import type { DuePolicy, TenantPolicy } from '../records/policy.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Trigger } from '../records/summary.ts';

/** A scope is marked urgent at most once in this time, so a cleanup is one regeneration. */
export const URGENT_SPACING_MS = 60_000;
/** No hold is longer, whatever the scope waits for. */
export const HOLD_MS_MAX = 15 * 60_000;
/** No dead letter waits longer for its next retry. */
export const DEAD_LETTER_BACKOFF_MS_MAX = 24 * 60 * 60_000;

export interface Due {
  readonly at: number;
  readonly trigger: Trigger;
}

/** Returns the part of a policy that decides when a scope of a layer is due. */
export function duePolicyOf(policy: TenantPolicy, layer: Layer): DuePolicy {
  const { layers, urgentDebounceMs, leastIntervalMs } = policy;
  return {
    layer: layers[layer],
    urgentDebounceMs,
    ...(leastIntervalMs === undefined ? {} : { leastIntervalMs }),
  };
}

/**
 * Returns when a scope is due, or null if nothing is pending. The earliest rule counts, but not
 * before a hold ends, and not sooner after the last check than the platform allows. After a failure
 * or an exhausted budget, no write makes a call earlier, not even an urgent one.
 */
export function dueOf(written: ScopeRecord, policy: DuePolicy, now: number): Due | null {
  const record = notAhead(written, now);
  if (record.deadLetter !== null) return afterBackoff(record);
  const due = firstDue(record, policy, now);
  if (due === null) return null;
  const spaced =
    due.trigger === 'Requested' ? due.at : Math.max(due.at, spacedFrom(record, policy));
  return { ...due, at: notBefore(record, spaced) };
}

/** A dead letter is retried when its rest is over, even if something else would make it due. */
function afterBackoff({ dueAt, dueTrigger }: ScopeRecord): Due | null {
  return dueAt === null ? null : { at: dueAt, trigger: dueTrigger ?? 'Interval' };
}

/**
 * Replaces future times, which a clock that was ahead wrote, with the current time. Otherwise a
 * scope would wait until then.
 */
export function notAhead(record: ScopeRecord, now: number): ScopeRecord {
  const { checkedAt, generatedAt, firstStaleAt, urgentAt, dueAt, hold, deadLetter } = record;
  const within = (at: number | null, most: number) => (at === null ? null : Math.min(at, most));
  const until = Math.min(hold?.until ?? 0, now + HOLD_MS_MAX);
  return {
    ...record,
    checkedAt: within(checkedAt, now),
    generatedAt: within(generatedAt, now),
    firstStaleAt: within(firstStaleAt, now),
    // During a cleanup, the mark is ahead by its spacing.
    urgentAt: urgentAt !== null && urgentAt > now + URGENT_SPACING_MS ? now : urgentAt,
    dueAt: deadLetter === null ? dueAt : within(dueAt, now + DEAD_LETTER_BACKOFF_MS_MAX),
    hold: hold === null || hold.until === until ? hold : { ...hold, until },
  };
}

/**
 * Returns the time before which only a person can have the scope checked again. An urgent mark is
 * no exception: every answer already omits what a dropped source said (design 6.13).
 */
export function spacedFrom(
  { checkedAt }: Pick<ScopeRecord, 'checkedAt'>,
  { leastIntervalMs = 0 }: Pick<DuePolicy, 'leastIntervalMs'>,
): number {
  return checkedAt === null ? 0 : checkedAt + leastIntervalMs;
}

/**
 * Returns when a refresh must check the scope: at its due mark, or when a source expires, because
 * an expiry causes no write. Never before a hold or a dead letter's rest ends.
 */
export function nextCheckAt(
  record: Pick<ScopeRecord, 'dueAt' | 'nextExpiryAt' | 'deadLetter' | 'hold'>,
): number | null {
  if (record.deadLetter !== null) return record.dueAt;
  const at = Math.min(record.dueAt ?? Infinity, record.nextExpiryAt ?? Infinity);
  return at === Infinity ? null : notBefore(record, at);
}

function notBefore({ hold }: Pick<ScopeRecord, 'hold'>, at: number): number {
  return hold === null ? at : Math.max(at, hold.until);
}

/**
 * Chooses the first due mark. An urgent mark precedes every other rule, because its pause combines
 * the deletions of a cleanup into one regeneration. Otherwise the earliest rule counts. A mark that
 * came due is kept, so that traffic cannot postpone it.
 */
function firstDue(record: ScopeRecord, policy: DuePolicy, now: number): Due | null {
  const before = kept(record, now);
  const marked = urgent(record, policy);
  // A later deletion may set a new mark; a due mark that is not handled yet stays as it is.
  const waiting = before?.trigger === 'Urgent' && marked !== null && before.at < marked.at;
  // The pause of a cleanup: nothing else may make the scope due before it is over.
  if (marked !== null) return waiting ? before : marked;
  const candidates = [
    changed(record, policy, now),
    interval(record, policy),
    aged(record, policy),
    before,
  ].filter((due) => due !== null);
  return candidates.reduce<Due | null>(
    (first, due) => (first === null || due.at < first.at ? due : first),
    null,
  );
}

/**
 * Returns the mark of a dropped source. It is now, or the mark of the last minute if no refresher
 * has seen it, or a minute after that mark if one has, so that regenerations stay a minute apart.
 */
export function urgentMark(record: ScopeRecord, now: number): number {
  const last = record.urgentAt;
  if (last === null || now - last >= URGENT_SPACING_MS) return now;
  return isHandled(record, last) ? last + URGENT_SPACING_MS : last;
}

function isHandled({ checkedAt }: ScopeRecord, markedAt: number): boolean {
  return checkedAt !== null && checkedAt >= markedAt;
}

/** A dropped source makes the scope urgent after a pause, which collects further deletions. */
function urgent(record: ScopeRecord, policy: DuePolicy): Due | null {
  if (record.urgentAt === null || record.droppedSources.length === 0) return null;
  const at = isHandled(record, record.urgentAt)
    ? record.urgentAt + URGENT_SPACING_MS
    : record.urgentAt;
  return { at: at + policy.urgentDebounceMs, trigger: 'Urgent' };
}

function changed(record: ScopeRecord, policy: DuePolicy, now: number): Due | null {
  return record.changes >= policy.layer.updateOnChanges ? { at: now, trigger: 'Changes' } : null;
}

/**
 * Counts from the last check, but is never due before the first change. After a quiet time, that
 * change therefore opens a batch window like any other, instead of finding one that closed long
 * ago.
 */
function interval(record: ScopeRecord, policy: DuePolicy): Due | null {
  const isPending = record.changes > 0 || (!policy.layer.skipIfUnchanged && record.sourceCount > 0);
  const since = record.checkedAt ?? record.firstStaleAt;
  if (!isPending || since === null) return null;
  const at = Math.max(since + policy.layer.updateIntervalMs, record.firstStaleAt ?? 0);
  return { at, trigger: 'Interval' };
}

function aged(record: ScopeRecord, policy: DuePolicy): Due | null {
  if (record.generatedAt === null || record.sourceCount === 0) return null;
  return { at: record.generatedAt + policy.layer.maxAgeMs, trigger: 'MaxAge' };
}

/**
 * Keeps only marks that have come due, including held ones. All other marks are recomputed from
 * their rules.
 */
function kept(record: ScopeRecord, now: number): Due | null {
  const come = Math.max(now, record.hold?.until ?? 0);
  if (record.dueAt === null || record.dueTrigger === null || record.dueAt > come) return null;
  return { at: record.dueAt, trigger: record.dueTrigger };
}
