/**
 * Summaries by any endpoint with OpenAI's `/chat/completions`: OpenAI, Azure, vLLM, Ollama,
 * llama.cpp and others. Nothing is retried here; Temporal retries, and the budget counts every
 * call.
 */
import type {
  ModelAnswer,
  ModelBatch,
  SummaryModel,
  ConversationQuestion,
  ConversationWriter,
} from '#core/ports/model.ts';
import { inputTokensBound } from '#core/budget/input-tokens-bound.ts';
import { answerSchema, answerTokensMax, batchAnswerText } from '#core/prompt/answer-schema.ts';
import { PROMPTED_REVISION, promptOf } from '#core/prompt/summary-prompt.ts';
import type { Usage } from '#core/records/summary.ts';
import {
  usageOfCall,
  uselessMessage,
  type AnsweredCall,
  type OpenAiModelOptions,
  THOUGHTS,
} from './call-usage.ts';
import { endpointModel, type EndpointModel } from './endpoint-model.ts';
import { readEntries } from './json-in-answer.ts';
import { conversationPrompt } from '#core/prompt/conversation-prompt.ts';

export function createOpenAiSummaryModel(options: OpenAiModelOptions): SummaryModel {
  const { digest, clock } = options.platform;
  const endpoint = endpointModel(options);
  const { facts, outputMax, complete } = endpoint;
  const usageMaxOf = (batch: ModelBatch): Usage => {
    const { system, user } = promptOf(batch, { attemptId: '', digest, now: clock() });
    const inputTokens = inputTokensBound(options.tokens, [
      system,
      user,
      JSON.stringify(answerSchema(batch)),
    ]);
    return { inputTokens, outputTokens: outputMax(answerTokensMax(batch)) };
  };
  return {
    ...facts,
    revision: PROMPTED_REVISION,
    usageMax: usageMaxOf,
    answer: async (batch, { attemptId, signal }) => {
      const prompt = promptOf(batch, { attemptId, digest, now: clock() });
      const schema = answerSchema(batch);
      const usageMax = usageMaxOf(batch);
      const question = { prompt, schema, tokensMax: usageMax.outputTokens };
      const completion = await complete(question, signal);
      return toAnswer(options, batch, { prompt, usageMax, completion, attemptId });
    },
    writer: conversationWriter(options, endpoint),
  };
}

/** An unreadable answer counts as an answer without items: each item has failed. */
function toAnswer(options: OpenAiModelOptions, batch: ModelBatch, call: AnsweredCall): ModelAnswer {
  const { log } = options.platform;
  const { text, usage, logFields } = usageOfCall(options, call);
  const entries = readEntries(text);
  if (entries.length === 0) {
    const fields = { ...logFields, items: batch.items.length, characters: text.length };
    log.warn(fields, uselessMessage(call, WITHOUT_ITEMS));
  } else {
    log.info({ ...logFields, items: entries.length }, 'the model answered');
  }
  return { text: batchAnswerText(batch, entries), usage };
}

const WITHOUT_ITEMS = 'the model gave an answer without items';

export function conversationWriter(
  options: OpenAiModelOptions,
  { outputMax, complete }: Pick<EndpointModel, 'outputMax' | 'complete'>,
): ConversationWriter {
  const { digest, log } = options.platform;
  const usageMaxOf = (question: ConversationQuestion): Usage => {
    const { system, user } = conversationPrompt(question, { attemptId: '', digest });
    return {
      inputTokens: inputTokensBound(options.tokens, [system, user]),
      outputTokens: outputMax(question.tokensMax),
    };
  };
  return {
    usageMax: usageMaxOf,
    write: async (question, { attemptId, signal }) => {
      const prompt = conversationPrompt(question, { attemptId, digest });
      const usageMax = usageMaxOf(question);
      const asked = { prompt, schema: null, tokensMax: usageMax.outputTokens };
      const call = { prompt, usageMax, completion: await complete(asked, signal), attemptId };
      const { text, usage, logFields } = usageOfCall(options, call);
      const written = text.replace(THOUGHTS, '').trim();
      // It was paid for, so it counts as an empty text.
      if (written === '') log.warn(logFields, uselessMessage(call, 'the model wrote no text'));
      else log.info(logFields, 'the model wrote about a conversation');
      return { text: written, usage };
    },
  };
}
