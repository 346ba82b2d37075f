/** A node for LangGraph.js that keeps a conversation within its token limit. */
import {
  coerceMessageLikeToMessage,
  RemoveMessage,
  type BaseMessage,
  type BaseMessageLike,
} from '@langchain/core/messages';
import { Runnable, RunnableLambda, type RunnableConfig } from '@langchain/core/runnables';
import { REMOVE_ALL_MESSAGES } from '@langchain/langgraph';
import { VarveError } from '#core/errors.ts';
import { settingsOf, type Settings, type SummarizationOptions } from './summarization-options.ts';
import { summarizeRound } from './summarize.ts';

export interface SummarizationNodeOptions extends SummarizationOptions {
  /** State key that messages are read from; `messages` by default. */
  readonly inputMessagesKey?: string;
  /**
   * State key that the shorter list is written to; `summarized_messages` by default. The same as
   * the input key rewrites the conversation itself.
   */
  readonly outputMessagesKey?: string;
  /** `summarization` by default. */
  readonly name?: string;
}

type State = Record<string, unknown>;

/**
 * Reads messages from the state, writes the list that fits, and keeps the running summary in
 * `context.running_summary`. The node keeps no state of a thread, so it can serve any number of
 * threads.
 */
export class SummarizationNode extends Runnable<State, State> {
  static override lc_name(): string {
    return 'SummarizationNode';
  }

  lc_namespace = ['varve', 'langgraph'];
  override name: string;
  readonly inputMessagesKey: string;
  readonly outputMessagesKey: string;
  readonly #settings: Settings;

  /** @throws VarveError INVALID_INPUT for options that are not known or can't work */
  constructor(options: SummarizationNodeOptions) {
    super();
    this.#settings = settingsOf(options, ['inputMessagesKey', 'outputMessagesKey', 'name']);
    this.name = options.name ?? 'summarization';
    this.inputMessagesKey = options.inputMessagesKey ?? 'messages';
    this.outputMessagesKey = options.outputMessagesKey ?? 'summarized_messages';
  }

  /** @throws VarveError as `summarizeMessages` does; INVALID_INPUT for a state without messages */
  override async invoke(state: State, config?: Partial<RunnableConfig>): Promise<State> {
    const { messages, context } = this.#read(state);
    const settings = this.#settings;
    const given = config as RunnableConfig | undefined;
    const running = context['running_summary'];
    const result = await summarizeRound(messages, running, { settings, config: given });
    const { runningSummary } = result;
    if (runningSummary === null) return { [this.outputMessagesKey]: result.messages };
    const isRewritten = this.inputMessagesKey === this.outputMessagesKey;
    const remove = isRewritten ? [new RemoveMessage({ id: REMOVE_ALL_MESSAGES })] : [];
    const written: BaseMessage[] = [...remove, ...result.messages];
    await announce(written, given);
    return {
      [this.outputMessagesKey]: written,
      context: { ...context, running_summary: runningSummary },
    };
  }

  /** Resolves when no flush hook is running; for tests and before a process ends. */
  settled(): Promise<void> {
    return this.#settings.flushes.settled();
  }

  #read(state: unknown): { messages: BaseMessage[]; context: State } {
    if (typeof state !== 'object' || state === null) {
      throw new VarveError(
        'INVALID_INPUT',
        `Invalid input type: the state is ${state === null ? 'null' : typeof state}. Expected an ` +
          `object with "${this.inputMessagesKey}".`,
      );
    }
    const { [this.inputMessagesKey]: messages, context } = state as State;
    if (!Array.isArray(messages)) {
      throw new VarveError(
        'INVALID_INPUT',
        `Missing required field "${this.inputMessagesKey}" in the state. Expected a list of ` +
          'messages; set inputMessagesKey to the key that holds them.',
      );
    }
    const read = messages.map((message) => coerceMessageLikeToMessage(message as BaseMessageLike));
    const isState = typeof context === 'object' && context !== null && !Array.isArray(context);
    return { messages: read, context: isState ? (context as State) : {} };
  }
}

/**
 * Keeps summaries and removals out of a stream of messages. A stream shows what a node returns,
 * unless it was among the node's inputs; so a step under the node's own name takes the rewritten
 * list as input.
 */
async function announce(
  messages: readonly BaseMessage[],
  config: RunnableConfig | undefined,
): Promise<void> {
  const node: unknown = config?.metadata?.['langgraph_node'];
  if (typeof node !== 'string' || config?.callbacks === undefined) return;
  await RunnableLambda.from(() => ({})).invoke({ messages }, { ...config, runName: node });
}
