/**
 * The running summary as middleware for `createAgent` of LangChain. The conversation in the state
 * stays whole; only the agent's model reads a shorter one.
 */
import type { BaseMessage } from '@langchain/core/messages';
import type { AgentMiddleware } from 'langchain';
import { z } from 'zod';
import { fillTemplate } from '#core/running-summary/running-summary-prompts.ts';
import { markMiddleware } from './mark-middleware.ts';
import { viewOf } from './messages.ts';
import { settingsOf, type SummarizationOptions } from './summarization-options.ts';
import { summarizeRound, viewWindow } from './summarize.ts';

/** `context.running_summary`, in the form in which the node keeps it. */
const SummaryState = z.object({ context: z.record(z.string(), z.unknown()).optional() });

export interface SummarizationMiddleware extends AgentMiddleware<typeof SummaryState> {
  /** Resolves when no flush hook is running; for tests and before a process ends. */
  settled(): Promise<void>;
}

export interface SummarizationMiddlewareOptions extends SummarizationOptions {
  /** `summarization` by default. */
  readonly name?: string;
}

/**
 * Before each model call, summarizes what no longer fits. The model gets the summary, in its system
 * message, and the messages since. The limits count the messages of the state; leave room for the
 * system prompt and the tools.
 * @throws VarveError as `summarizeMessages` does, while the agent runs
 */
export function summarizationMiddleware(
  options: SummarizationMiddlewareOptions,
): SummarizationMiddleware {
  const settings = settingsOf(options, ['name']);
  return markMiddleware<SummarizationMiddleware>({
    name: options.name ?? 'summarization',
    stateSchema: SummaryState,
    beforeModel: async (state, runtime) => {
      const context = state.context ?? {};
      const config = {
        configurable: { ...runtime.configurable },
        ...(runtime.signal === undefined ? {} : { signal: runtime.signal }),
      };
      const result = await summarizeRound(state.messages, context['running_summary'], {
        settings,
        config,
      });
      if (result.summarizedMessages.length === 0) return undefined;
      return { context: { ...context, running_summary: result.runningSummary } };
    },
    wrapModelCall: async (request, handler) => {
      const running = request.state.context?.['running_summary'];
      // The limits count the messages of the state, not what other middleware adds to them.
      const [own, given] = [request.state.messages, request.messages].map(byId);
      const counted = request.messages.map((message) => own?.get(message.id) ?? message);
      const view = await viewWindow(counted, running, settings);
      if (view.runningSummary === null) return handler(request);
      const text = fillTemplate(settings.finalPrompt, { summary: view.runningSummary.summary });
      const isEmpty = request.systemMessage.text === '';
      const messages = view.messages
        .filter((message) => !viewOf(message).isSummary)
        .map((message) => given?.get(message.id) ?? message);
      return handler({
        ...request,
        systemMessage: request.systemMessage.concat(isEmpty ? text : `\n\n${text}`),
        messages,
      });
    },
    settled: () => settings.flushes.settled(),
  });
}

function byId(messages: readonly BaseMessage[]): ReadonlyMap<unknown, BaseMessage> {
  return new Map(messages.flatMap((each) => (each.id === undefined ? [] : [[each.id, each]])));
}
