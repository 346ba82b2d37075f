/** What a call of a model is known by when it is over: its usage, its price, its line of log. */
import type { ModelClass } from '#core/records/model-class.ts';
import type { Price } from '#core/ports/model.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import { costOf } from '#core/budget/price.ts';
import type { Prompt } from '#core/prompt/summary-prompt.ts';
import type { Usage } from '#core/records/summary.ts';
import type { Endpoint } from './client.ts';
import type { Completion } from './read-completion.ts';

/** Thoughts in the text of an answer, ended or not. */
export const THOUGHTS = /^\s*<think(?:ing)?>[\s\S]*?(?:<\/think(?:ing)?>|$)/u;
const ALL_THOUGHT =
  'the model used its whole answer before its first word; raise its thinking tokens ' +
  '(VARVE_MODEL_…_THINKING_TOKENS, or thinkingTokens of a ModelProvider) or its answer tokens';
/** What is said of a body that is no completion. */
const UNREAD = 'the model endpoint gave an answer that is none; check its address';

export interface OpenAiModelOptions extends Endpoint {
  /** As its endpoint knows it. */
  readonly model: string;
  /** As the installation knows it; that of the endpoint where absent. */
  readonly name?: string;
  /** Which classes it serves; for the log alone. */
  readonly classes: readonly ModelClass[];
  readonly price: Price;
  /** Tokens that one call can hold, its answer included. */
  readonly contextTokens: number;
  /** The longest answer that it gives, its thoughts included. */
  readonly outputTokensMax: number;
  /** Tokens that it may think with before it answers; they are paid as output. */
  readonly thinkingTokens: number;
  readonly timeoutMs?: number;
  readonly tokens: TokenCounter;
  readonly platform: Pick<Platform, 'digest' | 'clock' | 'log' | 'tracing'>;
}

export interface AnsweredCall {
  readonly prompt: Prompt;
  /** What the call can have used at most. */
  readonly usageMax: Usage;
  readonly completion: Completion;
  readonly attemptId: string;
}

export interface CallUsage {
  /** Empty where the body is no completion. */
  readonly text: string;
  readonly usage: Usage;
  /** Fields for the log: counts, codes and ids, nothing of what was said. */
  readonly logFields: Readonly<Record<string, unknown>>;
}

/** An answer that cannot be read was paid for all the same: its usage is settled. */
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

/** What a model wrote stands in the body, whatever its shape; of an unknown body, all. */
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

/** Why nothing could be made of an answer, and what to change where a setting is the cause. */
export function uselessMessage({ completion }: AnsweredCall, otherwise: string): string {
  if (completion.kind !== 'Said') return UNREAD;
  const said = completion.text.replace(THOUGHTS, '').trim();
  return said === '' && completion.finish === 'length' ? ALL_THOUGHT : otherwise;
}
