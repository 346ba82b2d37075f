/** A session: the owner of a conversation, and when it was held. Its turns are separate records. */
import { z } from 'zod';
import { Identifiers } from '../identifiers.ts';
import { Layer } from '../layer.ts';
import { TenantId } from '../scope.ts';

const At = z.int().min(0);

export const SESSION_TAGS_MAX = 32;

/** Turns that wait for a flush: the outbox of flushes, one entry per session. */
export const PendingFlush = z.strictObject({
  /** Identifies the flush where the session's own id must not appear: in workflows and in keys. */
  id: z.string(),
  /** When a run should begin, or begin again if one is lost. */
  dueAt: At,
  /** The last turn that the flush includes, once a run has fixed it; a retry includes the same. */
  through: z.int().min(0).nullable(),
  /** Runs that started this flush. */
  attempts: z.int().min(0),
  /** The heading of its block in the daily file. */
  heading: z.enum(['Trimmed Context', 'Session']),
  /** Layers that all writers of the session may write; null for all layers. */
  layers: z.array(Layer).nullable(),
});
export type PendingFlush = z.infer<typeof PendingFlush>;

export const SessionRecord = z.strictObject({
  tenant: TenantId,
  sessionId: z.string(),
  /** The first principal that used it. */
  owner: z.string(),
  /** Who can open it without its own id, by `openerOf`; empty if only its id opens it. */
  opener: z.string(),
  /** Identifiers of the calls that appended to it, without the session's own id. */
  identifiers: Identifiers,
  /** Times of its oldest and its newest turn. */
  firstAt: At,
  lastAt: At,
  /** Null while it continues; a later turn opens it again. */
  endedAt: At.nullable(),
  /** Set if all its turns were deleted at once; a later turn clears it. */
  isDeleted: z.literal(true).optional(),
  /** The last flushed turn, by sequence. */
  flushedTo: z.int().min(0),
  /** Null if no turn waits. */
  flush: PendingFlush.nullable(),
  tags: z.array(z.string()).max(SESSION_TAGS_MAX),
  /** Rises with every write, and after every change of its turns: caches of turns compare it. */
  version: z.int().min(1),
});
export type SessionRecord = z.infer<typeof SessionRecord>;
