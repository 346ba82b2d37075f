/**
 * What a write and a commit of a summary do to the record of a scope, as pure functions, so that
 * every store does the same. What a failure does: retries-and-dead-letters.ts.
 */
import { EMPTY_SOURCE_HASH, xorHash } from '../hash.ts';
import type { DuePolicy } from '../records/policy.ts';
import type { ScopeChange } from '../sources/source-change.ts';
import { dueOf, notAhead, urgentMark } from './when-to-refresh.ts';
import {
  DROPPED_SOURCES_MAX,
  UNSEEN_SOURCES_MAX,
  type DroppedSource,
  type ScopeRecord,
  type UnseenSource,
} from '../records/scope-record.ts';

/** Returns the record after a write at `now`: hash, counts, stale and due marks. */
export function applyChange(
  record: ScopeRecord,
  change: ScopeChange,
  { policy, now }: { policy: DuePolicy; now: number },
): ScopeRecord {
  const changes = record.changes + (change.changes ?? 1);
  const next: ScopeRecord = {
    ...record,
    sourceHash: change.lanes.reduce(xorHash, record.sourceHash),
    sourceCount: Math.max(0, record.sourceCount + change.sources),
    sourceTokens: Math.max(0, record.sourceTokens + change.tokens),
    sourceBytes: Math.max(0, record.sourceBytes + change.bytes),
    changes,
    droppedSources: withDropped(record.droppedSources, change.dropped),
    unseenSources: withUnseen(record, change.written, changes),
    firstStaleAt: record.firstStaleAt ?? now,
    urgentAt: change.dropped.length > 0 ? urgentMark(record, now) : record.urgentAt,
    nextExpiryAt: earliest(record.nextExpiryAt, change.expiresAt),
    // A new write retries a dead letter.
    deadLetter: null,
    attempts: record.deadLetter === null ? record.attempts : 0,
    version: record.version + 1,
  };
  return withDue(next, policy, now);
}

/**
 * Recomputes the due mark of a record, after a write, a commit or a policy change, and corrects
 * times from a clock that was ahead.
 */
export function withDue(written: ScopeRecord, policy: DuePolicy, now: number): ScopeRecord {
  const record = notAhead(written, now);
  const due = dueOf(record, policy, now);
  return { ...record, dueAt: due?.at ?? null, dueTrigger: due?.trigger ?? null };
}

/** The commit's recount of the sources, and what the batch had claimed. */
export interface CommittedScope {
  readonly sourceHash: string;
  readonly sourceCount: number;
  readonly sourceTokens: number;
  readonly sourceBytes: number;
  /** Changes counted when the scope was claimed; later ones stay counted. */
  readonly changes: number;
  readonly nextExpiryAt: number | null;
  /** The ids that the new summary cites. */
  readonly cited: ReadonlySet<string>;
  /** True if a summary was made; false if the old one was found equal to its sources. */
  readonly generated: boolean;
}

/** The recount of a scope without any source. */
export const NO_SOURCES = {
  sourceHash: EMPTY_SOURCE_HASH,
  sourceCount: 0,
  sourceTokens: 0,
  sourceBytes: 0,
  nextExpiryAt: null,
} as const satisfies Partial<CommittedScope>;

/**
 * Returns the record after a regeneration or an equality check. Writes that arrived while the
 * batch ran stay counted: they are the changes above the claimed count, and they keep the scope
 * stale.
 */
export function applyCommit(
  record: ScopeRecord,
  committed: CommittedScope,
  { policy, now }: { policy: DuePolicy; now: number },
): ScopeRecord {
  const changes = Math.max(0, record.changes - committed.changes);
  // The new facts lack what was dropped before the sources were read. If writes came in between, a
  // replaced source can't be distinguished, so its facts stay withheld.
  const dropped =
    changes === 0 ? [] : record.droppedSources.filter(({ id }) => committed.cited.has(id));
  const next: ScopeRecord = {
    ...record,
    changes,
    droppedSources: dropped,
    unseenSources: stillUnseen(record, committed.changes, dropped),
    firstStaleAt: changes > 0 ? now : null,
    dueAt: null,
    dueTrigger: null,
    checkedAt: now,
    generatedAt: generatedAt(record, committed, now),
    recipeHash: recipeHash(record, committed),
    lease: null,
    hold: null,
    attempts: 0,
    deadLetter: null,
    version: record.version + 1,
  };
  // Without concurrent writes, the recount is correct and repairs any earlier error.
  const repaired = changes === 0 ? { ...next, ...recounted(committed) } : next;
  return withDue(repaired, policy, now);
}

/** The latest change of each id counts: a replaced source may be deleted afterwards. */
function withDropped(
  before: readonly DroppedSource[],
  dropped: readonly DroppedSource[],
): DroppedSource[] {
  const ids = new Set(dropped.map(({ id }) => id));
  return [...before.filter(({ id }) => !ids.has(id)), ...dropped].slice(0, DROPPED_SOURCES_MAX);
}

/** Records nothing if there is no summary and none in progress. */
function withUnseen(
  { unseenSources, generatedAt: madeAt, lease }: ScopeRecord,
  written: readonly string[],
  change: number,
): UnseenSource[] {
  if (madeAt === null && lease === null) return [];
  const ids = new Set(written);
  const others = unseenSources.filter(({ id }) => !ids.has(id));
  return [...others, ...written.map((id) => ({ id, change }))].slice(-UNSEEN_SOURCES_MAX);
}

/** Returns sources written after the read, and those still withheld although they were read. */
function stillUnseen(
  { unseenSources }: ScopeRecord,
  seen: number,
  dropped: readonly DroppedSource[],
): UnseenSource[] {
  const withheld = new Set(dropped.map(({ id }) => id));
  return unseenSources
    .filter(({ id, change }) => change > seen || withheld.has(id))
    .map(({ id, change }) => ({ id, change: Math.max(1, change - seen) }));
}

function generatedAt(record: ScopeRecord, committed: CommittedScope, now: number): number | null {
  if (committed.sourceCount === 0) return null;
  return committed.generated ? now : record.generatedAt;
}

/** A new summary has the recipe that its claim named. */
function recipeHash(record: ScopeRecord, { generated }: CommittedScope): string | null {
  return generated ? (record.lease?.recipeHash ?? null) : record.recipeHash;
}

function recounted(committed: CommittedScope): Partial<ScopeRecord> {
  return {
    sourceHash: committed.sourceHash,
    sourceCount: committed.sourceCount,
    sourceTokens: committed.sourceTokens,
    sourceBytes: committed.sourceBytes,
    nextExpiryAt: committed.nextExpiryAt,
  };
}

/** Returns the earlier time; null if both are null. */
export function earliest(a: number | null, b: number | null): number | null {
  if (a === null || b === null) return a ?? b;
  return Math.min(a, b);
}
