/** A turn: one message of a session. Turns are the sources of the session's summary. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { UTC_OFFSET_MAX } from '../said-at.ts';
import { CONTENT_LENGTH_MAX } from './memory.ts';
import { Trust } from '../trust.ts';

/** Enough parts for the longest turn: any two adjacent parts are longer than one full part. */
export const TEXT_PARTS_MAX = 16;
/** The longest content of one turn, in UTF-16 code units. */
export const TURN_LENGTH_MAX = (TEXT_PARTS_MAX / 2) * CONTENT_LENGTH_MAX;

/** The longest text of all calls of one turn, in UTF-16 code units: they are in one part. */
export const CALLS_LENGTH_MAX = CONTENT_LENGTH_MAX;

/** A call of a tool that an assistant made in its turn. */
export const ToolCall = z.strictObject({
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});
export type ToolCall = z.infer<typeof ToolCall>;

export const TurnRole = z.enum(['user', 'assistant', 'system', 'tool']);

export const Turn = z.strictObject({
  tenant: TenantId,
  sessionId: z.string(),
  /** Position in the session, from 1, without gaps. */
  sequence: z.int().min(1),
  id: z.string(),
  role: TurnRole,
  /** Who spoke, if the role is not enough: a meeting has many users. */
  speaker: z.string().nullable(),
  /** What was said, followed by the tool calls in words; this text is read and searched. */
  content: z.string(),
  /** Where in the content the calls begin; null if all of it was said. */
  saidUnits: z.int().min(0).nullable(),
  contentHash: z.string(),
  at: z.int().min(0),
  /** Minutes that the clock of `at` was ahead of UTC; absent for UTC. */
  utcOffset: z.int().min(-UTC_OFFSET_MAX).max(UTC_OFFSET_MAX).optional(),
  /** When it was stored; absent if that was no later than it was said. */
  storedAt: z.int().min(0).optional(),
  tokenCount: z.int().min(0),
  trust: Trust,
  toolCalls: z.array(ToolCall),
  /** The call that a turn of a tool answers. */
  toolCallId: z.string().nullable(),
  flushId: z.string().nullable(),
  /** A person's decision on a turn that was held back, and the text it was about; absent before. */
  review: z
    .strictObject({ state: z.enum(['Approved', 'Refused']), contentHash: z.string() })
    .optional(),
  /**
   * When the text was deleted. After compaction only the quotes that facts cite remain. A deleted
   * turn keeps only its place, so that the same turn sent again stays deleted.
   */
  compactedAt: z.int().min(0).nullable(),
  quotes: z.array(z.string()),
  /**
   * Vectors of its passages, encoded (core/recall/sessions/passage-vectors.ts), one character per
   * number; null if none.
   */
  vectors: z.strictObject({ generation: z.string(), passages: z.array(z.string()) }).nullable(),
});
export type Turn = z.infer<typeof Turn>;
