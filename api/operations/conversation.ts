/**
 * Operations on the turns of sessions: append turns, remove the text of old ones, and have a model
 * of the tenant write about messages that a program holds.
 */
import {
  appendTurns,
  compactionStatus,
  compactMemory,
  conversationMessages,
  deleteConversation,
  endConversation,
  listConversations,
  summarizeConversation,
} from '../conversations.ts';
import { flushConversation } from '../flush.ts';
import {
  AppendedTurns,
  AppendTurns,
  CompactionShown,
  CompactionStatus,
  CompactionStatusAnswer,
  CompactMemory,
  DeleteConversation,
  DeletedTurns,
  EndConversation,
  EndedConversation,
  FlushConversation,
  FlushedConversation,
  ListConversations,
  ReadConversation,
  ShownConversations,
  ShownMessages,
  SummarizeConversation,
  SummarizedConversation,
} from '../schemas/conversation.ts';
import { operation } from './operation.ts';

const COUNTS = {
  sessions: 3,
  turns: 120,
  quotes: 14,
  bytesFreed: 18_432,
  unsummarized: 0,
  waiting: 0,
  answers: 2,
};

const NO_COMMAND = 'Conversations are held by programs; the CLI imports and asks.';

export const conversation = {
  append: operation({
    name: 'conversation.append',
    kind: 'mutation',
    summary: 'Appends turns to a session.',
    input: AppendTurns,
    output: AppendedTurns,
    example: {
      input: {
        tenant: 'acme',
        sessionId: 'call-7',
        identifiers: { userId: 'dana' },
        turns: [{ id: 'turn-1', role: 'user', content: 'The launch moves to December 1.' }],
      },
      output: { appended: 1, ids: ['turn-1'] },
    },
    role: 'write',
    beginsSession: true,
    cost: 'embeddings',
    errors: ['CONFLICT'],
    commands: ['import', 'demo'],
    run: appendTurns,
  }),
  messages: operation({
    name: 'conversation.messages',
    kind: 'query',
    summary: 'Returns the turns of a session in their order, page by page.',
    input: ReadConversation,
    output: ShownMessages,
    example: {
      input: { tenant: 'acme', sessionId: 'call-7' },
      output: {
        messages: [
          {
            id: 'turn-1',
            role: 'user',
            speaker: null,
            content: 'The launch moves to December 1.',
            toolCalls: [],
            toolCallId: null,
            at: 1_764_000_000_000,
            sequence: 1,
          },
        ],
        nextAfter: null,
        nextBefore: null,
      },
    },
    role: 'read',
    commands: ['export'],
    run: conversationMessages,
  }),
  list: operation({
    name: 'conversation.list',
    kind: 'query',
    summary: 'Lists the sessions that the identifiers open, the newest first, page by page.',
    input: ListConversations,
    output: ShownConversations,
    example: {
      input: { tenant: 'acme', identifiers: { userId: 'dana' } },
      output: {
        sessions: [
          {
            sessionId: 'call-7',
            identifiers: { userId: 'dana' },
            firstAt: 1_764_000_000_000,
            lastAt: 1_764_000_000_000,
            endedAt: null,
            tags: [],
          },
        ],
        nextCursor: null,
      },
    },
    role: 'read',
    commands: ['export'],
    run: listConversations,
  }),
  end: operation({
    name: 'conversation.end',
    kind: 'mutation',
    summary:
      'Ends a session and flushes it, as `conversation.flush` does; if workflows ' +
      'run, in a durable run. A later turn opens the session again. Varve ' +
      'flushes a session automatically after 30 minutes of silence, or after ' +
      '`sessions.endAfterSilence` of the policy.',
    input: EndConversation,
    output: EndedConversation,
    example: { input: { tenant: 'acme', sessionId: 'call-7' }, output: { ended: true } },
    role: 'write',
    cost: 'embeddings',
    errors: ['CONFLICT'],
    commands: { none: NO_COMMAND },
    run: endConversation,
  }),
  flush: operation({
    name: 'conversation.flush',
    kind: 'mutation',
    summary:
      'Processes the turns since the last flush: keeps their lasting statements ' +
      'in the layers that the identifiers of the session open, and appends lines ' +
      'to the daily file of the day on which they were said. Each turn takes ' +
      'effect once, however often you call this.',
    input: FlushConversation,
    output: FlushedConversation,
    example: {
      input: { tenant: 'acme', sessionId: 'call-7' },
      output: {
        state: 'Done',
        turns: 12,
        results: [],
        daily: '- The launch moves to December 1.\n',
      },
    },
    role: 'write',
    cost: 'embeddings',
    errors: ['CONFLICT'],
    commands: { none: NO_COMMAND },
    run: flushConversation,
  }),
  delete: operation({
    name: 'conversation.delete',
    kind: 'mutation',
    summary:
      'Deletes turns or a whole session. They leave every context and summary at ' +
      'once, with the memories that were extracted from them. A reply that ' +
      'repeats the words of a turn is a separate turn, and stays unless you name it too.',
    input: DeleteConversation,
    output: DeletedTurns,
    example: {
      input: { tenant: 'acme', sessionId: 'call-7', turnIds: ['turn-1'] },
      output: { deleted: ['turn-1'] },
    },
    role: 'write',
    errors: ['CONFLICT'],
    commands: ['demo'],
    run: deleteConversation,
  }),
  summarize: operation({
    name: 'conversation.summarize',
    kind: 'mutation',
    summary:
      'Asks the model that summarizes the sessions of the tenant to write about ' +
      'messages, such as a running summary, within the budget. Varve stores only ' +
      'the entry of the ledger, with the purpose `conversation`; a repeated call costs again.',
    input: SummarizeConversation,
    output: SummarizedConversation,
    example: {
      input: {
        tenant: 'acme',
        messages: [
          { role: 'user', content: 'I move to Bern on May 4.' },
          { role: 'assistant', content: 'Good luck!' },
        ],
      },
      output: {
        text: 'The user moves to Bern on May 4.',
        model: 'a-model',
        inputTokens: 312,
        outputTokens: 11,
        microDollars: 54,
      },
    },
    role: 'write',
    cost: 'modelCalls',
    errors: [
      'NOT_FOUND',
      'BUDGET_EXHAUSTED',
      'CONTENT_TOO_LONG',
      'PROVIDER_REJECTED',
      'MODEL_OUTPUT_INVALID',
    ],
    commands: { none: 'It is for programs that talk; the CLI holds no conversation.' },
    run: summarizeConversation,
  }),
};

/** Also part of the group `memory`. */
export const memoryCompaction = {
  compact: operation({
    name: 'memory.compact',
    kind: 'mutation',
    summary:
      'Deletes the text of turns that are older than their retention time, once a summary ' +
      'covers them and a flush made memories of them, except sentences that summaries cite. ' +
      'Without Temporal, the call does this at once.',
    input: CompactMemory,
    output: CompactionShown,
    example: {
      input: { tenant: 'acme', dryRun: true },
      output: { state: 'Preview', counts: COUNTS },
    },
    role: 'operate',
    commands: ['compact'],
    run: compactMemory,
  }),
  compactionStatus: operation({
    name: 'memory.compactionStatus',
    kind: 'query',
    summary: 'Returns how the last durable compaction of a tenant ended.',
    input: CompactionStatus,
    output: CompactionStatusAnswer,
    example: { input: { tenant: 'acme' }, output: { state: 'Done', counts: COUNTS } },
    role: 'operate',
    commands: ['compact'],
    run: compactionStatus,
  }),
};
