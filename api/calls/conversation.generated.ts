/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  Identifiers,
  MemoryAddMessagesResult,
} from './shared.generated.ts';

export interface ConversationAppendToolCall {
  readonly id: string;
  /** Name of the tool. */
  readonly name: string;
  /** The arguments of the call, as JSON. @default {} */
  readonly arguments?: Readonly<Record<string, unknown>> | undefined;
}

export interface ConversationAppendTurn {
  /**
   * If the session already has a turn with this id, that turn stays as it is. The id of a deleted
   * turn stays taken, so that a late delivery does not bring the turn back. An ending such as
   * `/part-2` is reserved for parts of a long turn, which are deleted with it.
   */
  readonly id?: string | undefined;
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  /** The name of the speaker, if the role is not enough; for a result, the name of the tool. */
  readonly speaker?: string | undefined;
  /**
   * Varve stores a long text in parts, each as a turn, and does not store a turn without words and
   * calls. It replaces NUL with a space, and an unpaired surrogate with U+FFFD.
   */
  readonly content: string;
  /**
   * Tool calls of the assistant. Searches find them by their words, and they have no more trust
   * than the output of tools. @default []
   */
  readonly toolCalls?: readonly ConversationAppendToolCall[] | undefined;
  /** Id of the call that this turn of a tool answers. */
  readonly toolCallId?: string | undefined;
  /** When it was said; now by default. Its offset determines the day of the speaker. */
  readonly at?: number | string | undefined;
}

export interface ConversationAppendInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  readonly sessionId: string;
  /**
   * Whose conversation it is. Only later sessions of the same user find it; without a `userId`,
   * those of the same agent; without a `userId` and an `agentId`, those of the same project.
   * Without any of these, only calls that name this `sessionId` find it. @default {}
   */
  readonly identifiers?: Identifiers | undefined;
  /** @default [] */
  readonly tags?: readonly string[] | undefined;
  /** In the order in which they were said. */
  readonly turns: readonly ConversationAppendTurn[];
  /**
   * With the same key, turns without an `id` get the same ids, so that a call that is sent twice
   * appends them once. Without a key and ids, it appends them twice. For 7 days, the same key with
   * another body in the session is refused with CONFLICT.
   */
  readonly idempotencyKey?: string | undefined;
}

export interface ConversationAppendSkipped {
  readonly id: string;
  /**
   * `Deleted`: the turn with this id was deleted, and the id stays taken. `Differs`: the session
   * has this id with another text, which stays. `Blank`: the turn has no words and no calls.
   */
  readonly reason: 'Deleted' | 'Differs' | 'Blank';
}

export interface ConversationAppendOutput {
  /** How many turns are new to the session; each part of a long turn counts. */
  readonly appended: number;
  /** Ids of all turns of the call, in their order. */
  readonly ids: string[];
  /** Turns whose text is not stored, and why; absent if all are stored. */
  readonly skipped?: ConversationAppendSkipped[] | undefined;
}

export interface ConversationMessagesInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  readonly sessionId: string;
  /** `nextAfter` of the previous page; by default, the page begins with the first turn. */
  readonly after?: number | null | undefined;
  /**
   * To page backwards: returns the turns before this one. Take `nextBefore` of the previous answer,
   * or a number above all for the last page.
   */
  readonly before?: number | null | undefined;
  /** @default 100 */
  readonly limit?: number | undefined;
}

export interface ConversationMessagesToolCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

export interface ConversationMessagesMessage {
  readonly id: string;
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  readonly speaker: string | null;
  readonly content: string;
  /** The calls of the turn; a long turn has them at its last part. */
  readonly toolCalls: ConversationMessagesToolCall[];
  readonly toolCallId: string | null;
  readonly at: number;
  /** UTC offset of that time in minutes; absent for UTC. */
  readonly utcOffset?: number | undefined;
  /** Position in the session, from 1. */
  readonly sequence: number;
}

export interface ConversationMessagesOutput {
  /** The turns in their order, without those whose text is gone. */
  readonly messages: ConversationMessagesMessage[];
  /** Null on the last page, and going backwards. */
  readonly nextAfter: number | null;
  /** Null on the first page, and going forwards. */
  readonly nextBefore: number | null;
}

