/** What operations on the turns of sessions take and answer. */
import { z } from 'zod';
import { callsText } from '#core/sessions/turn-parts.ts';
import { CALLS_LENGTH_MAX, TURN_LENGTH_MAX } from '#core/records/turn.ts';
import { Identifiers } from '#core/identifiers.ts';
import type { CompactionTotals } from '#core/ports/compactions.ts';
import { TAKEN_ELSEWHERE } from '../parse-input.ts';
import { ExtractionResult } from './memory.ts';
import {
  GivenIdentifiers,
  IdempotencyKey,
  listOf,
  MetadataFields,
  SaidText,
  SaidTime,
  SessionId,
  Speaker,
  Tags,
  Tenant,
  Text,
  UtcOffset,
  pageStart,
} from './shared-fields.ts';

const TURNS_PER_CALL_MAX = 1_000;
const MESSAGES_LIMIT_MAX = 1_000;
const SESSIONS_LIMIT_MAX = 500;
/** The time of the last turn of a session, and its id. */
const SESSION_CURSOR = /^\d{1,15}\/./su;
const SESSION_CURSOR_MAX = 512;
const DELETED_TURNS_MAX = 1_000;

const TOOL_CALLS_MAX = 128;
const TOOL_NAME_MAX = 256;

const CallId = Text.min(1).max(256);

const ToolCalls = z
  .array(
    z.strictObject({
      id: CallId,
      name: Text.min(1).max(TOOL_NAME_MAX).describe('Name of the tool.'),
      arguments: MetadataFields.default({}).describe('The arguments of the call, as JSON.'),
    }),
  )
  .max(TOOL_CALLS_MAX)
  .refine((calls) => callsText(calls).length <= CALLS_LENGTH_MAX, {
    error: `expected at most ${String(CALLS_LENGTH_MAX)} characters of names and JSON in all`,
  });

export const AskedTurn = z
  .strictObject({
    id: Text.min(1)
      .max(256)
      .optional()
      .describe(
        'If the session already has a turn with this id, that turn stays as it is. ' +
          'The id of a deleted turn stays taken, so that a late delivery does not ' +
          'bring the turn back. An ending such as `/part-2` is reserved for parts of ' +
          'a long turn, which are deleted with it.',
      ),
    role: z.enum(['user', 'assistant', 'system', 'tool']),
    speaker: Speaker.describe(
      'The name of the speaker, if the role is not enough; for a result, the name of the tool.',
    ),
    content: SaidText.max(TURN_LENGTH_MAX).describe(
      'Varve stores a long text in parts, each as a turn, and does not store a ' +
        'turn without words and calls. It replaces NUL with a space, and an unpaired ' +
        'surrogate with U+FFFD.',
    ),
    toolCalls: ToolCalls.default([]).describe(
      'Tool calls of the assistant. Searches find them by their words, and they ' +
        'have no more trust than the output of tools.',
    ),
    toolCallId: CallId.optional().describe('Id of the call that this turn of a tool answers.'),
    at: SaidTime.optional().describe(
      'When it was said; now by default. Its offset determines the day of the speaker.',
    ),
  })
  .refine(({ role, toolCalls }) => role === 'assistant' || toolCalls.length === 0, {
    path: ['toolCalls'],
    error: 'expected calls of tools only in turns of an assistant',
  })
  .refine(({ role, toolCallId }) => role === 'tool' || toolCallId === undefined, {
    path: ['toolCallId'],
    error: 'expected only in turns of a tool',
  });

export const AppendTurns = z.strictObject({
  tenant: Tenant,
  sessionId: SessionId,
  identifiers: GivenIdentifiers.default({}).describe(
    'Whose conversation it is. Only later sessions of the same user find it; ' +
      'without a `userId`, those of the same agent; without a `userId` and an ' +
      '`agentId`, those of the same project. Without any of these, only calls ' +
      'that name this `sessionId` find it.',
  ),
  tags: Tags.default([]),
  turns: z
    .array(AskedTurn)
    .min(1)
    .max(TURNS_PER_CALL_MAX)
    .describe('In the order in which they were said.'),
  idempotencyKey: IdempotencyKey.describe(
    'With the same key, turns without an `id` get the same ids, so that a call that is sent ' +
      'twice appends them once. Without a key and ids, it appends them twice. For 7 days, the ' +
      'same key with another body in the session is refused with CONFLICT.',
  ),
});
export type AppendTurns = z.output<typeof AppendTurns>;

