/** Converts LangChain's messages to those that core summarizes, and back. */
import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  type BaseMessage,
  type ToolMessage,
} from '@langchain/core/messages';
import {
  plainTextOf,
  textOf,
  type ConversationMessage,
  type MessageToolCall,
} from '#core/running-summary/message.ts';

/** The mark by which interfaces of this ecosystem tell a summary from what was said. */
const SUMMARY_SOURCE = 'summarization';
/** A list has at most one summary, so its id can always be the same. */
const SUMMARY_MESSAGE_ID = 'varve-running-summary';

/** Names of roles as providers spell them; the approximate count includes their characters. */
const ROLES: Readonly<Record<string, string>> = {
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
  function: 'function',
};

/** Reads only `type`, since a program may contain two copies of the package. */
export function viewOf(message: BaseMessage): ConversationMessage {
  const role = ROLES[message.type] ?? roleOf(message) ?? message.type;
  const answered = role === 'tool' ? (message as Partial<ToolMessage>).tool_call_id : undefined;
  return {
    id: message.id ?? null,
    role,
    name: message.name ?? null,
    content: message.content,
    toolCalls: role === 'assistant' ? callsOf(message as AIMessage) : [],
    toolCallId: answered ?? null,
    isSummary: role === 'system' && isSummaryMessage(message),
  };
}

/** Returns the text of a model's answer, without reasoning and other blocks. */
export function answerText(answer: { readonly content: unknown }): string {
  const { content } = answer;
  if (typeof content !== 'string' && !Array.isArray(content)) return '';
  return textOf(content as ConversationMessage['content']).trim();
}

/**
 * Returns a message for the summarizing model, which has no tools: the message itself if it is
 * plain text, otherwise its text.
 */
export function sendable(message: BaseMessage): BaseMessage {
  const view = viewOf(message);
  const text = plainTextOf(view);
  if (text === null && view.role !== 'system') return message;
  return spoken(view, text ?? textOf(view.content));
}

/** Returns one chunk of a message that is too long to send whole. */
export function chunkOf(
  message: BaseMessage,
  text: string,
  place: { readonly part: number; readonly of: number },
): BaseMessage {
  const head = `[part ${String(place.part)} of ${String(place.of)}]`;
  return spoken(viewOf(message), `${head} ${text}`);
}

function spoken({ id, role }: ConversationMessage, content: string): BaseMessage {
  const fields = id === null ? { content } : { content, id };
  return role === 'assistant' ? new AIMessage(fields) : new HumanMessage(fields);
}

/** Returns the message that replaces what was summarized. It names the counter that measured it. */
export function summaryMessage(
  content: string,
  measured: { readonly counter: string; readonly tokens: number },
): SystemMessage {
  return new SystemMessage({
    content,
    id: SUMMARY_MESSAGE_ID,
    additional_kwargs: { lc_source: SUMMARY_SOURCE, varve_tokens: measured },
  });
}

/** Returns a message with an id, as a copy if it had none. */
export function identified(message: BaseMessage, id: string): BaseMessage {
  return message.id === undefined || message.id === null ? copyWith(message, { id }) : message;
}

/** Returns a copy of a message with memory in front of what it says. */
export function withMemory(message: BaseMessage, memory: string): BaseMessage {
  const { content } = message;
  // Some models read a user's words only if they are one text.
  return typeof content === 'string'
    ? copyWith(message, { content: `${memory}\n\n## Question\n${content}` })
    : copyWith(message, { content: [{ type: 'text', text: memory }, ...content] });
}

function copyWith(
  message: BaseMessage,
  fields: Partial<Pick<BaseMessage, 'id' | 'content'>>,
): BaseMessage {
  const copy = Object.create(Object.getPrototypeOf(message) as object) as BaseMessage;
  return Object.assign(copy, message, fields, { lc_kwargs: { ...message.lc_kwargs, ...fields } });
}

/** Whether a message is the summary of others, of Varve or of another middleware. */
export function isSummaryMessage(message: BaseMessage): boolean {
  return message.additional_kwargs?.['lc_source'] === SUMMARY_SOURCE;
}

function callsOf(message: AIMessage): readonly MessageToolCall[] {
  return [...(message.tool_calls ?? []), ...(message.invalid_tool_calls ?? [])].map((call) => ({
    id: call.id ?? null,
    name: call.name ?? '',
    args: call.args ?? {},
  }));
}

/** Of a `ChatMessage`, whose role is whatever its provider or program calls it. */
function roleOf(message: BaseMessage): string | undefined {
  if (!('role' in message) || typeof message.role !== 'string') return undefined;
  return ROLES[message.role.toLowerCase()] ?? message.role;
}
