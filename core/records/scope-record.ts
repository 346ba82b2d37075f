/** The record of a scope: its pending work, and what a freshness check needs, in one row. */
import { z } from 'zod';
import { Layer } from '../layer.ts';
import { EMPTY_SOURCE_HASH } from '../hash.ts';
import { TenantId, type Scope } from '../scope.ts';
import { Exhaustion } from './account.ts';
import { Trigger } from './summary.ts';

const At = z.int().min(0);

/** The most ids of dropped sources on the record; with more, the whole summary is withheld. */
export const DROPPED_SOURCES_MAX = 1_000;

/**
 * The most ids of unseen sources on the record: what readers see next to a summary, plus some room.
 */
export const UNSEEN_SOURCES_MAX = 32;

/** A claim of one run on one scope, with what the run saw at that time. */
export const Lease = z.strictObject({
  /** The run and round that claimed; a repeated claim with the same id returns the same plan. */
  claimId: z.string(),
  batchId: z.string(),
  until: At,
  sourceHash: z.string(),
  changes: z.int().min(0),
  trigger: Trigger,
  recipeHash: z.string(),
  model: z.string(),
});
export type Lease = z.infer<typeof Lease>;

export const DroppedSource = z.strictObject({
  id: z.string(),
  reason: z.enum(['SourceDeleted', 'SourceReplaced', 'Erased']),
});
export type DroppedSource = z.infer<typeof DroppedSource>;

/** A source that was added or changed, with the number of changes counted by then. */
export const UnseenSource = z.strictObject({ id: z.string(), change: z.int().min(1) });
export type UnseenSource = z.infer<typeof UnseenSource>;

/** Why and until when a scope waits, even if something makes it due. */
export const Hold = z.strictObject({
  until: At,
  /** When it was due before the hold. If the hold ends early, the batch window is judged by it. */
  dueAt: At,
  /** The error that caused the wait. */
  code: z.string(),
  /**
   * When the first failure of this kind in a row occurred; the backoff of an outage starts there.
   */
  since: At,
  /** What the budget lacked; null for any other error. */
  exhaustion: Exhaustion.nullable(),
});
export type Hold = z.infer<typeof Hold>;

/** Why and when a scope became a dead letter. */
export const DeadLetter = z.strictObject({
  code: z.string(),
  reason: z.string(),
  at: At,
  /** Recipe of the failed attempt; absent if unknown. */
  recipeHash: z.string().optional(),
});

export const ScopeRecord = z.strictObject({
  tenant: TenantId,
  layer: Layer,
  scopeId: z.string(),
  sourceCount: z.int().min(0),
  /** cl100k tokens of all live sources; determines how batches are packed. */
  sourceTokens: z.int().min(0),
  /** UTF-8 bytes of the content of all live sources. */
  sourceBytes: z.int().min(0),
  /** XOR over the live sources (core/hash.ts). */
  sourceHash: z.string(),
  /** Writes after the sources that the summary was made from. */
  changes: z.int().min(0),
  /** Cited sources deleted or replaced since the summary; facts that cite them are not served. */
  droppedSources: z.array(DroppedSource).max(DROPPED_SOURCES_MAX),
  /**
   * Sources added or changed since the summary, newest last. Of more than `UNSEEN_SOURCES_MAX`,
   * only the newest. Empty unless there is a summary, or one is being made.
   */
  unseenSources: z.array(UnseenSource).max(UNSEEN_SOURCES_MAX),
  firstStaleAt: At.nullable(),
  dueAt: At.nullable(),
  /** What made the scope due at `dueAt`. */
  dueTrigger: Trigger.nullable(),
  /** When the last urgent mark was set; a scope is urgent at most once a minute. */
  urgentAt: At.nullable(),
  nextExpiryAt: At.nullable(),
  /** When a refresh last checked the scope, and when its summary was made. */
  checkedAt: At.nullable(),
  generatedAt: At.nullable(),
  lease: Lease.nullable(),
  /** After a failure or an exhausted budget: no write makes the scope due before the hold ends. */
  hold: Hold.nullable(),
  /** The recipe that made the summary; null if unknown. */
  recipeHash: z.string().nullable(),
  /** Failed attempts since the last commit. */
  attempts: z.int().min(0),
  /**
   * Set after three failures that its content caused. Nothing is retried until the scope, its
   * recipe or its model changes, or until the dead letter's rest ends at `dueAt`.
   */
  deadLetter: DeadLetter.nullable(),
  /** Rises with every write; used to validate caches and for compare-and-set. */
  version: z.int().min(0),
});
export type ScopeRecord = z.infer<typeof ScopeRecord>;

/** Returns the record of a scope without any writes. */
export function emptyScopeRecord(scope: Scope): ScopeRecord {
  return {
    ...scope,
    sourceCount: 0,
    sourceTokens: 0,
    sourceBytes: 0,
    sourceHash: EMPTY_SOURCE_HASH,
    changes: 0,
    droppedSources: [],
    unseenSources: [],
    firstStaleAt: null,
    dueAt: null,
    dueTrigger: null,
    urgentAt: null,
    nextExpiryAt: null,
    checkedAt: null,
    generatedAt: null,
    lease: null,
    hold: null,
    recipeHash: null,
    attempts: 0,
    deadLetter: null,
    version: 0,
  };
}
