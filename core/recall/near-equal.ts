/** Counts texts that are nearly the same, such as a request that is made every day. */

/** Of texts that are nearly the same, this many are shown before all that say another thing. */
export const NEAR_EQUAL_MAX = 3;

/** Two texts that share this fraction of their words are nearly the same. */
const NEAR_EQUAL_SHARE = 0.6;

/** In a shorter text, such as "My cat is called Rex.", one word makes another statement. */
const WORDS_MIN = 6;

/** After this many texts, only those that resemble an earlier one are looked for. */
const FIRST_TEXTS = 40;

/** A character of Chinese, or any other word. */
const WORD = /\p{Script=Han}|[^\P{L}\p{Script=Han}]+/gu;
/** A word with a digit: a number, a time, an address, an identifier. */
export const VALUE = /[\p{L}\p{N}]*\p{N}[\p{L}\p{N}]*/gu;

interface Group {
  readonly words: ReadonlySet<string>;
  readonly values: string;
  count: number;
}

/**
 * Returns a function that says how many texts before it were nearly the same.
 * @param valuesMayDiffer whether texts that differ in their numbers are nearly the same
 */
export function nearEqualCounter(valuesMayDiffer: boolean): (text: string) => number {
  const groups: Group[] = [];
  let texts = 0;
  return (text) => {
    texts += 1;
    const compared = texts > FIRST_TEXTS ? groups.filter(({ count }) => count > 1) : groups;
    if (texts > FIRST_TEXTS && compared.length === 0) return 0;
    const words = new Set(text.toLowerCase().match(WORD) ?? []);
    if (words.size < WORDS_MIN) return 0;
    const values = valuesMayDiffer ? '' : valuesOf(text);
    const group = compared.find(
      (each) =>
        each.values === values &&
        // Of sets of so different sizes no more can be shared.
        Math.min(each.words.size, words.size) >=
          NEAR_EQUAL_SHARE * Math.max(each.words.size, words.size) &&
        sharedWords(each.words, words) >= NEAR_EQUAL_SHARE,
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

/** Returns the share of common words among all words of both, 0 to 1. */
export function sharedWords(a: ReadonlySet<string>, b: ReadonlySet<string>): number {
  const both = a.intersection(b).size;
  return both / (a.size + b.size - both);
}