export interface ConversationListInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** @default {} */
  readonly identifiers?: Identifiers | undefined;
  /** `nextCursor` of the previous page. */
  readonly cursor?: string | null | undefined;
  /**
   * Sessions per page at most. A page may have fewer even if more follow; `nextCursor` says whether
   * more follow. @default 50
   */
  readonly limit?: number | undefined;
}

export interface ConversationListSession {
  readonly sessionId: string;
  /** Owner of the conversation. */
  readonly identifiers: Identifiers;
  readonly firstAt: number;
  readonly lastAt: number;
  /** When the session ended, by a call or after silence; null while it continues. */
  readonly endedAt: number | null;
  readonly tags: string[];
}

export interface ConversationListOutput {
  /** Newest first. */
  readonly sessions: ConversationListSession[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
}

export interface ConversationEndInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  readonly sessionId: string;
}

export interface ConversationEndOutput {
  /** False if there is no such session. */
  readonly ended: boolean;
}

export interface ConversationFlushInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  readonly sessionId: string;
}

export interface ConversationFlushOutput {
  /**
   * Started: a durable run is working on it, because the policy lets a model read the turns; this
   * answer then has no results.
   */
  readonly state: 'Done' | 'Started';
  /** How many turns were processed for the first time. */
  readonly turns: number;
  /** As in the answer of `memory.addMessages`. */
  readonly results: MemoryAddMessagesResult[];
  /**
   * The lines that were appended to the daily files of the user, or otherwise of the agent, as
   * Markdown; null if there were none.
   */
  readonly daily: string | null;
}

export interface ConversationDeleteInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  readonly sessionId: string;
  /** If omitted, the whole session. */
  readonly turnIds?: readonly string[] | undefined;
}

export interface ConversationDeleteOutput {
  /** Ids of the turns that this call deleted. */
  readonly deleted: string[];
}

export interface ConversationSummarizeMessage {
  readonly role: 'user' | 'assistant' | 'system' | 'tool';
  /** The name of the speaker, if the role is not enough. */
  readonly speaker?: string | undefined;
  readonly content: string;
}

export interface ConversationSummarizeInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** The messages in their order. The model never follows what they say as an instruction. */
  readonly messages: readonly ConversationSummarizeMessage[];
  /**
   * What the model should write. The instruction follows the messages. @default "Create a summary
   * of the conversation above."
   */
  readonly instruction?: string | undefined;
  /** Most tokens of the text; Varve reserves them before the call. @default 1024 */
  readonly maxTokens?: number | undefined;
}

export interface ConversationSummarizeOutput {
  readonly text: string;
  /** The model that summarizes the sessions of the tenant. */
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** The amount that the budget was charged. */
  readonly microDollars: number;
}

/** Calls of `conversation`. */
export interface ConversationCalls {
  /** Appends turns to a session. */
  readonly append: (input: ConversationAppendInput) => Promise<ConversationAppendOutput>;
  /** Returns the turns of a session in their order, page by page. */
  readonly messages: (input: ConversationMessagesInput) => Promise<ConversationMessagesOutput>;
  /** Lists the sessions that the identifiers open, the newest first, page by page. */
  readonly list: (input: ConversationListInput) => Promise<ConversationListOutput>;
  /**
   * Ends a session and flushes it, as `conversation.flush` does; if workflows run, in a durable
   * run. A later turn opens the session again. Varve flushes a session automatically after 30
   * minutes of silence, or after `sessions.endAfterSilence` of the policy.
   */
  readonly end: (input: ConversationEndInput) => Promise<ConversationEndOutput>;
  /**
   * Processes the turns since the last flush: keeps their lasting statements in the layers that the
   * identifiers of the session open, and appends lines to the daily file of the day on which they
   * were said. Each turn takes effect once, however often you call this.
   */
  readonly flush: (input: ConversationFlushInput) => Promise<ConversationFlushOutput>;
  /**
   * Deletes turns or a whole session. They leave every context and summary at once, with the
   * memories that were extracted from them. A reply that repeats the words of a turn is a separate
   * turn, and stays unless you name it too.
   */
  readonly delete: (input: ConversationDeleteInput) => Promise<ConversationDeleteOutput>;
  /**
   * Asks the model that summarizes the sessions of the tenant to write about messages, such as a
   * running summary, within the budget. Varve stores only the entry of the ledger, with the purpose
   * `conversation`; a repeated call costs again.
   */
  readonly summarize: (input: ConversationSummarizeInput) => Promise<ConversationSummarizeOutput>;
}
