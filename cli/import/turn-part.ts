/** The parts that turns of chats and of meetings share: their time and their texts. */
import { CONTENT_LENGTH_MAX } from '#core/records/memory.ts';
import type { Cursor } from './cursor.ts';
import { chunksOf } from '#core/text/chunk.ts';
import type { Place } from './refusal.ts';
import { statedTime } from './time.ts';

const STEP_MILLISECONDS = 1_000;

/** A turn's own time, or one second after that of the turn before it, from the base time on. */
export function turnTime(value: unknown, place: Place, cursor: Cursor): number {
  return statedTime(value, place) ?? cursor.baseTime + cursor.turns * STEP_MILLISECONDS;
}

/** A text as turns hold it: the whole where it fits, which it nearly always does. */
export function turnTexts(text: string): readonly string[] {
  return chunksOf(text, { aim: CONTENT_LENGTH_MAX }).filter((piece) => piece.trim() !== '');
}
