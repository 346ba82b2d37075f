/** A hook that hands leaving messages on to the session of their thread (TOK-05, TIER-05). */
import { textOf, type MessageToolCall } from '#core/conversation/message.ts';
import type { Identifiers } from '#core/identifiers.ts';
import { shortened } from '#core/storable-text.ts';
import { messageOf, type KeepMessagesOptions, type SaidMessage } from './keep-messages.ts';
import type { MemoryFlushEvent, MemoryFlushHook } from './memory-flush.ts';
import { viewOf } from './messages.ts';

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

export interface FlushThreadOptions extends Omit<KeepMessagesOptions, 'memory'> {
  readonly conversation: FlushingConversation;
  /** Tools of which calls and results are not kept, such as those that answer what memory has. */
  readonly omitTools?: readonly string[];
  /** Told of the block that was appended to the daily file, as Markdown. */
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
 * fails is made good when the session has been silent; a message that comes again changes nothing.
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
    // Outside a thread the messages are a session by themselves.
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
