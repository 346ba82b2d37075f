/** Hands the messages that leave a conversation to a hook, beside the call that discards them. */
import type { BaseMessage } from '@langchain/core/messages';
import { textOf, type MessageToolCall } from '#core/running-summary/message.ts';
import type { RunningSummary } from '#core/running-summary/running-summary.ts';
import type { Identifiers } from '#core/identifiers.ts';
import type { Log } from '#core/ports/platform.ts';
import { shortened } from '#core/storable-text.ts';
import { viewOf } from './messages.ts';

export interface MemoryFlushEvent {
  /** Digest of the thread and the messages' ids: the same messages again have the same id. */
  readonly id: string;
  /** `configurable.thread_id` of the call; null outside a thread. */
  readonly threadId: string | null;
  /** What is about to leave, in order, with ids. */
  readonly messages: readonly BaseMessage[];
  readonly preservedMessages: readonly BaseMessage[];
  readonly runningSummary: RunningSummary;
  /** What the caller configured for this call, as it was then: user, tenant. */
  readonly configurable: Readonly<Record<string, unknown>>;
  /** Ends when the hook has taken too long. */
  readonly signal: AbortSignal;
}

/** Whatever it answers is awaited by `settled()` alone; what it throws is logged. */
export type MemoryFlushHook = (event: MemoryFlushEvent) => unknown;

/** Hooks under way at once; beyond it the hook is not called, and that is logged as lost. */
const PENDING_MAX = 1_000;
/** A hook that takes longer is abandoned; its signal ends. */
const HOOK_TIMEOUT_MS = 60_000;
/** Failures that are logged one by one; after them every hundredth, with the count. */
const LOGGED_MAX = 20;
const LOGGED_EVERY = 100;

export class MemoryFlushes {
  readonly #hook: MemoryFlushHook | null;
  readonly #log: Log;
  readonly #timeoutMs: number;
  readonly #pending = new Set<Promise<void>>();
  #failures = 0;

  constructor(hook: MemoryFlushHook | null, options: { log: Log; timeoutMs?: number }) {
    this.#hook = hook;
    this.#log = options.log;
    this.#timeoutMs = options.timeoutMs ?? HOOK_TIMEOUT_MS;
  }

