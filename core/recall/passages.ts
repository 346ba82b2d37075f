/**
 * Splits a turn into passages: sentences, short ones joined with the one before, code blocks
 * whole. A fact takes one or two sentences, and its turn is often four times as long.
 */
import { sentencesOf } from '../retention/sentence.ts';

/** Maximum length of a sentence that says little alone, such as "Noted." */
const SHORT_UNITS_MAX = 14;
/** The same for scripts whose words have one or two characters. */
const SHORT_HAN_UNITS_MAX = 5;

/** A longer passage is cut at a space, so that one endless run does not fill a context. */
const PASSAGE_UNITS_MAX = 1_200;

/** Maximum passages of one turn; search by words does not find the text beyond. */
export const PASSAGES_MAX = 400;

const CODE = /```[\s\S]*?(?:```|$)/gu;
const HAN = /\p{Script=Han}/u;
/** Endings that do not end a sentence. */
const ABBREVIATED = /(?:^|[\s(])(?:Dr|Mr|Mrs|Ms|St|Prof|Nr|ca|bzw|z\. ?B|d\. ?h|Sra?|\d{1,2})\.$/u;

/** Returns the passages in order, each trimmed, nonempty, and with its line breaks. */
export function passagesOf(text: string): readonly string[] {
  const passages: string[] = [];
  let from = 0;
  for (const block of text.matchAll(CODE)) {
    addSentences(passages, text.slice(from, block.index));
    passages.push(...pieces(block[0].trim()));
    from = block.index + block[0].length;
  }
  addSentences(passages, text.slice(from));
  return passages.slice(0, PASSAGES_MAX);
}

function addSentences(passages: string[], text: string): void {
  let last: string | null = null;
  for (const sentence of sentencesOf(text)) {
    const joined: string = last === null ? sentence : `${last} ${sentence}`;
    const isOne = last !== null && (isShort(sentence) || isShort(last) || ABBREVIATED.test(last));
    if (isOne && joined.length <= PASSAGE_UNITS_MAX) passages[passages.length - 1] = joined;
    else passages.push(...pieces(sentence));
    last = passages.at(-1) ?? null;
  }
}

function isShort(sentence: string): boolean {
  return sentence.length < (HAN.test(sentence) ? SHORT_HAN_UNITS_MAX : SHORT_UNITS_MAX);
}

function pieces(text: string): readonly string[] {
  const found: string[] = [];
  let rest = text;
  while (rest.length > PASSAGE_UNITS_MAX) {
    const end = cutBefore(rest, PASSAGE_UNITS_MAX);
    found.push(rest.slice(0, end).trim());
    rest = rest.slice(end).trim();
  }
  if (rest !== '') found.push(rest);
  return found;
}

/** Returns a cut at a space in the second half, or anywhere but inside a surrogate pair. */
function cutBefore(text: string, most: number): number {
  const space = text.lastIndexOf(' ', most);
  if (space > most / 2) return space;
  return /[\uDC00-\uDFFF]/u.test(text.charAt(most)) ? most - 1 : most;
}
