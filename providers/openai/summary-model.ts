/**
 * Summaries by any endpoint that speaks OpenAI's `/chat/completions`: OpenAI, Azure, vLLM, Ollama,
 * llama.cpp and others. Nothing is retried here; Temporal does that, and the budget counts it.
 */
import type { ModelAnswer, ModelBatch, SummaryModel } from '#core/ports/model.ts';
import { answerSchema, answerTokensMax, batchAnswerText } from '#core/prompt/prompt-answer.ts';
import { PROMPTED_REVISION, promptOf } from '#core/prompt/prompt.ts';
import {
  inputTokensBound,
  settledCall,
  UNREAD,
  type AnsweredCall,
  type OpenAiModelOptions,
} from './answered-call.ts';
import { chatCalls } from './chat.ts';
import { readEntries } from './read-answer.ts';

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
      const inputTokens = inputTokensBound([system, user, JSON.stringify(answerSchema(batch))]);
      return { inputTokens, outputTokens: outputMax(batch) };
    },
    answer: async (batch, { attemptId, signal }) => {
      const prompt = promptOf(batch, { attemptId, digest: platform.digest });
      const schema = answerSchema(batch);
      const tokensMax = outputMax(batch);
      const completion = await complete({ prompt, schema, tokensMax }, signal);
      return toAnswer(options, batch, { prompt, tokensMax, completion, attemptId });
    },
  };
}

/** An answer that cannot be read is an answer without items: each item counts as failed. */
function toAnswer(options: OpenAiModelOptions, batch: ModelBatch, call: AnsweredCall): ModelAnswer {
  const { log } = options.platform;
  const { text, usage, told } = settledCall(options, call);
  const entries = readEntries(text);
  if (entries.length === 0) {
    const fields = { ...told, items: batch.items.length, characters: text.length };
    log.warn(fields, call.completion.kind === 'Said' ? WITHOUT_ITEMS : UNREAD);
  } else {
    log.info({ ...told, items: entries.length }, 'the model answered');
  }
  return { text: batchAnswerText(batch, entries), usage };
}

const WITHOUT_ITEMS = 'the model gave an answer without items';
