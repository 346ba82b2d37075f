/** What the models of one endpoint share, whatever they are asked. */
import type { SummaryModel } from '#core/ports/model.ts';
import type { OpenAiModelOptions } from './answered-call.ts';
import { chatCalls, type ChatCalls } from './chat.ts';

export interface EndpointModel {
  readonly facts: Pick<SummaryModel, 'name' | 'price' | 'inputTokensMax' | 'outputTokensMax'>;
  /** Most tokens that a call may write: those of its answer, and the thoughts before it. */
  readonly outputMax: (answerTokens: number) => number;
  readonly complete: ChatCalls;
}

export function endpointModel(options: OpenAiModelOptions): EndpointModel {
  const { model, name = model, price, contextTokens, outputTokensMax, thinkingTokens } = options;
  return {
    facts: {
      name,
      price,
      inputTokensMax: contextTokens - outputTokensMax,
      // Calls are packed by this, and the thoughts come before the answers.
      outputTokensMax: Math.max(0, outputTokensMax - thinkingTokens),
    },
    outputMax: (answerTokens) => Math.min(outputTokensMax, answerTokens + thinkingTokens),
    complete: chatCalls({ ...options, ...options.platform }),
  };
}
