/**
 * Gives a language model memory. Before a call, what past sessions and memories say about the
 * newest user message is put in front of it, within a token limit. After the call, the question,
 * tool calls with their results, and the answer are kept as turns of the session. A question that
 * leads to tool calls is kept at once: a loop may end on them, and no answer comes. So is one whose
 * answer was cut short by its reader or by an error.
 *
 * Memory goes into the user's message and never into a system message, since it may quote
 * strangers.
 */
import type { LanguageModelMiddleware } from 'ai';
import type { AgentMemory, Turn, Whose } from '#core/agent-memory/agent-memory.ts';
import type { Words } from '#core/agent-memory/kept-question.ts';
import {
  keepExchange,
  MEMORY_TOOLS,
  notKeptWarning,
  recall,
} from '#core/agent-memory/recall-and-keep.ts';
import { KINDS, optional, required, requireOptions, type Option } from '#core/check-options.ts';
import { shortHash } from '#core/hash.ts';
import { TURN_LENGTH_MAX } from '#core/records/turn.ts';
import { CALLS_MAX, keptArguments, keptResult } from '#core/sessions/kept-tool-calls.ts';

type Hook<Name extends keyof LanguageModelMiddleware> = NonNullable<LanguageModelMiddleware[Name]>;
type CallOptions = Parameters<Hook<'transformParams'>>[0]['params'];
type Content = Awaited<ReturnType<Hook<'wrapGenerate'>>>['content'][number];
type StreamPart =
  Awaited<ReturnType<Hook<'wrapStream'>>>['stream'] extends ReadableStream<infer Part>
    ? Part
    : never;

export interface MemoryMiddlewareOptions {
  /** `await openVarve(…)`, or a client of `varve/client`. */
  readonly varve: AgentMemory;
  readonly tenant: string;
  /** Whose memory it is. */
  readonly identifiers: Whose;
  /** The session under which this conversation is kept. */
  readonly sessionId: string;
  /** Maximum tokens of the memory; by default, the tenant's policy decides. */
  readonly maxTokens?: number;
  /** Whether to keep turns; true if absent. */
  readonly store?: boolean;
  /**
   * Tools whose calls and results are not kept, by default those of `memoryTools` and of Varve's
   * MCP server: their results would stay here after the memory itself was deleted.
   */
  readonly omitTools?: readonly string[];
  /**
   * Receives a failure of Varve; the call then continues without memory, or its turns are not kept.
   * If absent, a failure before the call fails the call, and one after it is only a warning on the
   * console, since the answer was paid for.
   */
  readonly onError?: (error: unknown) => void;
}

type UserMessage = Extract<CallOptions['prompt'][number], { role: 'user' }>;

/** Every option; the type keeps this list complete. */
const OPTIONS: Readonly<Record<keyof MemoryMiddlewareOptions, Option>> = {
  varve: required(KINDS.varve),
  tenant: required(KINDS.text),
  identifiers: required(KINDS.identifiers),
  sessionId: required(KINDS.text),
  maxTokens: optional(KINDS.count),
  store: optional(KINDS.flag),
  omitTools: optional(KINDS.texts),
  onError: optional(KINDS.callback),
};

