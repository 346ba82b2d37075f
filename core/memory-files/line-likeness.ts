/** Decides when two lines say the same: in the same words, or in the same content words. */
import type { Digest } from '../hash.ts';
import { foldedText, plainText } from '../grounding/comparable-text.ts';
import { LEXICONS } from '../grounding/lexicon/lexicon-by-language.ts';
import { tokensOf } from '../text/words-and-marks.ts';
import { pairsOf } from '../text/words.ts';
import { withoutKeepMark } from './keep-mark.ts';

/** Returns a line without differences that don't matter: case, width, emphasis, the final stop. */
export function lineKey(text: string): string {
  return foldedText(withoutKeepMark(text))
    .replaceAll(/[*_`]+(?=\p{L}|\p{N}|\s|$)|(?<=\p{L}|\p{N})[*_`]+/gu, '')
    .replace(/[\s.!。！…;,]+$/u, '')
    .trim();
}

const DENIALS = new Set(
  'not no nor never none without cannot nicht kein keine nie ne pas'.split(' '),
);
const UNSPACED = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]/u;

/**
 * Returns the content words of a line: stems without function words, numbers, and `not` for any
 * negation. For scripts without spaces, returns pairs of neighboring characters, so that their
 * lines can be compared like any other.
 */
export function contentWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { kind, lower } of tokensOf(plainText(withoutKeepMark(text)))) {
    if (kind === 'Mark') continue;
    if (UNSPACED.test(lower)) for (const pair of pairsOf(lower)) words.add(pair);
    else if (DENIALS.has(lower) || lower.endsWith("n't")) words.add('not');
    else if (kind === 'Number') words.add(lower.replaceAll(',', ''));
    else if (!LEXICONS.en.free.has(lower)) words.add(keyOf(lower.replace(/'s?$/u, '')));
  }
  return words;
}

function keyOf(lower: string): string {
  return LEXICONS.en.plain.get(lower) ?? LEXICONS.en.stem(lower);
}

/** Returns the share of one line's words that the other also has; 0 if the line has none. */
export function shareOfWordsIn(of: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (of.size === 0) return 0;
  return of.intersection(other).size / of.size;
}

/**
 * Returns the words of a line in a fixed order, to compare lines; its key if it has no content
 * word.
 */
function wordKey(text: string): string {
  const words = [...contentWords(text)].toSorted();
  return words.length === 0 ? lineKey(text) : words.join(' ');
}

/**
 * Returns the tombstone of a line that a person deleted. No dream brings the line back, in these
 * words or in others with the same content. Two lines with the same words in another order count as
 * one.
 */
export function tombstoneOf(digest: Digest, text: string): string {
  return digest(wordKey(text));
}
