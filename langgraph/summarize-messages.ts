/** Summarizing a list of messages outside a graph. */
import type { BaseMessage } from '@langchain/core/messages';
import type { RunnableConfig } from '@langchain/core/runnables';
import type { RunningSummary } from '#core/conversation/running-summary.ts';
import { settingsOf, type SummarizationOptions } from './options.ts';
import { summarizeRound, type SummarizationResult } from './summarize.ts';

export interface SummarizeMessagesOptions extends SummarizationOptions {
  /** What the call before returned; null or absent for a new conversation. */
  readonly runningSummary?: RunningSummary | null;
  /** Of the call: thread, signal, callbacks. */
  readonly config?: RunnableConfig;
}

export interface SummarizeMessagesResult extends SummarizationResult {
  /** Resolves when the flush hook of this call has ended, well or not. */
  settled(): Promise<void>;
}

/**
 * Replaces the oldest messages by a running summary once they count more than the limit, so that
 * what is left fits `maxTokens`. Pass the whole conversation and the running summary that the call
 * before returned, or that call's messages and what was said since.
 *
 * Guarantees: tool calls stay with their results; system messages and the newest user message stay;
 * nothing changes where no summary was made; the returned list was counted and fits.
 * @throws VarveError INVALID_INPUT, CONTEXT_LIMIT_TOO_SMALL naming the part that is too large,
 * CONTENT_TOO_LONG, PROVIDER_ERROR, MODEL_OUTPUT_INVALID
 */
export async function summarizeMessages(
  messages: readonly BaseMessage[],
  options: SummarizeMessagesOptions,
): Promise<SummarizeMessagesResult> {
  const settings = settingsOf(options);
  const { config } = options;
  const result = await summarizeRound(messages, options.runningSummary, { settings, config });
  return { ...result, settled: () => settings.flushes.settled() };
}
