/** Dreams by any endpoint with OpenAI's `/chat/completions`, with answers in plain text. */
import { inputTokensBound } from '#core/budget/input-tokens-bound.ts';
import {
  dreamAnswerTokensMax,
  DREAM_PROMPT_REVISION,
  dreamPrompt,
} from '#core/dreams/dream-prompt.ts';
import { promptedAnswer } from '#core/dreams/parse-dream-answer.ts';
import type { DreamModel, DreamQuestion } from '#core/ports/dream-model.ts';
import type { ModelAnswer } from '#core/ports/model.ts';
import type { Usage } from '#core/records/summary.ts';
import {
  usageOfCall,
  uselessMessage,
  type AnsweredCall,
  type OpenAiModelOptions,
} from './call-usage.ts';
import { endpointModel } from './endpoint-model.ts';

/** Thoughts that reasoning models write before the answer, if the server leaves them in. */
const FINISHED_THOUGHTS = /^\s*<think(?:ing)?>[\s\S]*?<\/think(?:ing)?>/u;

export function createOpenAiDreamModel(options: OpenAiModelOptions): DreamModel {
  const { digest, clock } = options.platform;
  const { facts, outputMax, complete } = endpointModel(options);
  const usageMaxOf = (question: DreamQuestion): Usage => {
    const { system, user } = dreamPrompt(question, { attemptId: '', digest, now: clock() });
    return {
      inputTokens: inputTokensBound(options.tokens, [system, user]),
      outputTokens: outputMax(dreamAnswerTokensMax(question)),
    };
  };
  return {
    ...facts,
    revision: DREAM_PROMPT_REVISION,
    usageMax: usageMaxOf,
    dream: async (question, { attemptId, signal }) => {
      const prompt = dreamPrompt(question, { attemptId, digest, now: clock() });
      const usageMax = usageMaxOf(question);
      const asked = { prompt, schema: null, tokensMax: usageMax.outputTokens };
      const completion = await complete(asked, signal);
      return toAnswer(options, question, { prompt, usageMax, completion, attemptId });
    },
  };
}

/** An answer without `[MEMORY]` was also paid for: it counts as empty. */
function toAnswer(
  options: OpenAiModelOptions,
  question: DreamQuestion,
  call: AnsweredCall,
): ModelAnswer {
  const { completion } = call;
  const { log } = options.platform;
  const { text, usage, logFields } = usageOfCall(options, call);
  const isCut = completion.kind === 'Said' && completion.finish === 'length';
  const answer = promptedAnswer(text.replace(FINISHED_THOUGHTS, ''), question, isCut);
  if (answer === '') {
    const fields = { ...logFields, characters: text.length };
    log.warn(fields, uselessMessage(call, WITHOUT_MEMORY));
  } else {
    log.info({ ...logFields, isCut }, 'the model dreamed');
  }
  return { text: answer, usage };
}

const WITHOUT_MEMORY = 'the model dreamed without a [MEMORY] section';
