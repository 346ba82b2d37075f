/** What all models of an endpoint share, for summaries and dreams. */
import type { SummaryModel } from '#core/ports/model.ts';
import type { OpenAiModelOptions } from './call-usage.ts';
import { chatCalls, type ChatCalls } from './chat-call.ts';

export interface EndpointModel {
  readonly facts: Pick<SummaryModel, 'name' | 'price' | 'inputTokensMax' | 'outputTokensMax'>;
  /**
   * Maximum output tokens of a call: those of its answer, plus those of thoughts, as many as are
   * set or as the server has counted.
   */
  readonly outputMax: (answerTokens: number) => number;
  readonly complete: ChatCalls;
}

/** The next thoughts may be longer; after an answer of thoughts only, the room doubles. */
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
      // Calls are packed by this, so leave room for the thoughts before the answers.
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
