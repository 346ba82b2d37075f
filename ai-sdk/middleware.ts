/**
 * A language model that remembers: before a call, what past sessions and memories say of the newest
 * user message is put in front of it, inside a limit of tokens; after it, question, calls of tools
 * with their results, and answer are kept as turns of the session.
 *
 * Memory goes into the user's message and never in a system message: it may quote strangers.
 */
import type { LanguageModelMiddleware } from 'ai';
import { requireOptions } from './agent-memory.ts';
import type { AgentMemory, Whose, Turn } from './agent-memory.ts';

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
  /** The session that this conversation is kept as. */
  readonly sessionId: string;
  /** Tokens of the memory; what the tenant's policy says where absent. */
  readonly maxTokens?: number;
  /** Whether turns are kept; true where absent. */
  readonly store?: boolean;
  /**
   * Tools of which calls and results are not kept; those of `memoryTools` where absent: what they
   * answered would live on here after it was deleted there.
   */
  readonly omitTools?: readonly string[];
  /**
   * Gets a failure of Varve; the call then goes on without memory, or its turns are not kept.
   * Where absent a failure before the call fails it, and one after it is a warning on the console:
   * the answer was paid for.
   */
  readonly onError?: (error: unknown) => void;
}

type UserMessage = Extract<CallOptions['prompt'][number], { role: 'user' }>;

/** Longer questions are asked about by their beginning. */
const QUERY_LENGTH_MAX = 2_000;
const MEMORY_TOOLS = ['searchMemory', 'addMemory'];

/** Every option, and whether it is required; the type holds this list complete. */
const OPTIONS: Readonly<Record<keyof MemoryMiddlewareOptions, boolean>> = {
  varve: true,
  tenant: true,
  identifiers: true,
  sessionId: true,
  maxTokens: false,
  store: false,
  omitTools: false,
  onError: false,
};

/** @throws VarveError INVALID_INPUT for an option that is missing or not known */
export function memoryMiddleware(options: MemoryMiddlewareOptions): LanguageModelMiddleware {
  requireOptions(options, OPTIONS);
  /** The user's own words of a prompt whose message was filled; keyed by that message. */
  const asked = new WeakMap<UserMessage, string>();
  const questionOf = ({ prompt }: CallOptions): string => {
    const message = prompt.findLast((each) => each.role === 'user');
    return message === undefined ? '' : (asked.get(message) ?? textOf(message.content));
  };
  const omitted = new Set(options.omitTools ?? MEMORY_TOOLS);
  /** The question, what was called for it, and the answer; nothing where a half is missing. */
  const said = (params: CallOptions, answer: string): readonly SaidTurn[] => {
    const question = questionOf(params);
    if (question.trim() === '' || answer.trim() === '') return [];
    const at = params.prompt.findLastIndex(({ role }) => role === 'user');
    return [
      { role: 'user', content: question },
      ...toolTurns(params.prompt.slice(at + 1), omitted),
      { role: 'assistant', content: answer },
    ];
  };
  return {
    specificationVersion: 'v4',
    async transformParams({ params }) {
      const at = params.prompt.findLastIndex(({ role }) => role === 'user');
      const message = params.prompt[at];
      if (message?.role !== 'user') return params;
      const question = textOf(message.content);
      const memory = await memoryOf(question, options);
      if (memory === '') return params;
      const filled: UserMessage = {
        ...message,
        content: [{ type: 'text', text: memory }, ...message.content],
      };
      asked.set(filled, question);
      return { ...params, prompt: params.prompt.with(at, filled) };
    },
    async wrapGenerate({ doGenerate, params }) {
      const result = await doGenerate();
      if (result.finishReason.unified !== 'tool-calls') {
        await keep(said(params, textOf(result.content)), options);
      }
      return result;
    },
    async wrapStream({ doStream, params }) {
      const { stream, ...rest } = await doStream();
      let answer = '';
      const kept = new TransformStream<StreamPart, StreamPart>({
        async transform(part, controller) {
          controller.enqueue(part);
          if (part.type === 'text-delta') answer += part.delta;
          if (part.type === 'finish' && part.finishReason.unified !== 'tool-calls') {
            await keep(said(params, answer), options);
          }
        },
      });
      return { ...rest, stream: stream.pipeThrough(kept) };
    },
  };
}

/** The context without its question, which follows it in the user's own words. */
async function memoryOf(question: string, options: MemoryMiddlewareOptions): Promise<string> {
  const { varve, tenant, identifiers, sessionId, maxTokens, onError } = options;
  const query = question.trim().slice(0, QUERY_LENGTH_MAX).trim();
  if (query === '') return '';
  try {
    const { text } = await varve.context.assemble({
      tenant,
      identifiers: { ...identifiers, sessionId },
      query,
      // The prompt has the messages of this session.
      ownSession: false,
      ...(maxTokens === undefined ? {} : { maxTokens }),
    });
    const tail = `## Question\n${query}`;
    return text.endsWith(tail) ? text.slice(0, -tail.length).trimEnd() : text;
  } catch (error) {
    if (onError === undefined) throw error;
    onError(error);
    return '';
  }
}

/** An answer that is cut short by a filter or an error has no text, and is not kept. */
async function keep(
  said: readonly SaidTurn[],
  { varve, tenant, identifiers, sessionId, store = true, onError = warn }: MemoryMiddlewareOptions,
): Promise<void> {
  if (!store || said.length === 0) return;
  const turns = said.map((turn) => ({ id: globalThis.crypto.randomUUID(), ...turn }));
  try {
    const whose = { ...identifiers };
    await varve.conversation.append({ tenant, sessionId, identifiers: whose, turns });
  } catch (error) {
    onError(error);
  }
}

/** The code alone: a message may come from anywhere. */
function warn(error: unknown): void {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unexpected';
  // oxlint-disable-next-line no-console -- the one place to warn that runtimes at the edge have too
  console.warn(`varve: the turns of this answer were not kept (${code}); set onError to handle it`);
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

/** What was called and answered between a question and its answer, as turns. */
export type SaidTurn = Omit<Turn, 'id'>;

/** Of the JSON of one call, and of all calls of a turn; longer arguments are cut, as text. */
const ARGUMENTS_UNITS_MAX = 4_000;
const CALLS_UNITS_MAX = 20_000;
const CALLS_MAX = 100;
/** Of one answer of a tool; a longer one is kept to here. */
const RESULT_UNITS_MAX = 32_000;

/** @param messages those after the question */
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
  const most = Math.min(
    ARGUMENTS_UNITS_MAX,
    Math.floor(CALLS_UNITS_MAX / Math.max(1, calls.length)),
  );
  const toolCalls = calls.map(({ toolCallId, toolName, input }) => ({
    id: toolCallId,
    name: toolName,
    arguments: argumentsOf(input, most),
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
      content: cut(resultText(output), RESULT_UNITS_MAX),
      toolCallId,
    }));
}

function argumentsOf(input: unknown, most: number): Record<string, unknown> {
  const json = JSON.stringify(input) ?? 'null';
  if (json.length > most) return { cut: cut(json, most) };
  const isFields = typeof input === 'object' && input !== null && !Array.isArray(input);
  return isFields ? { ...input } : { value: input ?? null };
}

function resultText(output: ResultPart['output']): string {
  if (output.type === 'text' || output.type === 'error-text') return output.value;
  if (output.type === 'json' || output.type === 'error-json') return JSON.stringify(output.value);
  if (output.type === 'execution-denied') return `denied: ${output.reason ?? 'no reason given'}`;
  return output.value.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1)}…`.toWellFormed();
}
