/** Calls of tools and what they returned, in messages as OpenAI and Anthropic write them. */
import { z } from 'zod';
import { isRecord } from '#core/is-record.ts';
import type { ToolCall } from '#core/records/turn.ts';
import { CALLS_MAX, keptArguments } from '#core/sessions/kept-tool-calls.ts';

/** One part of a message; parts without text are images, calls, results and the like. */
const Part = z.looseObject({ type: z.string(), text: z.string().optional() });

export const Content = z.union([z.string(), z.array(Part), z.null()]);
export type Content = z.infer<typeof Content>;

const Call = z.looseObject({ id: z.string().nullish() });

/** The fields of a message that has calls or is a result in the format of OpenAI. */
export const CALLING = {
  tool_calls: z.array(Call).nullish(),
  /** A call of earlier versions. */
  function_call: Call.nullish(),
  tool_call_id: z.string().nullish(),
};

/** Returns the text of a message or a result, without its other parts. */
export function textOf(content: Content): string {
  if (typeof content === 'string') return content;
  return (content ?? []).flatMap(({ text }) => (text === undefined ? [] : [text])).join('\n\n');
}

/** Returns the calls of a message that name a tool, at most `CALLS_MAX`, with arguments as kept. */
export function callsOf({
  content = null,
  tool_calls,
  function_call,
}: {
  readonly content?: Content | undefined;
  readonly tool_calls?: readonly z.infer<typeof Call>[] | null | undefined;
  readonly function_call?: z.infer<typeof Call> | null | undefined;
}): readonly ToolCall[] {
  const inFields = [...(tool_calls ?? []), ...(function_call == null ? [] : [function_call])];
  const called = [...inFields, ...partsOfType(content, 'tool_use')]
    .map(({ id, ...call }) => ({ id, tool: toolIn(call) }))
    .flatMap(({ id, tool: { name, ...tool } }) =>
      typeof name === 'string' && name !== '' ? [{ id, name, args: argumentsIn(tool) }] : [],
    )
    .slice(0, CALLS_MAX);
  return called.map(({ id, name, args }, place) => ({
    id: typeof id === 'string' && id !== '' ? id : `call-${String(place + 1)}`,
    name,
    arguments: keptArguments(args, called.length),
  }));
}

/** What a tool returned for a call. */
interface Result {
  readonly toolCallId: string;
  readonly text: string;
}

const ResultPart = z.looseObject({ tool_use_id: z.string(), content: Content.default(null) });

/** Returns the results within a message of a user, as Anthropic writes them. */
export function resultsOf(content: Content): readonly Result[] {
  return partsOfType(content, 'tool_result').flatMap((part) => {
    const { data } = ResultPart.safeParse(part);
    return data === undefined ? [] : [{ toolCallId: data.tool_use_id, text: textOf(data.content) }];
  });
}

function partsOfType(content: Content, type: string): readonly z.infer<typeof Part>[] {
  return typeof content === 'string' ? [] : (content ?? []).filter((part) => part.type === type);
}

/** OpenAI names the tool within the call, Anthropic beside it. */
function toolIn(call: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return [call['function'], call['custom']].find(isRecord) ?? call;
}

/** OpenAI writes arguments as JSON in a text. */
function argumentsIn(tool: Readonly<Record<string, unknown>>): unknown {
  const args = tool['arguments'] ?? tool['input'] ?? {};
  if (typeof args !== 'string') return args;
  try {
    return args.trim() === '' ? {} : JSON.parse(args);
  } catch (error) {
    if (error instanceof SyntaxError) return args;
    throw error;
  }
}
