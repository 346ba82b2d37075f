/** Regular expressions from word lists, so that a list reads as a list. */

/** A group of alternatives from a list parted by commas; an entry may itself be a pattern. */
export function oneOf(list: string): string {
  const entries = list.split(',').map((entry) => entry.trim());
  return `(?:${entries.filter((entry) => entry !== '').join('|')})`;
}

/** One pattern that matches where any of several does, with the flags of the first. */
export function anyOf(patterns: readonly RegExp[]): RegExp {
  const sources = patterns.map(({ source }) => `(?:${source.replaceAll(/\(\?<\w+>/gu, '(?:')})`);
  return new RegExp(sources.join('|'), patterns[0]?.flags);
}

/** Neither letter nor digit nor apostrophe before: a word starts here. */
export const WORD_START = String.raw`(?<![\p{L}\p{N}'’-])`;

/** No letter or digit after: a word ends here. */
export const WORD_END = String.raw`(?![\p{L}\p{N}])`;