/** @throws VarveError INVALID_INPUT for an option that is missing, unknown or of another kind */
export function memoryMiddleware(options: MemoryMiddlewareOptions): LanguageModelMiddleware {
  requireOptions(options, OPTIONS);
  /** The user's own words of a prompt to whose message memory was added; keyed by that message. */
  const asked = new WeakMap<UserMessage, string>();
  const questionOf = ({ prompt }: CallOptions): string => {
    const message = prompt.findLast((each) => each.role === 'user');
    return message === undefined ? '' : (asked.get(message) ?? textOf(message.content));
  };
  const omitted = new Set(options.omitTools ?? MEMORY_TOOLS);
  /**
   * Returns the question, its tool calls, and the answer, which may have no words: a filter stopped
   * it, or its tokens went into thinking. Returns nothing without a question.
   */
  const said = (params: CallOptions, answer: string): readonly SaidTurn[] => {
    const question = questionOf(params);
    if (question.trim() === '') return [];
    const since = sinceQuestion(params);
    const turns = [questionTurn(question, firstCallIn(since)), ...toolTurns(since, omitted)];
    return answer.trim() === '' ? turns : [...turns, { role: 'assistant', content: answer }];
  };
  /** Returns the question of a step that ends with its first tool call; nothing of later steps. */
  const asking = (params: CallOptions, callId: string | undefined): readonly SaidTurn[] => {
    const question = questionOf(params);
    const isFirst = firstCallIn(sinceQuestion(params)) === undefined;
    return !isFirst || question.trim() === '' ? [] : [questionTurn(question, callId)];
  };
  /** Returns the question of a stream that was cut short; kept again, it is left as it is. */
  const cutShort = (params: CallOptions): readonly SaidTurn[] => {
    const question = questionOf(params);
    if (question.trim() === '') return [];
    return [questionTurn(question, firstCallIn(sinceQuestion(params)))];
  };
  const called = async <T>(params: CallOptions, call: () => PromiseLike<T>): Promise<T> => {
    try {
      return await call();
    } catch (error) {
      // After any other error, the caller asks again.
      const isAborted = params.abortSignal?.aborted === true;
      if (isAborted) await keep(cutShort(params), params, options).catch(() => undefined);
      throw error;
    }
  };
  return {
    specificationVersion: 'v4',
    async transformParams({ params }) {
      const at = params.prompt.findLastIndex(({ role }) => role === 'user');
      const message = params.prompt[at];
      if (message?.role !== 'user') return params;
      const question = textOf(message.content);
      const memory = await recall(question, options);
      if (memory === '') return params;
      const filled: UserMessage = {
        ...message,
        content: [{ type: 'text', text: memory }, ...message.content],
      };
      asked.set(filled, question);
      return { ...params, prompt: params.prompt.with(at, filled) };
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await called(params, doGenerate);
      const { content, finishReason } = result;
      const turns =
        finishReason.unified === 'tool-calls'
          ? asking(params, content.find((part) => part.type === 'tool-call')?.toolCallId)
          : said(params, textOf(content));
      await keep(turns, params, options);
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await called(params, doStream);
      let answer = '';
      let callId: string | undefined;
      let isKept = false;
      const end = async (turns: readonly SaidTurn[]): Promise<void> => {
        if (isKept) return;
        isKept = true;
        await keep(turns, params, options);
      };
      const seen = async (part: StreamPart): Promise<void> => {
        if (part.type === 'text-delta') answer += part.delta;
        if (part.type === 'tool-call') callId ??= part.toolCallId;
        if (part.type !== 'finish') return;
        const { unified } = part.finishReason;
        if (unified === 'error') return end(cutShort(params));
        return end(unified === 'tool-calls' ? asking(params, callId) : said(params, answer));
      };
      const watched = watch(stream, { seen, ended: () => end(cutShort(params)) });
      return { ...rest, stream: watched };
    },
  };
}

/**
 * Passes a stream on. `seen` gets each part after its reader; `ended` is called at its end, also if
 * it fails or its reader leaves.
 */
function watch(
  stream: ReadableStream<StreamPart>,
  { seen, ended }: { seen: (part: StreamPart) => Promise<void>; ended: () => Promise<void> },
): ReadableStream<StreamPart> {
  const reader = stream.getReader();
  return new ReadableStream<StreamPart>({
    async pull(controller) {
      try {
        const { done, value } = await reader.read();
        if (!done) {
          controller.enqueue(value);
          await seen(value);
          return;
        }
      } catch (error) {
        // First, because the process of a reader that sees the error may end.
        await ended();
        controller.error(error);
        return;
      }
      await ended();
      controller.close();
    },
    async cancel(reason) {
      try {
        await reader.cancel(reason);
      } finally {
        await ended();
      }
    },
  });
}

/** Keeps a question and what followed it; a new answer replaces the one that was kept. */
async function keep(
  said: readonly SaidTurn[],
  { prompt }: Pick<CallOptions, 'prompt'>,
  options: MemoryMiddlewareOptions,
): Promise<void> {
  if (options.store === false) return;
  const turns = said.map((turn) => ({ id: globalThis.crypto.randomUUID(), ...turn }));
  await keepExchange({ turns, before: wordsBefore(prompt) }, { ...options, warn });
}

