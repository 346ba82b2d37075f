/** A chat model that answers from a list and keeps what it was asked. */
import { AIMessage, HumanMessage, type BaseMessage } from '@langchain/core/messages';
import { SILENT_LOG } from '#core/ports/platform.ts';
import type { ChatModelLike } from '#langgraph/summarization-options.ts';

export interface ScriptedModel extends ChatModelLike {
  readonly asked: readonly (readonly BaseMessage[])[];
}

/** Answers one text after the other, the last again and again; an error is thrown. */
export function scriptedModel(...answers: readonly (string | object)[]): ScriptedModel {
  const asked: BaseMessage[][] = [];
  return {
    asked,
    invoke(messages) {
      asked.push([...messages]);
      const answer = answers[Math.min(asked.length, answers.length) - 1] ?? 'A summary.';
      if (answer instanceof Error) return Promise.reject(answer);
      const content = typeof answer === 'string' ? answer : (answer as { content: string }).content;
      return Promise.resolve(new AIMessage({ content }));
    },
  };
}

/** Counts messages, whatever they say. */
export function byLength(messages: readonly BaseMessage[]): number {
  return messages.length;
}

/** Six messages may stay. */
export const SIX = { tokenCounter: byLength, maxTokens: 6, maxSummaryTokens: 1, log: SILENT_LOG };

export function human(id: string, content: string): HumanMessage {
  return new HumanMessage({ id, content });
}

export function ai(id: string, content: string): AIMessage {
  return new AIMessage({ id, content });
}

/** Message 1, Response 1, … Latest message: nine messages with the ids 1 to 9. */
export function nineMessages(): BaseMessage[] {
  return [
    ...[1, 2, 3, 4].flatMap((turn) => [
      human(String(turn * 2 - 1), `Message ${String(turn)}`),
      ai(String(turn * 2), `Response ${String(turn)}`),
    ]),
    human('9', 'Latest message'),
  ];
}

export function textsOf(messages: readonly BaseMessage[]): readonly string[] {
  return messages.map((message) => message.text);
}

export function idsOf(messages: readonly BaseMessage[]): readonly (string | undefined)[] {
  return messages.map(({ id }) => id);
}
