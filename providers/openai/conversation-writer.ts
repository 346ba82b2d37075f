/** Text about a conversation by any endpoint that speaks OpenAI's `/chat/completions`. */
import type { ConversationQuestion, ConversationWriter } from '#core/ports/model.ts';
import { conversationPrompt } from '#core/prompt/conversation-prompt.ts';
import type { Usage } from '#core/records/summary.ts';
import {
  inputTokensBound,
  settledCall,
  THOUGHTS,
  uselessMessage,
  type OpenAiModelOptions,
} from './answered-call.ts';
import type { EndpointModel } from './endpoint-model.ts';

export function conversationWriter(
  options: OpenAiModelOptions,
  { outputMax, complete }: Pick<EndpointModel, 'outputMax' | 'complete'>,
): ConversationWriter {
  const { digest, log } = options.platform;
  const boundsOf = (question: ConversationQuestion): Usage => {
    const { system, user } = conversationPrompt(question, { attemptId: '', digest });
    return {
      inputTokens: inputTokensBound(options.tokens, [system, user]),
      outputTokens: outputMax(question.tokensMax),
    };
  };
  return {
    bounds: boundsOf,
    write: async (question, { attemptId, signal }) => {
      const prompt = conversationPrompt(question, { attemptId, digest });
      const bounds = boundsOf(question);
      const asked = { prompt, schema: null, tokensMax: bounds.outputTokens };
      const call = { prompt, bounds, completion: await complete(asked, signal), attemptId };
      const { text, usage, logFields } = settledCall(options, call);
      const written = text.replace(THOUGHTS, '').trim();
      // It was paid for all the same: it is an empty text.
      if (written === '') log.warn(logFields, uselessMessage(call, 'the model wrote no text'));
      else log.info(logFields, 'the model wrote about a conversation');
      return { text: written, usage };
    },
  };
}
