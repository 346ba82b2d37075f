/** Counts texts that are nearly the same, such as a request that is made every day. */
import { once } from '../../once.ts';

/** Of near duplicates, this many keep their rank; further ones come after all other texts. */
export const NEAR_DUPLICATES_MAX = 3;

/** Two texts that share this fraction of their words are nearly the same. */
const NEAR_DUPLICATE_SHARE = 0.6;

/** In a text with fewer words, such as "My cat is called Rex.", one word changes the statement. */
const WORDS_MIN = 6;

/** After this many texts, no new group begins, and only groups of at least two are compared. */
const FIRST_TEXTS = 40;

/** A character of Chinese, or any other word. */
const WORD = /\p{Script=Han}|[^\P{L}\p{Script=Han}]+/gu;
/** A word with a digit: a number, a time, an address, an identifier. */
export const VALUE = /[\p{L}\p{N}]*\p{N}[\p{L}\p{N}]*/gu;

interface Group {
  readonly words: ReadonlySet<string>;
  readonly values: () => string;
  count: number;
}

/**
 * Returns a function that counts the earlier texts that were nearly the same as a given one.
 * @param valuesMayDiffer whether texts with different numbers can be nearly the same
 */
export function nearDuplicateCounter(valuesMayDiffer: boolean): (text: string) => number {
  const groups: Group[] = [];
  let texts = 0;
  return (text) => {
    texts += 1;
    const compared = texts > FIRST_TEXTS ? groups.filter(({ count }) => count > 1) : groups;
    if (texts > FIRST_TEXTS && compared.length === 0) return 0;
    const words = new Set(text.toLowerCase().match(WORD) ?? []);
    if (words.size < WORDS_MIN) return 0;
    const values = once(() => (valuesMayDiffer ? '' : valuesOf(text)));
    const group = compared.find(
      (each) =>
        // Sets whose sizes differ more cannot share enough words.
        Math.min(each.words.size, words.size) >=
          NEAR_DUPLICATE_SHARE * Math.max(each.words.size, words.size) &&
        sharedWords(each.words, words) >= NEAR_DUPLICATE_SHARE &&
        each.values() === values(),
    );
    if (group !== undefined) return group.count++;
    if (texts <= FIRST_TEXTS) groups.push({ words, values, count: 1 });
    return 0;
  };
}

/** The numbers of a text, in their order. */
export function valuesOf(text: string): string {
  return (text.match(VALUE) ?? []).join(' ');
}

/** Share of the terms of one text that another repeats, if it says the same. */
const REPEATED_SHARE_MIN = 0.75;

/** Whether a text says what another says, by the terms of both. */
export function repeats(terms: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return other.intersection(terms).size >= other.size * REPEATED_SHARE_MIN;
}

/** Returns the share of common words among all words of both, 0 to 1. */
export function sharedWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = a.intersection(b).size;
  return both / (a.size + b.size - both);
}
