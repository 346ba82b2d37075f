/** A session: whose conversation it is, and when it was held. Its turns are other records. */
import { z } from 'zod';
import { Identifiers } from '../identifiers.ts';
import { TenantId } from '../scope.ts';

const At = z.int().min(0);

export const SESSION_TAGS_MAX = 32;

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
  /** The last turn whose words were handed on, by sequence. */
  flushedTo: z.int().min(0),
  tags: z.array(z.string()).max(SESSION_TAGS_MAX),
  /** Rises with every write, and after every change of its turns: what was read of them by then. */
  version: z.int().min(1),
});
export type SessionRecord = z.infer<typeof SessionRecord>;