function warn(error: unknown): void {
  // oxlint-disable-next-line no-console -- the one place to warn that runtimes at the edge have too
  console.warn(notKeptWarning(error));
}

/** Returns what the user and the assistant said before the newest user message. */
function wordsBefore(prompt: CallOptions['prompt']): readonly Words[] {
  const at = prompt.findLastIndex(({ role }) => role === 'user');
  return prompt.slice(0, Math.max(0, at)).flatMap((message) => {
    if (message.role !== 'user' && message.role !== 'assistant') return [];
    const texts = message.content.flatMap((part) => (part.type === 'text' ? [part.text] : []));
    return { role: message.role, text: texts.join('\n') };
  });
}

function textOf(content: readonly (Content | UserMessage['content'][number])[]) {
  return content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

type Params = Parameters<NonNullable<LanguageModelMiddleware['transformParams']>>[0]['params'];
type Message = Params['prompt'][number];
type ResultPart = Extract<
  Extract<Message, { role: 'tool' }>['content'][number],
  { output: unknown }
>;

/** A turn to keep; without an id it gets a random one. */
type SaidTurn = Omit<Turn, 'id'> & Partial<Pick<Turn, 'id'>>;

function sinceQuestion({ prompt }: Params): readonly Message[] {
  return prompt.slice(prompt.findLastIndex(({ role }) => role === 'user') + 1);
}

function firstCallIn(messages: readonly Message[]): string | undefined {
  for (const { role, content } of messages) {
    const call =
      role === 'assistant' ? content.find(({ type }) => type === 'tool-call') : undefined;
    if (call?.type === 'tool-call') return call.toolCallId;
  }
  return undefined;
}

/**
 * Returns the turn of a question. All steps that its first tool call led to know that call, and so
 * give the question the same id: kept again, it is left as it is.
 */
function questionTurn(content: string, firstCallId: string | undefined): SaidTurn {
  // One that is kept in several turns is recognized by its words alone.
  const isLong = content.length > TURN_LENGTH_MAX;
  if (firstCallId === undefined && !isLong) return { role: 'user', content };
  const id = [isLong ? '' : (firstCallId ?? ''), content]
    .map((text) => shortHash(text).toString(36))
    .join('-');
  return { id: `question-${id}`, role: 'user', content };
}

/**
 * Returns tool calls and their results as turns.
 * @param messages the messages after the question
 */
export function toolTurns(
  messages: readonly Message[],
  omitted: ReadonlySet<string>,
): readonly SaidTurn[] {
  return messages.flatMap((message): readonly SaidTurn[] => {
    if (message.role === 'assistant') return callingTurn(message.content, omitted);
    return message.role === 'tool' ? resultTurns(message.content, omitted) : [];
  });
}

function callingTurn(
  parts: Extract<Message, { role: 'assistant' }>['content'],
  omitted: ReadonlySet<string>,
): readonly SaidTurn[] {
  const content = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const calls = parts
    .filter((part) => part.type === 'tool-call')
    .filter(({ toolName }) => !omitted.has(toolName))
    .slice(0, CALLS_MAX);
  if (content.trim() === '' && calls.length === 0) return [];
  const toolCalls = calls.map(({ toolCallId, toolName, input }) => ({
    id: toolCallId,
    name: toolName,
    arguments: keptArguments(input ?? null, calls.length),
  }));
  return [{ role: 'assistant', content, toolCalls }];
}

function resultTurns(
  parts: Extract<Message, { role: 'tool' }>['content'],
  omitted: ReadonlySet<string>,
): readonly SaidTurn[] {
  return parts
    .filter((part) => part.type === 'tool-result')
    .filter(({ toolName }) => !omitted.has(toolName))
    .map(({ toolCallId, toolName, output }) => ({
      role: 'tool',
      speaker: toolName,
      content: keptResult(resultText(output)),
      toolCallId,
    }));
}

function resultText(output: ResultPart['output']): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  if (output.type === 'json' || output.type === 'error-json') return JSON.stringify(output.value);
  if (output.type === 'execution-denied') return `denied: ${output.reason ?? 'no reason given'}`;
  return output.value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}
