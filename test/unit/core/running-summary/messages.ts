/** Chat messages for tests, which set only what they care about. */
import type { ConversationMessage } from '#core/running-summary/message.ts';

export function messageOf(differing: Partial<ConversationMessage> = {}): ConversationMessage {
  return {
    id: null,
    role: 'user',
    name: null,
    content: 'Hello.',
    toolCalls: [],
    toolCallId: null,
    isSummary: false,
    ...differing,
  };
}

/** A message of the assistant that calls tools by these ids. */
export function callsOf(...ids: readonly (string | null)[]): ConversationMessage {
  const toolCalls = ids.map((id) => ({ id, name: 'find', args: {} }));
  return messageOf({ role: 'assistant', content: '', toolCalls });
}

export function resultOf(toolCallId: string): ConversationMessage {
  return messageOf({ role: 'tool', name: 'find', content: 'Found.', toolCallId });
}
