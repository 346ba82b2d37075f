/** What was called and answered between a question and its answer, as turns. */
import type { LanguageModelMiddleware } from 'ai';
import type { Turn } from './agent-memory.ts';

type Params = Parameters<NonNullable<LanguageModelMiddleware['transformParams']>>[0]['params'];
type Message = Params['prompt'][number];
type ResultPart = Extract<
  Extract<Message, { role: 'tool' }>['content'][number],
  { output: unknown }
>;

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
