/** Usage, price and log line of a finished model call. */
import type { ModelClass } from '#core/records/model-class.ts';
import type { Price } from '#core/ports/model.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import { costOf } from '#core/budget/price.ts';
import type { Prompt } from '#core/prompt/summary-prompt.ts';
import type { Usage } from '#core/records/summary.ts';
import type { Endpoint } from './client.ts';
import type { Completion } from './read-completion.ts';

/** Thoughts at the start of an answer, finished or cut off. */
export const THOUGHTS = /^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/u;
const ALL_THOUGHT =
  'the model used its whole answer before its first word; raise its thinking tokens ' +
  '(VARVE_MODEL_…_THINKING_TOKENS, or thinkingTokens of a ModelProvider) or its answer tokens';
/** Message for a body that is not a completion. */
const UNREAD = 'the model endpoint gave an invalid answer; check its address';

export interface OpenAiModelOptions extends Endpoint {
  /** Its name at the endpoint. */
  readonly model: string;
  /** Its name in the installation; if absent, that at the endpoint. */
  readonly name?: string;
  /** Model classes that it serves; only for the log. */
  readonly classes: readonly ModelClass[];
  readonly price: Price;
  /** Tokens of one call, including the answer. */
  readonly contextTokens: number;
  /** Maximum tokens of an answer, including thoughts. */
  readonly outputTokensMax: number;
  /** Tokens that it may use for thoughts before the answer; they are paid as output. */
  readonly thinkingTokens: number;
  readonly timeoutMs?: number;
  readonly tokens: TokenCounter;
  readonly platform: Pick<Platform, 'digest' | 'clock' | 'log' | 'tracing'>;
}

export interface AnsweredCall {
  readonly prompt: Prompt;
  /** Maximum usage of the call. */
  readonly usageMax: Usage;
  readonly completion: Completion;
  readonly attemptId: string;
}

interface CallUsage {
  /** Empty if the body is not a completion. */
  readonly text: string;
  readonly usage: Usage;
  /** Fields for the log: counts, codes and ids, nothing of what was said. */
  readonly logFields: Readonly<Record<string, unknown>>;
}

/** Returns the usage of a call. An unreadable answer was also paid for, so its usage is settled. */
export function usageOfCall(options: OpenAiModelOptions, call: AnsweredCall): CallUsage {
  const { name: model = options.model, classes, price, tokens } = options;
  const { completion, attemptId } = call;
  const isSaid = completion.kind === 'Said';
  const isEstimated = completion.usage === null;
  const usage = completion.usage ?? estimatedUsage(tokens, call);
  const { microDollars } = costOf(usage, price);
  const finish = isSaid ? (completion.finish ?? null) : null;
  const logFields = { model, classes, attemptId, ...usage, isEstimated, microDollars, finish };
  return { text: isSaid ? completion.text : '', usage, logFields };
}

/** Estimates usage from the text or the body; if the body is unknown, returns the maximum. */
function estimatedUsage(
  tokens: TokenCounter,
  { prompt, usageMax, completion }: AnsweredCall,
): Usage {
  const written = completion.kind === 'Said' ? completion.text : completion.body;
  if (written === null) return usageMax;
  return {
    inputTokens: tokens.count(prompt.system) + tokens.count(prompt.user),
    outputTokens: Math.min(usageMax.outputTokens, tokens.count(written)),
  };
}

/** Explains why an answer was useless, and what to change if a setting is the cause. */
export function uselessMessage({ completion }: AnsweredCall, otherwise: string): string {
  if (completion.kind !== 'Said') return UNREAD;
  const said = completion.text.replace(THOUGHTS, '').trim();
  return said === '' && completion.finish === 'length' ? ALL_THOUGHT : otherwise;
}
