/** A turn: one message of a session. Turns are the sources of the session's summary. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { UTC_OFFSET_MAX } from '../said-at.ts';
import { CONTENT_LENGTH_MAX, Trust } from './memory.ts';

/** Two parts next to each other are longer than the longest content of one. */
export const TEXT_PARTS_MAX = 16;
/** Of one turn, in UTF-16 code units. */
export const TURN_LENGTH_MAX = (TEXT_PARTS_MAX / 2) * CONTENT_LENGTH_MAX;

/** All calls of one turn in words, in UTF-16 code units: they are in one part. */
export const CALLS_LENGTH_MAX = CONTENT_LENGTH_MAX;

/** A call of a tool that an assistant made in its turn. */
export const ToolCall = z.strictObject({
  id: z.string(),
  name: z.string(),
  arguments: z.record(z.string(), z.unknown()),
});
export type ToolCall = z.infer<typeof ToolCall>;

export const Turn = z.strictObject({
  tenant: TenantId,
  sessionId: z.string(),
  /** Position in the session, from 1, without gaps. */
  sequence: z.int().min(1),
  id: z.string(),
  role: z.enum(['user', 'assistant', 'system', 'tool']),
  /** Who spoke, where a role says too little: a meeting has many users. */
  speaker: z.string().nullable(),
  /** What was said, and behind it the calls of tools in words: what is read and searched. */
  content: z.string(),
  /** Where in the content the calls begin; null where all of it was said. */
  saidUnits: z.int().min(0).nullable(),
  contentHash: z.string(),
  at: z.int().min(0),
  /** Minutes that the clock of `at` was ahead of UTC; absent for UTC. */
  utcOffset: z.int().min(-UTC_OFFSET_MAX).max(UTC_OFFSET_MAX).optional(),
  tokenCount: z.int().min(0),
  trust: Trust,
  toolCalls: z.array(ToolCall),
  /** The call that a turn of a tool answers. */
  toolCallId: z.string().nullable(),
  flushId: z.string().nullable(),
  /** What a person decided on a turn that was held back, and on which text; absent before that. */
  review: z
    .strictObject({ state: z.enum(['Approved', 'Refused']), contentHash: z.string() })
    .optional(),
  /**
   * After compaction the content is empty and only the quotes that facts cite remain; of a deleted
   * turn nothing remains but its place, so that the same turn sent again stays deleted.
   */
  compactedAt: z.int().min(0).nullable(),
  quotes: z.array(z.string()),
  /** Of its passages (core/recall/split-into-passages.ts), a byte a number; null without. */
  vectors: z.strictObject({ generation: z.string(), passages: z.array(z.string()) }).nullable(),
});
export type Turn = z.infer<typeof Turn>;