export const AppendedTurns = z.object({
  appended: z
    .number()
    .describe('How many turns are new to the session; each part of a long turn counts.'),
  ids: z.array(z.string()).readonly().describe('Ids of all turns of the call, in their order.'),
  skipped: z
    .array(
      z.object({
        id: z.string(),
        reason: z
          .enum(['Deleted', 'Differs', 'Blank'])
          .describe(
            '`Deleted`: the turn with this id was deleted, and the id stays taken. ' +
              '`Differs`: the session has this id with another text, which stays. ' +
              '`Blank`: the turn has no words and no calls.',
          ),
      }),
    )
    .readonly()
    .optional()
    .describe('Turns whose text is not stored, and why; absent if all are stored.'),
});
export type AppendedTurns = z.output<typeof AppendedTurns>;

export const ReadConversation = z
  .strictObject({
    tenant: Tenant,
    sessionId: SessionId,
    after: pageStart(z.int().min(0)).describe(
      '`nextAfter` of the previous page; by default, the page begins with the first turn.',
    ),
    before: pageStart(z.int().min(1)).describe(
      'To page backwards: returns the turns before this one. Take `nextBefore` ' +
        'of the previous answer, or a number above all for the last page.',
    ),
    limit: z.int().min(1).max(MESSAGES_LIMIT_MAX).default(100),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    error: 'expected after or before, not both',
  });

export const ShownMessages = z.object({
  messages: z
    .array(
      z.object({
        id: z.string(),
        role: z.enum(['user', 'assistant', 'system', 'tool']),
        speaker: z.string().nullable(),
        content: z.string(),
        toolCalls: z
          .array(
            z.object({
              id: z.string(),
              name: z.string(),
              arguments: z.record(z.string(), z.unknown()),
            }),
          )
          .readonly()
          .describe('The calls of the turn; a long turn has them at its last part.'),
        toolCallId: z.string().nullable(),
        at: z.int(),
        utcOffset: UtcOffset,
        sequence: z.int().describe('Position in the session, from 1.'),
      }),
    )
    .readonly()
    .describe('The turns in their order, without those whose text is gone.'),
  nextAfter: z.int().nullable().describe('Null on the last page, and going backwards.'),
  nextBefore: z.int().nullable().describe('Null on the first page, and going forwards.'),
});

export const ListConversations = z.strictObject({
  tenant: Tenant,
  identifiers: GivenIdentifiers.default({}),
  cursor: pageStart(
    z
      .string()
      .max(SESSION_CURSOR_MAX)
      .regex(SESSION_CURSOR, 'expected nextCursor of the page before'),
  ).describe('`nextCursor` of the previous page.'),
  limit: z
    .int()
    .min(1)
    .max(SESSIONS_LIMIT_MAX)
    .default(50)
    .describe(
      'Sessions per page at most. A page may have fewer even if more follow; ' +
        '`nextCursor` says whether more follow.',
    ),
});
export type ListConversations = z.output<typeof ListConversations>;

export const ShownConversations = z.object({
  sessions: z
    .array(
      z.object({
        sessionId: z.string(),
        identifiers: Identifiers.describe('Owner of the conversation.'),
        firstAt: z.int(),
        lastAt: z.int(),
        endedAt: z
          .number()
          .nullable()
          .describe('When the session ended, by a call or after silence; null while it continues.'),
        tags: z.array(z.string()).readonly(),
      }),
    )
    .readonly()
    .describe('Newest first.'),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
});
export type ShownConversations = z.output<typeof ShownConversations>;

export const EndConversation = z.strictObject({ tenant: Tenant, sessionId: SessionId });

export const EndedConversation = z.object({
  ended: z.boolean().describe('False if there is no such session.'),
});

export const FlushConversation = z.strictObject({ tenant: Tenant, sessionId: SessionId });

export const FlushedConversation = z.object({
  state: z
    .enum(['Done', 'Started'])
    .describe(
      'Started: a durable run is working on it, because the policy lets a model ' +
        'read the turns; this answer then has no results.',
    ),
  turns: z.int().describe('How many turns were processed for the first time.'),
  results: listOf(ExtractionResult).describe('As in the answer of `memory.addMessages`.'),
  daily: z
    .string()
    .nullable()
    .describe(
      'The lines that were appended to the daily files of the user, or otherwise ' +
        'of the agent, as Markdown; null if there were none.',
    ),
});
export type FlushedConversation = z.output<typeof FlushedConversation>;

const UNDEFINED_TURNS =
  'expected ids of turns, found undefined; leave the field out to delete the whole session';

