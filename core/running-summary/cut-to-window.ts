/** Splits the input of the summarizing model into portions that fit its window. */
import type { ConversationMessage } from './message.ts';
import { continuesAfter } from '../text/sentences.ts';
import { toolSpans } from './tool-spans.ts';

/** Messages that stay together in one portion, by position. */
interface Unit {
  readonly at: readonly number[];
  readonly tokens: number;
}

/** Returns single messages and whole tool groups, in order. */
export function groupToolMessages(
  messages: readonly ConversationMessage[],
  tokens: readonly number[],
): readonly Unit[] {
  const ends = new Map(toolSpans(messages).map(({ first, last }) => [first, last]));
  const units: Unit[] = [];
  for (let at = 0; at < messages.length;) {
    const end = ends.get(at) ?? at;
    const places = Array.from({ length: end - at + 1 }, (_, step) => at + step);
    units.push({
      at: places,
      tokens: places.reduce((total, place) => total + (tokens[place] ?? 0), 0),
    });
    at = end + 1;
  }
  return units;
}

/**
 * Returns the newest messages within a limit, beginning with a user message, as the reference does
 * with a list that is too long. Empty if there are none.
 */
export function newestWithin(
  messages: readonly ConversationMessage[],
  tokens: readonly number[],
  limit: number,
): readonly number[] {
  let first = messages.length;
  let total = 0;
  while (first > 0 && total + (tokens[first - 1] ?? 0) <= limit) {
    first -= 1;
    total += tokens[first] ?? 0;
  }
  const begin = messages.findIndex(({ role }, at) => at >= first && role === 'user');
  return begin < 0 ? [] : messages.flatMap((_, at) => (at >= begin ? [at] : []));
}

/** Where a text may be split, best first. */
const BORDERS = [/\n{2,}/gu, /\n/gu, /(?<=[.!?。！？])\s*/gu, /\s+/gu];
/** The split is searched for in this last part of a chunk. */
const LOOKED_BACK = 0.3;

/**
 * Splits a text into about `count` chunks: at paragraphs, lines, sentences or words if possible,
 * and never inside a surrogate pair. The joined chunks are the text.
 */
export function splitInto(text: string, count: number): readonly string[] {
  const units = Math.max(1, Math.ceil(text.length / count));
  const chunks: string[] = [];
  let start = 0;
  while (text.length - start > units) {
    const end = cutBefore(text, start, start + units);
    chunks.push(text.slice(start, end));
    start = end;
  }
  chunks.push(text.slice(start));
  return chunks;
}

function cutBefore(text: string, start: number, end: number): number {
  const from = end - Math.max(1, Math.floor((end - start) * LOOKED_BACK));
  const searched = text.slice(from, end);
  for (const border of BORDERS) {
    const at = [...searched.matchAll(border)]
      .map(({ 0: found, index }) => from + index + found.length)
      .findLast((end) => end === text.length || !continuesAfter(text, end));
    if (at !== undefined && at > start && at < text.length) return at;
  }
  return outsidePair(text, start, end);
}

function outsidePair(text: string, start: number, end: number): number {
  const unit = text.charCodeAt(end);
  const isInside = unit >= 0xdc00 && unit <= 0xdfff;
  if (!isInside) return end;
  return end - 1 > start ? end - 1 : end + 1;
}

/**
 * Returns where a text may end: after each sentence or line, and after each word; both in order.
 */
export function endsOf(text: string): { sentences: readonly number[]; words: readonly number[] } {
  const ends = (border: RegExp): readonly number[] =>
    [...text.matchAll(border)].map(({ 0: found, index }) => index + found.length);
  return {
    sentences: ends(/[.!?](?=\s|$)|[。！？]|[^\n](?=\n)/gu).filter(
      (end) => !continuesAfter(text, end),
    ),
    words: ends(/\S+(?=\s|$)|\p{Script=Han}/gu),
  };
}