  /** Begins a flush and returns at once. */
  begin(event: Omit<MemoryFlushEvent, 'signal'>): void {
    const hook = this.#hook;
    if (hook === null) return;
    if (this.#pending.size >= PENDING_MAX) {
      this.#failed(event, `${String(PENDING_MAX)} flushes are under way; the hook was not called`);
      return;
    }
    const run = this.#run(hook, event);
    this.#pending.add(run);
    run.finally(() => this.#pending.delete(run)).catch(() => undefined);
  }

  /** Resolves when no flush is under way, those included that begin meanwhile; never rejects. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  async #run(hook: MemoryFlushHook, event: Omit<MemoryFlushEvent, 'signal'>): Promise<void> {
    const ending = new AbortController();
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<never>((_, reject) => {
      timer = setTimeout(() => {
        const error = new Error(`the hook took over ${String(this.#timeoutMs)} ms`);
        ending.abort(error);
        reject(error);
      }, this.#timeoutMs);
    });
    try {
      // A turn later, so that nothing that the hook does or throws is the caller's.
      const work = Promise.resolve({ ...event, signal: ending.signal }).then(hook);
      await Promise.race([work, late]);
    } catch (error) {
      this.#failed(event, error instanceof Error ? error.name : typeof error);
    } finally {
      clearTimeout(timer);
    }
  }

  #failed(event: Omit<MemoryFlushEvent, 'signal'>, reason: string): void {
    this.#failures += 1;
    const failures = this.#failures;
    if (failures > LOGGED_MAX && failures % LOGGED_EVERY !== 0) return;
    const fields = { flush: event.id, messages: event.messages.length, reason, failures };
    this.#log.error(fields, 'memory flush hook failed; its messages are in the summary only');
  }
}

/** A hook that hands leaving messages on to the session of their thread (TOK-05, TIER-05). */
export interface SaidTurn extends Omit<SaidMessage, 'role'> {
  readonly role: SaidMessage['role'] | 'tool';
  readonly speaker?: string;
  readonly toolCalls?: { id: string; name: string; arguments: Record<string, unknown> }[];
  readonly toolCallId?: string;
}

/** Of `openVarve`, or of a client of a running API. */
export interface FlushingConversation {
  append(input: {
    tenant: string;
    sessionId: string;
    identifiers: Identifiers;
    turns: SaidTurn[];
  }): Promise<unknown>;
  flush(input: { tenant: string; sessionId: string }): Promise<{ readonly daily: string | null }>;
}

export interface FlushThreadOptions extends Omit<AddThreadMessagesOptions, 'memory'> {
  readonly conversation: FlushingConversation;
  /** Tools of which calls and results are not kept, such as those that answer what memory has. */
  readonly omitTools?: readonly string[];
  /** Called with the block that was appended to the daily file, as Markdown. */
  readonly onDailySummary?: (
    summary: string,
    event: Pick<MemoryFlushEvent, 'threadId' | 'configurable'>,
  ) => unknown;
}

/** As many as one call of `conversation.append` takes. */
const TURNS_PER_CALL = 1_000;
/** Of the JSON of one call, and of all calls of a turn; longer arguments are cut, as text. */
const ARGUMENTS_UNITS_MAX = 4_000;
const CALLS_UNITS_MAX = 20_000;
const CALLS_MAX = 100;
/** Of one answer of a tool; a longer one is kept to here. */
const RESULT_UNITS_MAX = 32_000;

/**
 * A `memoryFlushHook` that appends the messages to the session of the thread and flushes it: what
 * lasts becomes memories, and the daily file gets a block. Once they are appended, a flush that
 * fails is repeated when the session has been silent; a repeated message changes nothing.
 */
export function flushThread({
  conversation,
  tenant,
  identifiers,
  omitTools = [],
  onDailySummary,
}: FlushThreadOptions): MemoryFlushHook {
  const omitted = new Set(omitTools);
  return async ({ id, threadId, configurable, messages, signal }) => {
    const named =
      typeof identifiers === 'function' ? identifiers({ threadId, configurable }) : identifiers;
    // Outside a thread the messages are a session of their own.
    const session = { tenant, sessionId: threadId ?? id };
    const turns = turnsOf(messages, omitted);
    for (let at = 0; at < turns.length && !signal.aborted; at += TURNS_PER_CALL) {
      const some = turns.slice(at, at + TURNS_PER_CALL);
      await conversation.append({ ...session, identifiers: named, turns: some });
    }
    if (turns.length === 0 || signal.aborted) return;
    const { daily } = await conversation.flush(session);
    if (daily !== null) await onDailySummary?.(daily, { threadId, configurable });
  };
}

/** What was said, with the calls of tools and what they answered. */
function turnsOf(
  messages: MemoryFlushEvent['messages'],
  omitted: ReadonlySet<string>,
): readonly SaidTurn[] {
  const names = new Map<string, string>();
  return messages.flatMap((message): readonly SaidTurn[] => {
    const { id, role, name, content, toolCalls, toolCallId } = viewOf(message);
    for (const call of toolCalls) if (call.id !== null) names.set(call.id, call.name);
    const calls = toolCalls.filter((call) => !omitted.has(call.name)).slice(0, CALLS_MAX);
    if (calls.length > 0) {
      const turn = {
        role: 'assistant',
        content: textOf(content),
        toolCalls: callsOf(calls),
      } as const;
      return [id === null ? turn : { id, ...turn }];
    }
    if (role !== 'tool' || toolCallId === null) return messageOf(message);
    const speaker = name ?? names.get(toolCallId);
    const text = shortened(textOf(content), RESULT_UNITS_MAX);
    if (text.trim() === '' || (speaker !== undefined && omitted.has(speaker))) return [];
    const turn = { role, content: text, toolCallId } as const;
    const spoken = speaker === undefined ? turn : { ...turn, speaker };
    return [id === null ? spoken : { id, ...spoken }];
  });
}

function callsOf(calls: readonly MessageToolCall[]): NonNullable<SaidTurn['toolCalls']> {
  const most = Math.min(ARGUMENTS_UNITS_MAX, Math.floor(CALLS_UNITS_MAX / calls.length));
  return calls.map(({ id, name, args }, place) => {
    const json = JSON.stringify(args) ?? 'null';
    const isFields = typeof args === 'object' && args !== null && !Array.isArray(args);
    const fields = isFields ? { ...args } : { value: args };
    return {
      id: id ?? `call-${String(place + 1)}`,
      name: name === '' ? 'unnamed' : name,
      arguments: json.length > most ? { cut: shortened(json, most) } : fields,
    };
  });
}

/** A hook that keeps what leaving messages say that lasts. */
interface SaidMessage {
  readonly id?: string;
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** Of `openVarve`, or of a client of a running API. */
export interface MessageMemory {
  addMessages(input: {
    tenant: string;
    identifiers: Identifiers;
    messages: SaidMessage[];
  }): Promise<unknown>;
}

export interface AddThreadMessagesOptions {
  readonly memory: MessageMemory;
  readonly tenant: string;
  /** Whose messages they are; of the thread where it is a function. */
  readonly identifiers:
    | Identifiers
    | ((event: Pick<MemoryFlushEvent, 'threadId' | 'configurable'>) => Identifiers);
}

/** As many as one call of `memory.addMessages` takes. */
const MESSAGES_PER_CALL = 200;

/**
 * A `memoryFlushHook` that gives the messages to `memory.addMessages`. The thread is their session,
 * and a message that comes again changes nothing.
 */
export function addThreadMessages({
  memory,
  tenant,
  identifiers,
}: AddThreadMessagesOptions): MemoryFlushHook {
  return async ({ threadId, configurable, messages, signal }) => {
    const named =
      typeof identifiers === 'function' ? identifiers({ threadId, configurable }) : identifiers;
    const said = messages.flatMap(messageOf);
    for (let at = 0; at < said.length && !signal.aborted; at += MESSAGES_PER_CALL) {
      await memory.addMessages({
        tenant,
        identifiers: { ...(threadId === null ? {} : { sessionId: threadId }), ...named },
        messages: said.slice(at, at + MESSAGES_PER_CALL),
      });
    }
  };
}

/** What a person or an assistant said in words; all else has nothing to keep. */
export function messageOf(message: MemoryFlushEvent['messages'][number]): SaidMessage[] {
  const { id, role, content } = viewOf(message);
  const text = textOf(content);
  if ((role !== 'user' && role !== 'assistant') || text.trim() === '') return [];
  return [{ ...(id === null ? {} : { id }), role, content: text }];
}
