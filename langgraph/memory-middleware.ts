/**
 * Memory as middleware for `createAgent` of LangChain. Before a model call, what earlier threads
 * and memories say about the newest user message is put in front of it, for the model only: the
 * state stays as it is. Each question is kept as a turn while it is answered, so that it is there
 * even if the run ends on an interrupt or a failure; tool calls, results and the answer follow once
 * the agent is done.
 */
import type { BaseMessage } from '@langchain/core/messages';
import type { AgentMiddleware } from 'langchain';
import type { AgentMemory, Turn, Whose } from '#core/agent-memory/agent-memory.ts';
import {
  keepExchange,
  MEMORY_TOOLS,
  notKeptWarning,
  recall,
  type SessionOfAgent,
} from '#core/agent-memory/recall-and-keep.ts';
import { KINDS, optional, required, requireOptions, type Option } from '#core/check-options.ts';
import { VarveError } from '#core/errors.ts';
import { textOf } from '#core/running-summary/message.ts';
import { withIds } from '#core/running-summary/running-summary.ts';
import { markMiddleware } from './mark-middleware.ts';
import { messageOf, toTurns } from './messages-to-turns.ts';
import { identified, isSummaryMessage, viewOf, withMemory } from './messages.ts';
import { sha256 } from './summarization-options.ts';
import { threadOf, type CallOfThread } from './thread-of-call.ts';

export interface MemoryMiddlewareOptions {
  /** `await openVarve(…)`, or a client of `varve/client`. */
  readonly varve: AgentMemory;
  readonly tenant: string;
  /** Whose memory it is; a function gets the thread and the configuration of the run. */
  readonly identifiers:
    | Whose
    | ((run: {
        readonly threadId: string;
        readonly configurable: Readonly<Record<string, unknown>>;
      }) => Whose);
  /** Maximum tokens of the memory; by default, the tenant's policy decides. */
  readonly maxTokens?: number;
  /** Whether to keep turns; true if absent. */
  readonly store?: boolean;
  /**
   * Tools that work with memory, by default those of Varve's MCP server and of `memoryTools`. Their
   * calls and results are not kept: they would stay here after the memory itself was deleted. After
   * a call of one, the model gets a new context.
   */
  readonly omitTools?: readonly string[];
  /**
   * Receives a failure of Varve; the call then continues without memory, or its turns are not kept.
   * If absent, a failure before the call fails the call, and one after it is only a warning of the
   * process, since the answer was paid for.
   */
  readonly onError?: (error: unknown) => void;
  /** `memory` by default. */
  readonly name?: string;
}

/** Every option; the type keeps this list complete. */
const OPTIONS: Readonly<Record<keyof MemoryMiddlewareOptions, Option>> = {
  varve: required(KINDS.varve),
  tenant: required(KINDS.text),
  identifiers: required(KINDS.identifiersOrCallback),
  maxTokens: optional(KINDS.count),
  store: optional(KINDS.flag),
  omitTools: optional(KINDS.texts),
  onError: optional(KINDS.callback),
  name: optional(KINDS.text),
};

/**
 * Creates the middleware. The thread of a run is the session under which it is kept.
 * @throws VarveError INVALID_INPUT for an option that is missing, unknown or of another kind; while
 *   the agent runs, for a run without `thread_id`
 */
