/** Converts LangChain's messages to turns of a session: what was said, and what tools did. */
import type { BaseMessage } from '@langchain/core/messages';
import { textOf, type MessageToolCall } from '#core/running-summary/message.ts';
import { CALLS_MAX, keptArguments, keptResult } from '#core/sessions/kept-tool-calls.ts';
import { isSummaryMessage, viewOf } from './messages.ts';

/** A message that `memory.addMessages` reads. */
export interface SaidMessage {
  readonly id?: string;
  readonly role: 'user' | 'assistant';
  readonly content: string;
}

/** A turn that a flush appends to the session of its thread (TOK-05, TIER-05). */
export interface SaidTurn extends Omit<SaidMessage, 'role'> {
  readonly role: SaidMessage['role'] | 'tool';
  readonly speaker?: string;
  readonly toolCalls?: { id: string; name: string; arguments: Record<string, unknown> }[];
  readonly toolCallId?: string;
}

/** Returns what was said, with tool calls and their results. */
export function toTurns(
  messages: readonly BaseMessage[],
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
    const isNamed = name !== null && name.trim() !== '';
    const speaker = isNamed ? name : names.get(toolCallId);
    const text = keptResult(textOf(content));
    if (text.trim() === '' || (speaker !== undefined && omitted.has(speaker))) return [];
    const turn = { role, content: text, toolCallId } as const;
    const spoken = speaker === undefined ? turn : { ...turn, speaker };
    return [id === null ? spoken : { id, ...spoken }];
  });
}

function callsOf(calls: readonly MessageToolCall[]): NonNullable<SaidTurn['toolCalls']> {
  return calls.map(({ id, name, args }, place) => ({
    id: id ?? `call-${String(place + 1)}`,
    name: name === '' ? 'unnamed' : name,
    arguments: keptArguments(args, calls.length),
  }));
}

/** Returns what a person or an assistant said in words; nothing for any other message. */
export function messageOf(message: BaseMessage): SaidMessage[] {
  const { id, role, content } = viewOf(message);
  const text = textOf(content);
  if ((role !== 'user' && role !== 'assistant') || text.trim() === '') return [];
  // LangChain's own middleware summarizes as the user.
  if (isSummaryMessage(message)) return [];
  return [{ ...(id === null ? {} : { id }), role, content: text }];
}
