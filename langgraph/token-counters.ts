/** Counters of messages: the rule of thumb that LangChain's Python has, and cl100k. */
import type { BaseMessage } from '@langchain/core/messages';
import { approximateTokens, countedTokens } from '#core/conversation/count.ts';
import { SILENT_LOG, type Log } from '#core/ports/platform.ts';
import { viewOf } from './messages.ts';

/** Tokens of a list of messages. Its name is stored beside the numbers that it made. */
export type MessageCounter = (messages: BaseMessage[]) => number | Promise<number>;

/**
 * The count of LangChain's Python function `count_tokens_approximately`: characters / 4, rounded up
 * for each message, with 3 for its frame and 85 for an image. Close for English; four times too low
 * for text in other scripts, where `loadMessageCounter` is the better choice.
 */
export function countTokensApproximately(messages: readonly BaseMessage[]): number {
  return messages.reduce((total, message) => total + approximateTokens(viewOf(message)), 0);
}

/** Loads a counter by cl100k_base; where no tokenizer loads it falls back with a warning. */
export async function loadMessageCounter(options: { log?: Log } = {}): Promise<MessageCounter> {
  const { loadTokenCounter } = await import('#providers/tokenizers/token-counter.ts');
  const counter = await loadTokenCounter({ log: options.log ?? SILENT_LOG });
  const count = (messages: readonly BaseMessage[]): number =>
    messages.reduce(
      (total, message) => total + countedTokens(viewOf(message), (text) => counter.count(text)),
      0,
    );
  Object.defineProperty(count, 'name', { value: counter.name });
  return count;
}