export function memoryMiddleware(options: MemoryMiddlewareOptions): AgentMiddleware<undefined> {
  requireOptions(options, OPTIONS);
  const { store = true, maxTokens, omitTools = MEMORY_TOOLS } = options;
  const omitted = new Set(omitTools);
  const running = new WeakMap<BaseMessage, Map<string, Run>>();

  const keep = async (
    { earlier, question, since, before }: Exchange,
    session: SessionOfAgent,
    replaced: readonly string[],
  ): Promise<readonly string[]> => {
    if (!store) return [];
    // Each has the id of its message.
    const turns = toTurns([...earlier, question, ...since], omitted) as readonly Turn[];
    const words = before.flatMap(messageOf).map(({ role, content }) => ({ role, text: content }));
    return keepExchange({ turns, before: words, replaced }, { ...session, warn });
  };
  /** Returns the run that answers a question, with its context; the first step begins it. */
  const runOf = async (exchange: Exchange, session: SessionOfAgent): Promise<Run> => {
    const { question, since } = exchange;
    const runs = running.get(question) ?? new Map<string, Run>();
    running.set(question, runs);
    const calls = since.flatMap((message) => viewOf(message).toolCalls);
    const memoryCalls = calls.filter(({ name }) => omitted.has(name)).length;
    const found = runs.get(keyOf(session));
    if (found?.memoryCalls === memoryCalls) return found;
    const memory = await recall(textOf(viewOf(question).content), { ...session, maxTokens });
    const answered = found?.answered ?? keep(exchange, session, []);
    const run = { memory, memoryCalls, answered };
    runs.set(keyOf(session), run);
    return run;
  };
  return markMiddleware<AgentMiddleware<undefined>>({
    name: options.name ?? 'memory',
    wrapModelCall: async (request, handler) => {
      const session = sessionOf(request.runtime, options);
      const exchange = exchangeOf(request.state.messages);
      if (exchange === null) return handler(request);
      const { question } = exchange;
      const { memory, answered } = await runOf(exchange, session);
      try {
        return await handler({
          ...request,
          messages: withContext(request.messages, question, memory),
        });
      } catch (error) {
        running.get(question)?.delete(keyOf(session));
        throw error;
      } finally {
        await answered;
      }
    },
    afterAgent: async ({ messages }, runtime) => {
      const exchange = exchangeOf(messages);
      if (exchange === null) return;
      const session = sessionOf(runtime, options);
      const runs = running.get(exchange.question);
      const answered = await runs?.get(keyOf(session))?.answered;
      runs?.delete(keyOf(session));
      await keep(exchange, session, answered ?? []);
    },
  });
}

/** The steps that answer a question. They share a context. */
interface Run {
  readonly memory: string;
  /** Calls of memory tools before the context was assembled. */
  readonly memoryCalls: number;
  /** The turns of an earlier answer, once the question is kept. */
  readonly answered: Promise<readonly string[]>;
}

/** A program may pass the same message to several threads. */
function keyOf({ sessionId, identifiers }: SessionOfAgent): string {
  return JSON.stringify([sessionId, identifiers]);
}

/** @throws VarveError INVALID_INPUT without a thread, or for what names nobody */
function sessionOf(
  call: CallOfThread,
  { varve, tenant, identifiers, onError }: MemoryMiddlewareOptions,
): SessionOfAgent {
  const sessionId = threadOf(call);
  if (sessionId === null) {
    throw new VarveError(
      'INVALID_INPUT',
      'configurable.thread_id: expected the id of a thread, under which the conversation is ' +
        'kept, found none; invoke the agent with { configurable: { thread_id } }.',
      { details: { field: 'configurable.thread_id' } },
    );
  }
  const whose =
    typeof identifiers === 'function'
      ? identifiers({ threadId: sessionId, configurable: { ...call.configurable } })
      : identifiers;
  requireOptions({ identifiers: whose }, { identifiers: required(KINDS.identifiers) });
  return { varve, tenant, identifiers: whose, sessionId, onError };
}

/** The newest question of a thread, and what is around it. */
interface Exchange {
  /** All that was said before the question. */
  readonly before: readonly BaseMessage[];
  /** The last of it, which has no answer: other messages of the user, or a run that ended early. */
  readonly earlier: readonly BaseMessage[];
  readonly question: BaseMessage;
  /** Tool calls, results and the answer. */
  readonly since: readonly BaseMessage[];
}

function exchangeOf(given: readonly BaseMessage[]): Exchange | null {
  const ids = withIds(given.map(viewOf), sha256);
  const messages = given.map((message, at) => identified(message, ids[at]?.id ?? ''));
  const at = messages.findLastIndex(isQuestion);
  const question = messages[at];
  if (question === undefined) return null;
  const before = messages.slice(0, at);
  const answered = before.findLastIndex((message) => {
    const { role, toolCalls } = viewOf(message);
    return role === 'assistant' && toolCalls.length === 0;
  });
  return { before, earlier: before.slice(answered + 1), question, since: messages.slice(at + 1) };
}

function isQuestion(message: BaseMessage): boolean {
  return viewOf(message).role === 'user' && !isSummaryMessage(message);
}

/** Returns the messages of a request with memory in front of the question. */
function withContext(
  messages: readonly BaseMessage[],
  question: BaseMessage,
  memory: string,
): BaseMessage[] {
  const same = messages.findLastIndex(({ id }) => id === question.id);
  // Other middleware may have replaced it.
  const at = same === -1 ? messages.findLastIndex(isQuestion) : same;
  const message = messages[at];
  if (memory === '' || message === undefined) return [...messages];
  return messages.with(at, withMemory(message, memory));
}

function warn(error: unknown): void {
  process.emitWarning(notKeptWarning(error));
}
