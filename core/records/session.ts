/** A session: the owner of a conversation, and when it was held. Its turns are other records. */
import { z } from 'zod';
import { Identifiers } from '../identifiers.ts';
import { Layer } from '../layer.ts';
import { TenantId } from '../scope.ts';

const At = z.int().min(0);

export const SESSION_TAGS_MAX = 32;

/** Turns that are to be handed on: the outbox of flushes, one entry a session. */
export const PendingFlush = z.strictObject({
  /** Names the flush where the session's own id must not be: in workflows and in keys. */
  id: z.string(),
  /** When a run is to begin, or to begin again where one is lost. */
  dueAt: At,
  /** The last turn that it takes, once a run has settled that; a repetition takes the same. */
  through: z.int().min(0).nullable(),
  /** Runs that began on it. */
  attempts: z.int().min(0),
  /** What its block of the daily file is headed with. */
  heading: z.enum(['Trimmed Context', 'Session']),
  /** Layers that the writers of the session may write; null for all. */
  layers: z.array(Layer).nullable(),
});
export type PendingFlush = z.infer<typeof PendingFlush>;

export const SessionRecord = z.strictObject({
  tenant: TenantId,
  sessionId: z.string(),
  /** The first principal that used it. */
  owner: z.string(),
  /** Whose it is without its own id, by `openerOf`; empty where only its id opens it. */
  opener: z.string(),
  /** What the calls that appended to it named, without the session's own id. */
  identifiers: Identifiers,
  /** Of its turns, the oldest and the newest. */
  firstAt: At,
  lastAt: At,
  /** Null while it goes on; a later turn opens it again. */
  endedAt: At.nullable(),
  /** Set where all its turns were deleted at once, until a later one. */
  isDeleted: z.literal(true).optional(),
  /** The last turn whose words were handed on, by sequence. */
  flushedTo: z.int().min(0),
  /** Null where no turn waits. */
  flush: PendingFlush.nullable(),
  tags: z.array(z.string()).max(SESSION_TAGS_MAX),
  /** Rises with every write, and after every change of its turns: what was read of them by then. */
  version: z.int().min(1),
});
export type SessionRecord = z.infer<typeof SessionRecord>;
