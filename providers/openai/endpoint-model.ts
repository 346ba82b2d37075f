/** What the models of one endpoint share, whatever they are asked. */
import type { SummaryModel } from '#core/ports/model.ts';
import type { OpenAiModelOptions } from './call-usage.ts';
import { chatCalls, type ChatCalls } from './chat-call.ts';

export interface EndpointModel {
  readonly facts: Pick<SummaryModel, 'name' | 'price' | 'inputTokensMax' | 'outputTokensMax'>;
  /**
   * Most tokens that a call may write: those of its answer, and the thoughts before it, as many as
   * are set or as its server has counted.
   */
  readonly outputMax: (answerTokens: number) => number;
  readonly complete: ChatCalls;
}

/** The next thoughts may be longer; an answer that was all thought gets twice the room. */
const THOUGHTS_GROW = 2;

export function endpointModel(options: OpenAiModelOptions): EndpointModel {
  const { model, name = model, price, contextTokens, outputTokensMax, thinkingTokens } = options;
  const complete = chatCalls({ ...options, ...options.platform });
  let thoughtsSeen = 0;
  return {
    facts: {
      name,
      price,
      inputTokensMax: contextTokens - outputTokensMax,
      // Calls are packed by this, and the thoughts come before the answers.
      outputTokensMax: Math.max(0, outputTokensMax - thinkingTokens),
    },
    outputMax: (answerTokens) =>
      Math.min(
        outputTokensMax,
        answerTokens + Math.max(thinkingTokens, thoughtsSeen * THOUGHTS_GROW),
      ),
    complete: async (question, signal) => {
      const completion = await complete(question, signal);
      if (completion.kind === 'Said') {
        thoughtsSeen = Math.max(thoughtsSeen, completion.thoughtTokens);
      }
      return completion;
    },
  };
}
