/** Lines of MEMORY.md compared: which say the same, and which take the place of which. */
import type { DocumentLine } from '../records/document.ts';
import { saysOtherwise } from '../search/conflicts.ts';
import { contentWords, lineKey, sharedOf, wordKey } from '../tiers/line-key.ts';

/** From this share of shared words, both ways, two lines say the same. */
const SAME_SHARE_MIN = 0.8;
/** A line that takes the place of another is about the same thing: it keeps so much of it. */
const REPLACED_SHARE_MIN = 0.4;

/** A line read once. */
export interface ReadLine {
  readonly text: string;
  readonly key: string;
  readonly wordKey: string;
  readonly words: ReadonlySet<string>;
}

export interface KnownLine {
  readonly line: DocumentLine;
  readonly read: ReadLine;
}

export function readLine(text: string): ReadLine {
  return { text, key: lineKey(text), wordKey: wordKey(text), words: contentWords(text) };
}

/** Other words for the same: no ground to write a line anew. */
export function isSame(one: ReadLine, other: ReadLine): boolean {
  if (one.key === other.key) return true;
  if (Math.min(sharedOf(one.words, other.words), sharedOf(other.words, one.words)) < SAME_SHARE_MIN)
    return false;
  return !saysOtherwise(one.text, other.text);
}

/** Whether all that one line says stands in another, among other things. */
export function isHeld(line: ReadLine, by: ReadLine): boolean {
  if (isSame(line, by)) return true;
  if (line.words.has('not') !== by.words.has('not')) return false;
  return line.words.size > 0 && line.words.isSubsetOf(by.words);
}

/** Whether a line that cites another is about the same thing, so that it may replace it. */
export function mayReplace(line: ReadLine, by: ReadLine): boolean {
  return sharedOf(line.words, by.words) >= REPLACED_SHARE_MIN;
}
