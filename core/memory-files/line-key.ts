/** When two lines say the same: in the same words, or in the same content words. */
import type { Digest } from '../hash.ts';
import { foldedText, plainText } from '../grounding/plain-text.ts';
import { ENGLISH } from '../grounding/lexicon/en.ts';
import { tokensOf } from '../text/token.ts';
import { withoutKeepMark } from './keep-mark.ts';

/** A line without what does not change it: case, width, emphasis, the stop at its end. */
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
 * The content words of a line: stems without function words, numbers, and `not` for any denial.
 * Of scripts without spaces the pairs of neighboring characters, so that lines in them are kept
 * apart and found again like any other.
 */
export function contentWords(text: string): ReadonlySet<string> {
  const words = new Set<string>();
  for (const { kind, lower } of tokensOf(plainText(withoutKeepMark(text)))) {
    if (kind === 'Mark') continue;
    if (UNSPACED.test(lower)) for (const pair of pairsOf(lower)) words.add(pair);
    else if (DENIALS.has(lower) || lower.endsWith("n't")) words.add('not');
    else if (kind === 'Number') words.add(lower.replaceAll(',', ''));
    else if (!ENGLISH.free.has(lower)) words.add(keyOf(lower.replace(/'s?$/u, '')));
  }
  return words;
}

function keyOf(lower: string): string {
  return ENGLISH.plain.get(lower) ?? ENGLISH.stem(lower);
}

function pairsOf(run: string): readonly string[] {
  const signs = Array.from(run);
  return signs.length < 2 ? signs : signs.slice(1).map((sign, at) => `${signs[at] ?? ''}${sign}`);
}

/** Share of the words of one that the other has as well; 0 where there is none. */
export function sharedOf(of: ReadonlySet<string>, other: ReadonlySet<string>): number {
  if (of.size === 0) return 0;
  return of.intersection(other).size / of.size;
}

/** The words of a line in one order, for equality; its key where it has no content word. */
function wordKey(text: string): string {
  const words = [...contentWords(text)].toSorted();
  return words.length === 0 ? lineKey(text) : words.join(' ');
}

/**
 * What is kept of a line that a person deleted: no dream brings it back, in these words or in
 * others of the same content. Two lines of the same words in another order are taken for one.
 */
export function tombstoneOf(digest: Digest, text: string): string {
  return digest(wordKey(text));
}