export const DeleteConversation = z
  .strictObject({
    tenant: Tenant,
    sessionId: SessionId,
    turnIds: z
      .array(Text.min(1).max(256))
      .min(1)
      .max(DELETED_TURNS_MAX)
      .optional()
      .describe('If omitted, the whole session.'),
  })
  .superRefine((input, context) => {
    if (!('turnIds' in input) || input.turnIds !== undefined) return;
    context.addIssue({ code: 'custom', path: ['turnIds'], message: UNDEFINED_TURNS });
  });

export const DeletedTurns = z.object({
  deleted: z.array(z.string()).readonly().describe('Ids of the turns that this call deleted.'),
});

/** Callers often pass the same identifiers as to `append`; here the session already has them. */
for (const schema of [ReadConversation, EndConversation, FlushConversation, DeleteConversation]) {
  TAKEN_ELSEWHERE.add(schema, { identifiers: 'leave it out: the sessionId is enough' });
}

export const CompactMemory = z.strictObject({
  tenant: Tenant,
  dryRun: z
    .boolean()
    .default(false)
    .describe('Only reports what would be deleted, and writes nothing.'),
});

export const CompactionStatus = z.strictObject({ tenant: Tenant });

const Counts = z.object({
  sessions: z.int().describe('Sessions with compacted turns.'),
  turns: z.int(),
  quotes: z.int().describe('Quotes of these turns that stay.'),
  bytesFreed: z.int(),
  unsummarized: z.int().describe('Turns that no summary of their session covers.'),
  waiting: z.int().describe('Sessions that still keep the text of old turns.'),
  answers: z.int().describe('Stored model answers whose text was deleted.'),
}) satisfies z.ZodType<CompactionTotals>;

export const CompactionShown = z.object({
  state: z
    .enum(['Preview', 'Started', 'UnderWay', 'Done'])
    .describe('Preview: nothing was written. Started, UnderWay: a durable run is working on it.'),
  counts: Counts.nullable().describe(
    'What was or would be deleted; null while a run is working: see `memory.compactionStatus`.',
  ),
});
export type CompactionShown = z.output<typeof CompactionShown>;

export const CompactionStatusAnswer = z.object({
  state: z
    .enum(['Never', 'UnderWay', 'Done', 'Failed'])
    .describe(
      'Never: no durable run is known, because none has started or the last one ended long ago.',
    ),
  counts: Counts.nullable().describe('What the last run deleted, once it has ended.'),
});
export type CompactionStatusAnswer = z.output<typeof CompactionStatusAnswer>;

/** Any model reads less in one call; the model in use reports what is too much for it. */
const WORDS_LENGTH_MAX = 4_000_000;
const MESSAGES_PER_CALL_MAX = 10_000;
/** Leaves room for a long earlier summary, which the instruction of a later round contains. */
const INSTRUCTION_LENGTH_MAX = 65_536;
const TEXT_TOKENS_MAX = 16_384;

const lengthOf = (said: readonly { readonly content: string }[]): number =>
  said.reduce((sum, { content }) => sum + content.length, 0);

export const SummarizeConversation = z.strictObject({
  tenant: Tenant,
  messages: z
    .array(
      z.strictObject({
        role: z.enum(['user', 'assistant', 'system', 'tool']),
        speaker: Speaker.describe('The name of the speaker, if the role is not enough.'),
        content: SaidText.max(WORDS_LENGTH_MAX),
      }),
    )
    .min(1)
    .max(MESSAGES_PER_CALL_MAX)
    .refine((said) => lengthOf(said) <= WORDS_LENGTH_MAX, {
      error: `expected at most ${String(WORDS_LENGTH_MAX)} characters in all`,
    })
    .describe(
      'The messages in their order. The model never follows what they say as an instruction.',
    ),
  instruction: Text.min(1)
    .max(INSTRUCTION_LENGTH_MAX)
    .default('Create a summary of the conversation above.')
    .describe('What the model should write. The instruction follows the messages.'),
  maxTokens: z
    .int()
    .min(1)
    .max(TEXT_TOKENS_MAX)
    .default(1_024)
    .describe('Most tokens of the text; Varve reserves them before the call.'),
});

export const SummarizedConversation = z.object({
  text: z.string(),
  model: z.string().describe('The model that summarizes the sessions of the tenant.'),
  inputTokens: z.int(),
  outputTokens: z.int(),
  microDollars: z.int().describe('The amount that the budget was charged.'),
});
