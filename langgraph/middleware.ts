/**
 * The running summary as middleware for `createAgent` of LangChain. The conversation in the state
 * stays whole; only the agent's model reads a shorter one.
 */
import type { AgentMiddleware } from 'langchain';
import { z } from 'zod';
import { fillTemplate } from '#core/running-summary/running-summary-prompts.ts';
import { viewOf } from './messages.ts';
import { settingsOf, type SummarizationOptions } from './summarization-options.ts';
import { summarizeRound, viewWindow } from './summarize.ts';

/** `context.running_summary`, in the form in which the node keeps it. */
const SummaryState = z.object({ context: z.record(z.string(), z.unknown()).optional() });

/**
 * `createMiddleware` marks its results this way; set here, so that `langchain` stays an optional
 * package.
 */
const BRAND = Symbol.for('AgentMiddleware');

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
  const middleware: SummarizationMiddleware = {
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
      const view = await viewWindow(request.messages, running, settings);
      if (view.runningSummary === null) return handler(request);
      const text = fillTemplate(settings.finalPrompt, { summary: view.runningSummary.summary });
      const isEmpty = request.systemMessage.text === '';
      const messages = view.messages.filter((message) => !viewOf(message).isSummary);
      return handler({
        ...request,
        systemMessage: request.systemMessage.concat(isEmpty ? text : `\n\n${text}`),
        messages,
      });
    },
    settled: () => settings.flushes.settled(),
  };
  Object.defineProperty(middleware, BRAND, { value: true, enumerable: true });
  return middleware;
}
