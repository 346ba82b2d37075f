/** The options of summarizing a conversation, and their defaults. */
import { createHash } from 'node:crypto';
import type { BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import { approximateTokens, countedTokens } from '#core/running-summary/count-tokens.ts';
import { checkLimits, type TokenLimits } from '#core/running-summary/token-limits.ts';
import {
  EXISTING_SUMMARY_PROMPT,
  FINAL_PROMPT,
  INITIAL_SUMMARY_PROMPT,
} from '#core/running-summary/running-summary-prompts.ts';
import { unexpected, VarveError } from '#core/errors.ts';
import { type Log, SILENT_LOG } from '#core/ports/platform.ts';
import {
  MemoryFlushes,
  type MemoryFlushErrorHook,
  type MemoryFlushHook,
} from './memory-flush-hooks.ts';
import { KINDS, requireKind, requireKnownOptions, requireObject } from '#core/check-options.ts';
import { viewOf } from './messages.ts';

/** Any chat model of LangChain, or anything that answers messages with a message. */
export interface ChatModelLike {
  invoke(messages: BaseMessage[], config?: RunnableConfig): Promise<{ readonly content: unknown }>;
}

export interface SummarizationOptions {
  /** Writes the summaries. */
  readonly model: ChatModelLike;
  /** Maximum tokens of the messages that are left, including the summary and system messages. */
  readonly maxTokens: number;
  /** Messages are summarized once they have more tokens than this; by default `maxTokens`. */
  readonly maxTokensBeforeSummary?: number;
  /**
   * Tokens reserved for the summary, 256 by default; a longer one is cut at a sentence. With 0, it
   * may take whatever the messages leave.
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
   * What to do if there is more to summarize than fits into one model call: `chunk`, the default,
   * gives the model everything, part by part; `trim` gives it only the newest part, as langmem
   * does, and requires ids on every message.
   */
  readonly oversize?: 'chunk' | 'trim';
  /** Receives what leaves the conversation once its summary exists; nothing waits for it. */
  readonly memoryFlushHook?: MemoryFlushHook;
  /**
   * Receives the error of a failed `memoryFlushHook` and what the hook got, such as to put it into
   * a queue; `settled()` waits for it.
   */
  readonly onHookError?: MemoryFlushErrorHook;
  /** Where to report failed hooks and summaries; by default `process.emitWarning`. */
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

const MAX_SUMMARY_TOKENS_DEFAULT = 256;

const OPTIONS: readonly (keyof SummarizationOptions)[] = [
  'model',
  'maxTokens',
  'maxTokensBeforeSummary',
  'maxSummaryTokens',
  'tokenCounter',
  'initialSummaryPrompt',
  'existingSummaryPrompt',
  'finalPrompt',
  'oversize',
  'memoryFlushHook',
  'onHookError',
  'log',
];

/**
 * Checks the options and fills in the defaults.
 * @param others options that only the caller knows
 * @throws VarveError INVALID_INPUT for an unknown option, and for a model, limits or prompts that
 *   can't work
 */
export function settingsOf<T extends SummarizationOptions>(
  options: T,
  others: readonly Exclude<keyof T & string, keyof SummarizationOptions>[],
): Settings {
  requireObject(options, ['model', 'maxTokens']);
  requireKnownOptions(options, [...OPTIONS, ...others]);
  requireModel(options.model);
  requireOversize(options.oversize);
  requireFunction('memoryFlushHook', options.memoryFlushHook);
  requireFunction('onHookError', options.onHookError);
  requireFunction('tokenCounter', options.tokenCounter);
  requireKind('log', options.log, KINDS.log);
  const { initialSummaryPrompt = INITIAL_SUMMARY_PROMPT } = options;
  if (typeof initialSummaryPrompt !== 'string') throw noText('initialSummaryPrompt');
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
    count: async (messages) => counted(await counter(messages)),
    counterName: counter.name === '' ? 'custom' : counter.name,
    initialSummaryPrompt,
    existingSummaryPrompt,
    finalPrompt,
    oversize: options.oversize ?? 'chunk',
    flushes: new MemoryFlushes(options.memoryFlushHook ?? null, {
      log,
      onError: options.onHookError,
    }),
    log,
  };
}

export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function requireModel(model: unknown): void {
  const { invoke } = Object(model) as { readonly invoke?: unknown };
  if (typeof invoke === 'function') return;
  throw new VarveError(
    'INVALID_INPUT',
    `model is ${model === null ? 'null' : typeof model}. Expected a chat model of LangChain, ` +
      'which has a method invoke.',
  );
}

function requireOversize(oversize: unknown): void {
  if (oversize === undefined || oversize === 'chunk' || oversize === 'trim') return;
  throw new VarveError(
    'INVALID_INPUT',
    `oversize is ${JSON.stringify(oversize)}. Expected "chunk" or "trim".`,
  );
}

function requireFunction(name: string, value: unknown): void {
  if (value === undefined || value === null || typeof value === 'function') return;
  throw unexpected(name, value, 'a function, or none');
}

/** Every comparison with a number that is none fails, so that no limit would hold. */
function counted(tokens: unknown): number {
  if (typeof tokens === 'number' && Number.isFinite(tokens) && tokens >= 0) return tokens;
  const found = typeof tokens === 'number' ? String(tokens) : typeof tokens;
  throw new VarveError(
    'INVALID_INPUT',
    `tokenCounter returned ${found}. Expected the number of tokens, not below 0; correct it.`,
    { details: { field: 'tokenCounter' } },
  );
}

function noText(name: string): VarveError {
  return new VarveError('INVALID_INPUT', `${name}: expected a text, found none; give it one.`);
}

function requirePlace(name: string, template: unknown, place: string): void {
  if (typeof template !== 'string') throw noText(name);
  if (template.includes(place)) return;
  throw new VarveError(
    'INVALID_INPUT',
    `${name} has no place for the summary. Expected ${place} somewhere in it; add it.`,
  );
}

/** A library has no log of its own, but failures must be visible anyway. */
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

/** Counts the tokens of a list of messages. Its name is stored beside the numbers it returned. */
export type MessageCounter = (messages: BaseMessage[]) => number | Promise<number>;

/**
 * Counts like LangChain's Python function `count_tokens_approximately`: characters / 4, rounded up
 * for each message, plus 3 for its frame and 85 for an image. Close for English, but four times too
 * low for text in other scripts; use `loadMessageCounter` for those.
 */
export function countTokensApproximately(messages: readonly BaseMessage[]): number {
  return messages.reduce((total, message) => total + approximateTokens(viewOf(message)), 0);
}

/** Loads a counter with cl100k_base; if no tokenizer loads, it falls back with a warning. */
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
