/** A tenant's model as the summarizing model of a graph: within its budget and in its ledger. */
import { AIMessage, type BaseMessage } from '@langchain/core/messages';
import { textOf } from '#core/running-summary/message.ts';
import { VarveError } from '#core/errors.ts';
import { KINDS, optional, required, requireOptions, type Option } from '#core/check-options.ts';
import { viewOf } from './messages.ts';
import type { ChatModelLike } from './summarization-options.ts';

/** `conversation` of `openVarve` or of a client of a running API. */
export interface SummarizingConversation {
  summarize(
    input: {
      tenant: string;
      messages: {
        role: 'user' | 'assistant' | 'system' | 'tool';
        speaker?: string;
        content: string;
      }[];
      instruction: string;
      maxTokens?: number;
    },
    /** A client ends its call on the signal; the library can't end a call early. */
    options?: { readonly signal?: AbortSignal },
  ): Promise<{
    readonly text: string;
    readonly model: string;
    readonly inputTokens: number;
    readonly outputTokens: number;
    readonly microDollars: number;
  }>;
}

export interface VarveModelOptions {
  readonly conversation: SummarizingConversation;
  /** The tenant whose models, budget and ledger are used. */
  readonly tenant: string;
  /** Maximum tokens of one answer, 1,024 by default; that many are reserved before each call. */
  readonly maxTokens?: number;
}

const OPTIONS: Readonly<Record<keyof VarveModelOptions, Option>> = {
  conversation: required(KINDS.part),
  tenant: required(KINDS.text),
  maxTokens: optional(KINDS.count),
};

const ROLES: Readonly<Record<string, 'user' | 'assistant' | 'system' | 'tool'>> = {
  user: 'user',
  assistant: 'assistant',
  system: 'system',
  tool: 'tool',
  function: 'tool',
};

/**
 * Returns the `model` for a `SummarizationNode`, the middleware or `summarizeMessages`: the last
 * message is the task, those before it are what was said.
 * @throws VarveError INVALID_INPUT for unknown or missing options; each call throws as
 * `conversation.summarize` does, such as BUDGET_EXHAUSTED
 */
export function varveModel(options: VarveModelOptions): ChatModelLike {
  requireOptions(options, OPTIONS);
  const { conversation, tenant, maxTokens } = options;
  return {
    invoke: async (messages, config) => {
      config?.signal?.throwIfAborted();
      const said = messages.slice(0, -1).map(saidOf);
      const task = messages.at(-1);
      const spoken = said.filter(({ content }) => content.trim() !== '');
      if (task === undefined || spoken.length === 0) throw nothingSaid();
      const asked = {
        tenant,
        messages: spoken,
        instruction: textOf(viewOf(task).content),
        ...(maxTokens === undefined ? {} : { maxTokens }),
      };
      const ending = config?.signal === undefined ? {} : { signal: config.signal };
      const answer = await conversation.summarize(asked, ending);
      const { text, model, inputTokens, outputTokens, microDollars } = answer;
      const response_metadata = { model_name: model, varve_micro_dollars: microDollars };
      // In the form of any chat model of LangChain, for callers that count tokens.
      return Object.assign(new AIMessage({ content: text, response_metadata }), {
        usage_metadata: {
          input_tokens: inputTokens,
          output_tokens: outputTokens,
          total_tokens: inputTokens + outputTokens,
        },
      });
    },
  };
}

type Said = Parameters<SummarizingConversation['summarize']>[0]['messages'][number];

function saidOf(message: BaseMessage): Said {
  const { role, name, content } = viewOf(message);
  const said = { role: ROLES[role] ?? 'user', content: textOf(content) } as const;
  return name === null ? said : { ...said, speaker: name };
}

function nothingSaid(): VarveError {
  const message =
    'There is nothing to summarize: expected messages with words, and the task as the last one. ' +
    'Give the model to a SummarizationNode, the middleware or summarizeMessages.';
  return new VarveError('INVALID_INPUT', message);
}
