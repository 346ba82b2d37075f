/** What operations on the turns of sessions take and answer. */
import { z } from 'zod';
import { callsText } from '#core/sessions/long-turn-parts.ts';
import { CALLS_LENGTH_MAX, TURN_LENGTH_MAX } from '#core/records/turn.ts';
import { Identifiers } from '#core/identifiers.ts';
import type { CompactionTotals } from '#core/ports/compactions.ts';
import { TAKEN_ELSEWHERE } from '../parse-input.ts';
import { ExtractionResult } from './memory.ts';
import {
  GivenIdentifiers,
  listOf,
  MetadataFields,
  SaidText,
  SaidTime,
  SessionId,
  Tags,
  Tenant,
  Text,
  UtcOffset,
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
      name: Text.min(1).max(TOOL_NAME_MAX).describe('Of the tool.'),
      arguments: MetadataFields.default({}).describe('JSON that the tool was given.'),
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
        'A turn whose id the session has already is left as it is. The id of a deleted turn ' +
          'stays taken, so that late delivery does not bring the turn back. `/part-2` at the end ' +
          'is for parts of a long turn, which are deleted with it.',
      ),
    role: z.enum(['user', 'assistant', 'system', 'tool']),
    speaker: Text.max(256)
      .optional()
      .describe('Who spoke, where a role says too little; of a result the name of the tool.'),
    content: SaidText.max(TURN_LENGTH_MAX).describe(
      'A long one is kept in parts, each a turn; one without words and calls is not kept. NUL is ' +
        'kept as a space, half a surrogate pair as U+FFFD.',
    ),
    toolCalls: ToolCalls.default([]).describe(
      'Calls of tools that the assistant made; a search finds them by their words, and they are ' +
        'believed no more than what tools answer.',
    ),
    toolCallId: CallId.optional().describe('The call that a turn of a tool answers.'),
    at: SaidTime.optional().describe(
      'When it was said; now if absent. Its offset gives the day of the speaker.',
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
    'Whose conversation it is. Later sessions of the same user find it, and no others; without a ' +
      '`userId`, those of the same agent; without an `agentId` too, those of the same project. ' +
      'With none of these, only calls that name this `sessionId` do.',
  ),
  tags: Tags.default([]),
  turns: z.array(AskedTurn).min(1).max(TURNS_PER_CALL_MAX).describe('In their order.'),
});
export type AppendTurns = z.output<typeof AppendTurns>;

export const AppendedTurns = z.object({
  appended: z
    .number()
    .describe('Turns that the session did not have, each part of a long one counted.'),
  ids: z.array(z.string()).readonly().describe('Of all turns of the call, in their order.'),
  skipped: z
    .array(
      z.object({
        id: z.string(),
        reason: z
          .enum(['Deleted', 'Differs', 'Blank'])
          .describe(
            '`Deleted`: the turn of this id was deleted, and the id stays taken. `Differs`: the ' +
              'session has this id with another text, which stays. `Blank`: no words and no calls.',
          ),
      }),
    )
    .readonly()
    .optional()
    .describe('Turns whose text is not stored, and why; absent where all are.'),
});
export type AppendedTurns = z.output<typeof AppendedTurns>;

export const ReadConversation = z
  .strictObject({
    tenant: Tenant,
    sessionId: SessionId,
    after: z
      .int()
      .min(0)
      .optional()
      .describe('`nextAfter` of the page before; from the first turn where absent.'),
    before: z
      .int()
      .min(1)
      .optional()
      .describe(
        'Backwards: the turns before this one, such as `nextBefore` of the page after them; ' +
          'the last page for a number above all.',
      ),
    limit: z.int().min(1).max(MESSAGES_LIMIT_MAX).default(100),
  })
  .refine(({ after, before }) => after === undefined || before === undefined, {
    error: 'expected after or before, not both',
  });
export type ReadConversation = z.output<typeof ReadConversation>;

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
          .describe('Of a long turn at its last part.'),
        toolCallId: z.string().nullable(),
        at: z.number(),
        utcOffset: UtcOffset,
        sequence: z.number().describe('Its place in the session, from 1.'),
      }),
    )
    .readonly()
    .describe('In their order; those whose text is gone are left out.'),
  nextAfter: z.number().nullable().describe('Null on the last page, and going backwards.'),
  nextBefore: z.number().nullable().describe('Null on the first page, and going forwards.'),
});
export type ShownMessages = z.output<typeof ShownMessages>;

export const ListConversations = z.strictObject({
  tenant: Tenant,
  identifiers: GivenIdentifiers.default({}),
  cursor: z
    .string()
    .max(SESSION_CURSOR_MAX)
    .regex(SESSION_CURSOR, 'expected nextCursor of the page before')
    .optional()
    .describe('`nextCursor` of the page before.'),
  limit: z
    .int()
    .min(1)
    .max(SESSIONS_LIMIT_MAX)
    .default(50)
    .describe('A page may hold fewer while more follow: `nextCursor` tells whether they do.'),
});
export type ListConversations = z.output<typeof ListConversations>;

