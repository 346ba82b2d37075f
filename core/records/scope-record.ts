/** The record of a scope: what is pending for it, and what a freshness check needs, in one row. */
import { z } from 'zod';
import { Layer } from '../layer.ts';
import { EMPTY_SOURCE_HASH } from '../hash.ts';
import { TenantId, type Scope } from '../scope.ts';
import { Exhaustion } from './account.ts';
import { Trigger } from './summary.ts';

const At = z.int().min(0);

/** Ids of dropped sources on the record; more than this means the whole summary is withheld. */
export const DROPPED_SOURCES_MAX = 1_000;

/** Ids of unseen sources on the record: what a reader is shown behind a summary, with some room. */
export const UNSEEN_SOURCES_MAX = 32;

/** A claim of one run on one scope, with what the run saw when it claimed. */
export const Lease = z.strictObject({
  /** The run and round that claimed; claiming again under it answers the same plan. */
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

/** A source that was added or changed, with how many changes were counted by then. */
export const UnseenSource = z.strictObject({ id: z.string(), change: z.int().min(1) });
export type UnseenSource = z.infer<typeof UnseenSource>;

/** Why a scope waits, whatever makes it due, and until when. */
export const Hold = z.strictObject({
  until: At,
  /** When it was due before; by it the batch window is judged once the hold ends early. */
  dueAt: At,
  /** The error that it waits after. */
  code: z.string(),
  /** When the first failure of this kind in a row came; by it an outage is spaced. */
  since: At,
  /** What the budget lacked; null after any other error. */
  exhaustion: Exhaustion.nullable(),
});
export type Hold = z.infer<typeof Hold>;

/** Why and when a scope became a dead letter. */
export const DeadLetter = z.strictObject({
  code: z.string(),
  reason: z.string(),
  at: At,
  /** What the failed attempt was made by; absent where that is not known. */
  recipeHash: z.string().optional(),
});

export const ScopeRecord = z.strictObject({
  tenant: TenantId,
  layer: Layer,
  scopeId: z.string(),
  sourceCount: z.int().min(0),
  /** cl100k tokens of all live sources; what batches are packed by. */
  sourceTokens: z.int().min(0),
  /** UTF-8 bytes of the content of all live sources. */
  sourceBytes: z.int().min(0),
  /** XOR over the live sources (core/hash.ts). */
  sourceHash: z.string(),
  /** Writes since the sources that the summary was made from. */
  changes: z.int().min(0),
  /** Cited sources deleted or replaced since the summary; facts citing them are not served. */
  droppedSources: z.array(DroppedSource).max(DROPPED_SOURCES_MAX),
  /**
   * Sources added or changed since the summary, the newest last; the newest of more than
   * `UNSEEN_SOURCES_MAX`. Only where there is a summary, or one is being made.
   */
  unseenSources: z.array(UnseenSource).max(UNSEEN_SOURCES_MAX),
  firstStaleAt: At.nullable(),
  dueAt: At.nullable(),
  /** What `dueAt` stands for. */
  dueTrigger: Trigger.nullable(),
  /** When the last urgent mark was set; a scope is urgent at most once a minute. */
  urgentAt: At.nullable(),
  nextExpiryAt: At.nullable(),
  /** When a refresh last looked at the scope, and when its summary was made. */
  checkedAt: At.nullable(),
  generatedAt: At.nullable(),
  lease: Lease.nullable(),
  /** After a failure or an empty budget: no write makes the scope due before its end. */
  hold: Hold.nullable(),
  /** The recipe that the summary was made by; null where that is not known. */
  recipeHash: z.string().nullable(),
  /** Failed attempts since the last commit. */
  attempts: z.int().min(0),
  /**
   * Set after three failures by its content: nothing more is tried until the scope, its recipe or
   * its model changes, or until the rest of the dead letter, its `dueAt`, is over.
   */
  deadLetter: DeadLetter.nullable(),
  /** Rises with every write; validates caches and carries compare-and-set. */
  version: z.int().min(0),
});
export type ScopeRecord = z.infer<typeof ScopeRecord>;

/** The record of a scope that nothing was ever written to. */
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
