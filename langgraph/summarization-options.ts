/** What can be set about summarizing a conversation, and its defaults. */
import { createHash } from 'node:crypto';
import type { BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { approximateTokens, countedTokens } from '#core/running-summary/count-tokens.ts';
import { checkLimits, type TokenLimits } from '#core/running-summary/choose-evicted.ts';
import {
  EXISTING_SUMMARY_PROMPT,
  FINAL_PROMPT,
  INITIAL_SUMMARY_PROMPT,
} from '#core/running-summary/running-summary-prompts.ts';
import { VarveError } from '#core/errors.ts';
import { type Log, SILENT_LOG } from '#core/ports/platform.ts';
import { MemoryFlushes, type MemoryFlushHook } from './memory-flush.ts';
import { viewOf } from './messages.ts';

/** Any chat model of LangChain, or whatever answers messages with a message. */
export interface ChatModelLike {
  invoke(messages: BaseMessage[], config?: RunnableConfig): Promise<{ readonly content: unknown }>;
}

export interface SummarizationOptions {
  /** Writes the summaries. */
  readonly model: ChatModelLike;
  /** What the messages that are left may count, summary and system messages included. */
  readonly maxTokens: number;
  /** Messages are summarized once they count more than this; by default `maxTokens`. */
  readonly maxTokensBeforeSummary?: number;
  /**
   * Kept free for the summary, 256 by default; a longer one is cut at a sentence. With 0 it may
   * take whatever the messages leave.
   */
  readonly maxSummaryTokens?: number;
  /** Counts a list of messages; by default `countTokensApproximately`. */
  readonly tokenCounter?: MessageCounter;
  /** Follows the messages in the first round. */
  readonly initialSummaryPrompt?: string;
  /** Follows the new messages in later rounds, with `{existing_summary}`. */
  readonly existingSummaryPrompt?: string;
  /** The text of the summary's message, with `{summary}`. */
  readonly finalPrompt?: string;
  /**
   * Where more is to be summarized than the model is given at once: `chunk`, the default, gives it
   * everything, part by part; `trim` gives it only the newest part, as langmem does, and asks for
   * ids on every message.
   */
  readonly oversize?: 'chunk' | 'trim';
  /** Gets what leaves the conversation once its summary exists; never waited for. */
  readonly memoryFlushHook?: MemoryFlushHook;
  /** Where failed hooks and summaries are reported; by default `process.emitWarning`. */
  readonly log?: Log;
}

export interface Settings {
  readonly model: ChatModelLike;
  readonly limits: TokenLimits;
  readonly count: (messages: BaseMessage[]) => Promise<number>;
  readonly counterName: string;
  readonly initialSummaryPrompt: string;
  readonly existingSummaryPrompt: string;
  readonly finalPrompt: string;
  readonly oversize: 'chunk' | 'trim';
  readonly flushes: MemoryFlushes;
  readonly log: Log;
}

export const MAX_SUMMARY_TOKENS_DEFAULT = 256;

/** @throws VarveError INVALID_INPUT for limits or prompts that can't work */
export function settingsOf(options: SummarizationOptions): Settings {
  const { maxTokens, maxSummaryTokens = MAX_SUMMARY_TOKENS_DEFAULT } = options;
  const limits = {
    maxTokens,
    maxTokensBeforeSummary: options.maxTokensBeforeSummary ?? maxTokens,
    maxSummaryTokens,
  };
  checkLimits(limits);
  const finalPrompt = options.finalPrompt ?? FINAL_PROMPT;
  const existingSummaryPrompt = options.existingSummaryPrompt ?? EXISTING_SUMMARY_PROMPT;
  requirePlace('finalPrompt', finalPrompt, '{summary}');
  requirePlace('existingSummaryPrompt', existingSummaryPrompt, '{existing_summary}');
  const counter = options.tokenCounter ?? countTokensApproximately;
  const log = options.log ?? WARNINGS;
  return {
    model: options.model,
    limits,
    count: async (messages) => counter(messages),
    counterName: counter.name === '' ? 'custom' : counter.name,
    initialSummaryPrompt: options.initialSummaryPrompt ?? INITIAL_SUMMARY_PROMPT,
    existingSummaryPrompt,
    finalPrompt,
    oversize: options.oversize ?? 'chunk',
    flushes: new MemoryFlushes(options.memoryFlushHook ?? null, { log }),
    log,
  };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function requirePlace(name: string, template: string, place: string): void {
  if (template.includes(place)) return;
  throw new VarveError(
    'INVALID_INPUT',
    `${name} has no place for the summary. Expected ${place} somewhere in it; add it.`,
  );
}

/** A library has no log of its own; what went wrong must be seen all the same. */
const WARNINGS: Log = {
  debug: () => undefined,
  info: () => undefined,
  warn: (fields, message) => {
    process.emitWarning(`varve: ${message} ${JSON.stringify(fields)}`);
  },
  error: (fields, message) => {
    process.emitWarning(`varve: ${message} ${JSON.stringify(fields)}`);
  },
};

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