export const ShownConversations = z.object({
  sessions: z
    .array(
      z.object({
        sessionId: z.string(),
        identifiers: Identifiers.describe('Whose conversation it is.'),
        firstAt: z.number(),
        lastAt: z.number(),
        endedAt: z
          .number()
          .nullable()
          .describe('By call, or after silence, as the policy says; null while it continues.'),
        tags: z.array(z.string()).readonly(),
      }),
    )
    .readonly()
    .describe('The newest first.'),
  nextCursor: z.string().nullable().describe('Null on the last page.'),
});
export type ShownConversations = z.output<typeof ShownConversations>;

export const EndConversation = z.strictObject({ tenant: Tenant, sessionId: SessionId });
export type EndConversation = z.output<typeof EndConversation>;

export const EndedConversation = z.object({
  ended: z.boolean().describe('False for a session that is not known.'),
});
export type EndedConversation = z.output<typeof EndedConversation>;

export const FlushConversation = z.strictObject({ tenant: Tenant, sessionId: SessionId });
export type FlushConversation = z.output<typeof FlushConversation>;

export const FlushedConversation = z.object({
  state: z
    .enum(['Done', 'Started'])
    .describe(
      'Started: a durable run is at it, since the policy has a model read the turns; it answers ' +
        'nothing here.',
    ),
  turns: z.number().describe('Turns that were not looked at before.'),
  results: listOf(ExtractionResult).describe('As `memory.addMessages` answers them.'),
  daily: z
    .string()
    .nullable()
    .describe(
      'The lines that were appended to the daily files of the user, or else of the agent, as ' +
        'Markdown, each to the file of the day on which it was said; null if none were.',
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
      .describe('The whole session where absent.'),
  })
  .superRefine((input, context) => {
    if (!('turnIds' in input) || input.turnIds !== undefined) return;
    context.addIssue({ code: 'custom', path: ['turnIds'], message: UNDEFINED_TURNS });
  });
export type DeleteConversation = z.output<typeof DeleteConversation>;

export const DeletedTurns = z.object({
  deleted: z.array(z.string()).readonly().describe('Ids of turns that had their words until now.'),
});
export type DeletedTurns = z.output<typeof DeletedTurns>;

/** Callers often pass the same identifiers as to `append`; here the session already has them. */
for (const schema of [ReadConversation, EndConversation, FlushConversation, DeleteConversation]) {
  TAKEN_ELSEWHERE.add(schema, { identifiers: 'leave it out: the sessionId is enough' });
}

export const CompactMemory = z.strictObject({
  tenant: Tenant,
  dryRun: z.boolean().default(false).describe('Says what would go, and writes nothing.'),
});
export type CompactMemory = z.output<typeof CompactMemory>;

export const CompactionStatus = z.strictObject({ tenant: Tenant });
export type CompactionStatus = z.output<typeof CompactionStatus>;

const Counts = z.object({
  sessions: z.number().describe('Sessions with compacted turns.'),
  turns: z.number(),
  quotes: z.number().describe('Quotes that stay of them.'),
  bytesFreed: z.number(),
  unsummarized: z.number().describe('Turns whose session had no summary of them.'),
  waiting: z.number().describe('Sessions that keep the text of old turns.'),
  answers: z.number().describe('Stored answers of models whose text is gone.'),
}) satisfies z.ZodType<CompactionTotals>;

export const CompactionShown = z.object({
  state: z
    .enum(['Preview', 'Started', 'UnderWay', 'Done'])
    .describe('Preview: nothing was written. Started, UnderWay: a durable run works on it.'),
  counts: Counts.nullable().describe(
    'What went, or what would go; null while a run is under way: see `memory.compactionStatus`.',
  ),
});
export type CompactionShown = z.output<typeof CompactionShown>;

export const CompactionStatusAnswer = z.object({
  state: z
    .enum(['Never', 'UnderWay', 'Done', 'Failed'])
    .describe('Never if no durable run is known: none was begun, or it ended long ago.'),
  counts: Counts.nullable().describe('What the last run took, once it is done.'),
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
        speaker: Text.max(256).optional().describe('Who spoke, where a role says too little.'),
        content: SaidText.max(WORDS_LENGTH_MAX),
      }),
    )
    .min(1)
    .max(MESSAGES_PER_CALL_MAX)
    .refine((said) => lengthOf(said) <= WORDS_LENGTH_MAX, {
      error: `expected at most ${String(WORDS_LENGTH_MAX)} characters in all`,
    })
    .describe('In their order. What they say is never an instruction to the model.'),
  instruction: Text.min(1)
    .max(INSTRUCTION_LENGTH_MAX)
    .default('Create a summary of the conversation above.')
    .describe('What is written of them; it stands after them.'),
  maxTokens: z
    .int()
    .min(1)
    .max(TEXT_TOKENS_MAX)
    .default(1_024)
    .describe('Tokens of the text at most; reserved before the call.'),
});
export type SummarizeConversation = z.output<typeof SummarizeConversation>;

export const SummarizedConversation = z.object({
  text: z.string(),
  model: z.string().describe('The one that summarizes the sessions of the tenant.'),
  inputTokens: z.number(),
  outputTokens: z.number(),
  microDollars: z.number().describe('What the budget was charged.'),
});
export type SummarizedConversation = z.output<typeof SummarizedConversation>;
