/** Makes regular expressions, and parts of them from word lists that stay readable. */
import { once } from '../once.ts';

/** A regular expression without the flags `g` and `y`, or one that is compiled at its first use. */
export interface Pattern extends Pick<
  RegExp,
  'source' | 'flags' | 'exec' | 'test' | typeof Symbol.search
> {
  /** For `text.replace(pattern, by)`. */
  [Symbol.replace](text: string, by: string): string;
}

/**
 * Returns a pattern that is compiled at its first use. Rules have more than a thousand, and to
 * compile them all takes as long as to load the rest of the library; most texts need few.
 */
export function lazyPattern(source: string, flags: string): Pattern {
  const compiled = once(() => new RegExp(source, flags));
  return {
    source,
    flags,
    exec: (text) => compiled().exec(text),
    test: (text) => compiled().test(text),
    [Symbol.search]: (text) => text.search(compiled()),
    [Symbol.replace]: (text, by) => text.replace(compiled(), by),
  };
}

/** Returns the entries of a comma-separated list; the comma of `{2,3}` separates none. */
export function entriesOf(list: string): readonly string[] {
  return list
    .split(/,(?!\d*\})/u)
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

/** Returns a group of alternatives from a comma-separated list; an entry may be a pattern. */
export function oneOf(list: string): string {
  return `(?:${entriesOf(list).join('|')})`;
}

/** Returns what matches one of the patterns, in upper or lower case. */
export function anyOf(...patterns: readonly string[]): Pattern {
  return lazyPattern(patterns.join('|'), 'iu');
}

/** Matches where a word starts: no letter, digit, apostrophe or hyphen comes before. */
export const WORD_START = String.raw`(?<![\p{L}\p{N}'’-])`;

/** Matches where a word ends: no letter or digit follows. */
export const WORD_END = String.raw`(?![\p{L}\p{N}])`;

/** Returns a pattern for any entry of a comma-separated list, where whole words match it. */
export function anyWholeWord(list: string): string {
  return String.raw`(?<![\p{L}\p{N}])${oneOf(list)}(?![\p{L}\p{N}])`;
}

/** As `anyWholeWord`, but digits may stand beside the word. */
export function anyWord(list: string): string {
  return String.raw`(?<!\p{L})${oneOf(list)}(?!\p{L})`;
}

/** `{NAME}` in a pattern, but not a property such as `\p{L}`. */
const PART = /(?<!\\[pP])\{([A-Z]+)\}/gu;

/**
 * Puts named parts in the place of their names in a pattern: `{NAME}`.
 * @throws Error if a part is not given: without it, the pattern would match something else
 */
export function withParts(pattern: string, parts: Readonly<Record<string, string>>): string {
  return pattern.replace(PART, (_, name: string) => {
    const part = parts[name];
    if (part === undefined) throw new Error(`The pattern names an unknown part {${name}}.`);
    return part;
  });
}
