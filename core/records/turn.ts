/** A turn: one message of a session. Turns are the sources of the session's summary. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { Trust } from './memory.ts';

export const Turn = z.strictObject({
  tenant: TenantId,
  sessionId: z.string(),
  /** Position in the session, from 1, without gaps. */
  sequence: z.int().min(1),
  id: z.string(),
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  /** Who spoke, where a role says too little: a meeting has many users. */
  speaker: z.string().nullable(),
  content: z.string(),
  contentHash: z.string(),
  at: z.int().min(0),
  tokenCount: z.int().min(0),
  trust: Trust,
  toolCalls: z.array(z.unknown()),
  flushId: z.string().nullable(),
  /** After compaction the content is empty and only the quotes that facts cite remain. */
  compactedAt: z.int().min(0).nullable(),
  quotes: z.array(z.string()),
});
export type Turn = z.infer<typeof Turn>;
