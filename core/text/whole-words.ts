/** Searches a text for words that are not part of longer words or numbers. */
import { UNSPACED } from './words.ts';

const LETTER = `(?![${UNSPACED}])[\\p{L}\\p{M}]`;
const NUMERAL = '[\\p{N}一二三四五六七八九十百千万两零]';
/** A place between letters, between digits (also in `1,900` and `5.5`), or between both kinds. */
const INSIDE = new RegExp(
  `(?<=${LETTER})(?=${LETTER}|\\p{N})|(?<=\\p{N})(?=${LETTER})|` +
    `(?<=${NUMERAL})(?=[.,:]?${NUMERAL})|(?<=${NUMERAL}[.,:])(?=${NUMERAL})`,
  'uy',
);

/** Whether a text has whole words: `on Tuesday at ten` has `on Tuesday`, `15 s` has no `5 s`. */
export function containsWholeWords(text: string, words: string): boolean {
  if (words === '') return true;
  for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + 1)) {
    if (!isInside(text, at) && !isInside(text, at + words.length)) return true;
  }
  return false;
}

/** Whether a place of a text is inside a word or a number. */
function isInside(text: string, place: number): boolean {
  INSIDE.lastIndex = place;
  return INSIDE.test(text);
}
