/**
 * A long turn as turns that stores hold: its parts one after the other, linked by their ids. The
 * first has the id of the turn, so that the turn sent again is known.
 */
import { CONTENT_LENGTH_MAX } from '../records/memory.ts';
import { chunksOf } from '../text/chunk.ts';

/** Two parts next to each other are longer than the longest content of one. */
export const PARTS_MAX = 16;

/** Of one turn, in UTF-16 code units. */
export const TURN_LENGTH_MAX = (PARTS_MAX / 2) * CONTENT_LENGTH_MAX;

export interface TurnPart {
  readonly id: string;
  readonly content: string;
}

/** Cut between paragraphs, sentences or words; nothing for a text without words. */
export function turnParts(id: string, text: string): readonly TurnPart[] {
  return chunksOf(text, { aim: CONTENT_LENGTH_MAX })
    .filter((content) => content.trim() !== '')
    .map((content, place) => ({ id: partId(id, place), content }));
}

/** Ids of all the parts that a turn may have. */
export function partIds(id: string): readonly string[] {
  return Array.from({ length: PARTS_MAX }, (_, place) => partId(id, place));
}

function partId(id: string, place: number): string {
  return place === 0 ? id : `${id}/part-${String(place + 1)}`;
}
