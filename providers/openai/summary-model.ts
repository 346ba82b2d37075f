/**
 * Summaries by any endpoint that speaks OpenAI's `/chat/completions`: OpenAI, Azure, vLLM, Ollama,
 * llama.cpp and others. Nothing is retried here; Temporal does that, and the budget counts it.
 */
import type { ModelClass } from '#core/policy.ts';
import type { ModelAnswer, ModelBatch, Price, SummaryModel } from '#core/ports/model.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { TokenCounter } from '#core/ports/token-counter.ts';
import { costOf } from '#core/price.ts';
import { answerSchema, answerTokensMax, batchAnswerText } from '#core/prompt/prompt-answer.ts';
import { PROMPTED_REVISION, promptOf, type Prompt } from '#core/prompt/prompt.ts';
import type { Usage } from '#core/records/summary.ts';
import { utf8Bytes } from '#core/text.ts';
import { chatCalls } from './chat.ts';
import type { Endpoint } from './client.ts';
import type { Completion } from './completion.ts';
import { readEntries } from './read-answer.ts';

/** What a server puts around two messages: roles, separators, the names of the schema. */
const TEMPLATE_TOKENS = 256;

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
  readonly platform: Pick<Platform, 'digest' | 'clock' | 'log'>;
}

export function createOpenAiSummaryModel(options: OpenAiModelOptions): SummaryModel {
  const { model, price, contextTokens, outputTokensMax, thinkingTokens, platform } = options;
  const outputMax = (batch: ModelBatch) =>
    Math.min(outputTokensMax, answerTokensMax(batch) + thinkingTokens);
  const complete = chatCalls({ ...options, clock: platform.clock });
  return {
    name: options.name ?? model,
    price,
    inputTokensMax: contextTokens - outputTokensMax,
    // Calls are packed by this, and the thoughts come before the answers.
    outputTokensMax: Math.max(0, outputTokensMax - thinkingTokens),
    revision: PROMPTED_REVISION,
    bounds: (batch) => {
      const { system, user } = promptOf(batch, { attemptId: '', digest: platform.digest });
      const texts = [system, user, JSON.stringify(answerSchema(batch))];
      const bytes = texts.reduce((sum, text) => sum + utf8Bytes(text), 0);
      return { inputTokens: bytes + TEMPLATE_TOKENS, outputTokens: outputMax(batch) };
    },
    answer: async (batch, { attemptId, signal }) => {
      const prompt = promptOf(batch, { attemptId, digest: platform.digest });
      const schema = answerSchema(batch);
      const tokensMax = outputMax(batch);
      const completion = await complete({ prompt, schema, tokensMax }, signal);
      return toAnswer(options, { batch, prompt, tokensMax, completion, attemptId });
    },
  };
}

/**
 * An answer that cannot be read was paid for all the same, so it is an answer without items: the
 * usage is settled, and each item counts as failed.
 */
function toAnswer(options: OpenAiModelOptions, call: AnsweredCall): ModelAnswer {
  const { name: model = options.model, classes, price, tokens, platform } = options;
  const { batch, completion, attemptId } = call;
  const isSaid = completion.kind === 'Said';
  const text = isSaid ? completion.text : '';
  const entries = readEntries(text);
  const isEstimated = completion.usage === null;
  const usage = completion.usage ?? estimatedUsage(tokens, call);
  const { microDollars } = costOf(usage, price);
  const finish = isSaid ? (completion.finish ?? null) : null;
  const told = { model, classes, attemptId, ...usage, isEstimated, microDollars, finish };
  if (entries.length === 0) {
    const fields = { ...told, items: batch.items.length, characters: text.length };
    platform.log.warn(fields, isSaid ? WITHOUT_ITEMS : UNREAD);
  } else {
    platform.log.info({ ...told, items: entries.length }, 'the model answered');
  }
  return { text: batchAnswerText(batch, entries), usage };
}

const WITHOUT_ITEMS = 'the model gave an answer without items';
const UNREAD = 'the model endpoint gave an answer that is none; check its address';

interface AnsweredCall {
  readonly batch: ModelBatch;
  readonly prompt: Prompt;
  /** Tokens that the call allowed the answer. */
  readonly tokensMax: number;
  readonly completion: Completion;
  readonly attemptId: string;
}

/** What a model wrote stands in the body, whatever its shape; of an unknown body, the most. */
function estimatedUsage(
  tokens: TokenCounter,
  { prompt, tokensMax, completion }: AnsweredCall,
): Usage {
  const written = completion.kind === 'Said' ? completion.text : completion.body;
  return {
    inputTokens: tokens.count(prompt.system) + tokens.count(prompt.user),
    outputTokens: written === null ? tokensMax : Math.min(tokensMax, tokens.count(written)),
  };
}
