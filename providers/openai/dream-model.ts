/** Dreams by any endpoint that speaks OpenAI's `/chat/completions`, answered in plain text. */
import {
  dreamAnswerTokensMax,
  DREAM_PROMPT_REVISION,
  dreamPrompt,
} from '#core/dreams/dream-prompt.ts';
import { promptedAnswer } from '#core/dreams/prompted-answer.ts';
import type { DreamModel, DreamQuestion } from '#core/ports/dream-model.ts';
import type { ModelAnswer } from '#core/ports/model.ts';
import {
  inputTokensBound,
  settledCall,
  uselessMessage,
  type AnsweredCall,
  type OpenAiModelOptions,
} from './answered-call.ts';
import { endpointModel } from './endpoint-model.ts';

/** What reasoning models write before their answer, where their server leaves it in. */
const THOUGHTS = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/u;

export function createOpenAiDreamModel(options: OpenAiModelOptions): DreamModel {
  const { digest } = options.platform;
  const { facts, outputMax, complete } = endpointModel(options);
  return {
    ...facts,
    revision: DREAM_PROMPT_REVISION,
    bounds: (question) => {
      const { system, user } = dreamPrompt(question, { attemptId: '', digest });
      return {
        inputTokens: inputTokensBound([system, user]),
        outputTokens: outputMax(dreamAnswerTokensMax(question)),
      };
    },
    dream: async (question, { attemptId, signal }) => {
      const prompt = dreamPrompt(question, { attemptId, digest });
      const tokensMax = outputMax(dreamAnswerTokensMax(question));
      const completion = await complete({ prompt, schema: null, tokensMax }, signal);
      return toAnswer(options, question, { prompt, tokensMax, completion, attemptId });
    },
  };
}

/** An answer without `[MEMORY]` was paid for all the same: it is an empty one. */
function toAnswer(
  options: OpenAiModelOptions,
  question: DreamQuestion,
  call: AnsweredCall,
): ModelAnswer {
  const { completion } = call;
  const { log } = options.platform;
  const { text, usage, told } = settledCall(options, call);
  const isCut = completion.kind === 'Said' && completion.finish === 'length';
  const answer = promptedAnswer(text.replace(THOUGHTS, ''), question, isCut);
  if (answer === '') {
    const fields = { ...told, characters: text.length };
    log.warn(fields, uselessMessage(call, WITHOUT_MEMORY));
  } else {
    log.info({ ...told, isCut }, 'the model dreamed');
  }
  return { text: answer, usage };
}

const WITHOUT_MEMORY = 'the model dreamed without a [MEMORY] section';
