/**
 * Splits a long turn into parts that stores can hold, linked by their ids. The first part has the
 * id of the turn, so that the same turn sent again is recognized. Tool calls follow the text as
 * words, so that readers and searches find them. Also finds turns that are longer than people
 * speak, such as pasted documents, whole or in stored parts.
 */
import { CONTENT_LENGTH_MAX } from '../records/memory.ts';
import { TEXT_PARTS_MAX, type ToolCall, type Turn } from '../records/turn.ts';
import { chunksOf } from '../text/cut-long-text.ts';
import { callText } from '../running-summary/message.ts';

/** One more for tool calls that don't fit after the text. */
export const PARTS_MAX = TEXT_PARTS_MAX + 1;

type TurnPart = Pick<Turn, 'id' | 'content' | 'saidUnits' | 'toolCalls'>;

/**
 * Cuts between paragraphs, sentences or words; returns nothing for a turn without text and calls.
 */
export function turnParts(
  id: string,
  text: string,
  toolCalls: readonly ToolCall[] = [],
): readonly TurnPart[] {
  const said = chunksOf(text, { aim: CONTENT_LENGTH_MAX }).filter((each) => each.trim() !== '');
  const parts = said.map((content) => ({ content, saidUnits: null, toolCalls: [] }));
  if (toolCalls.length === 0) return parts.map((part, place) => withId(id, place, part));
  const calls = callsText(toolCalls);
  const last = said.at(-1) ?? '';
  const isRoom = last !== '' && last.length + 1 + calls.length <= CONTENT_LENGTH_MAX;
  const calling = {
    content: isRoom ? `${last}\n${calls}` : calls,
    saidUnits: isRoom ? last.length : 0,
    toolCalls: [...toolCalls],
  };
  const before = isRoom ? parts.slice(0, -1) : parts;
  return [...before, calling].map((part, place) => withId(id, place, part));
}

export function callsText(toolCalls: readonly ToolCall[]): string {
  return toolCalls.map((call) => callText(call.name, call.arguments)).join('\n');
}

/** Returns what was said in a turn, without its tool calls. */
export function saidIn({ content, saidUnits }: Pick<Turn, 'content' | 'saidUnits'>): string {
  return saidUnits === null ? content : content.slice(0, saidUnits);
}

/** Returns the ids of all parts that a turn may have. */
export function partIds(id: string): readonly string[] {
  return Array.from({ length: PARTS_MAX }, (_, place) => partId(id, place));
}

function withId(id: string, place: number, part: Omit<TurnPart, 'id'>): TurnPart {
  return { ...part, id: partId(id, place) };
}

const PART = /\/part-\d+$/u;

/** Returns the id of the turn that a part belongs to; for a whole turn, its own id. */
export function turnOfPart(id: string): string {
  return id.replace(PART, '');
}

/** A turn that its caller names like a part of another turn. */
interface NamedPart {
  /** Its place in the call, from 0. */
  readonly place: number;
  readonly id: string;
  /** The turn that it would be a part of. */
  readonly turnId: string;
  /** False if no turn has such a part: its number or its text is above what parts have. */
  readonly canBePart: boolean;
  /** Whether that turn is before it in the call. */
  readonly isAfterTurn: boolean;
}

/** Returns the turns of a call whose ids are those of parts: parts that were read or imported. */
export function namedParts(
  turns: readonly { readonly id?: string | undefined; readonly content: string }[],
): readonly NamedPart[] {
  const before = new Set<string>();
  return turns.flatMap(({ id = '', content }, place) => {
    before.add(id);
    const turnId = turnOfPart(id);
    if (turnId === id) return [];
    const canBePart =
      partIds(turnId).includes(id) &&
      turnOfPart(turnId) === turnId &&
      content.length <= CONTENT_LENGTH_MAX;
    return [{ place, id, turnId, canBePart, isAfterTurn: before.has(turnId) }];
  });
}

/** Returns the id of a part; the first has that of its turn. */
export function partId(id: string, place: number): string {
  return place === 0 ? id : `${id}/part-${String(place + 1)}`;
}

interface SaidText {
  readonly id: string;
  readonly text: string;
  /** The most letters of a turn that is not long. */
  readonly lettersMax: number;
}

/** A character of Chinese, Japanese or Korean says about as much as this many letters. */
const LETTERS_PER_CJK_CHARACTER = 3;
const CJK_CHARACTER = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/gu;

/** Returns for each text the id of its long turn; null if its turn is not long. */
export function longTurns(texts: readonly SaidText[]): readonly (string | null)[] {
  const lengths = new Map<string, number>();
  for (const { id, text } of texts) {
    const turn = turnOfPart(id);
    lengths.set(turn, (lengths.get(turn) ?? 0) + lettersIn(text));
  }
  return texts.map(({ id, lettersMax }) => {
    const turn = turnOfPart(id);
    return (lengths.get(turn) ?? 0) > lettersMax ? turn : null;
  });
}

export function lettersIn(text: string): number {
  return text.length + (LETTERS_PER_CJK_CHARACTER - 1) * (text.match(CJK_CHARACTER) ?? []).length;
}
