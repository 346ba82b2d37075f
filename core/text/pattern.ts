/** Regular expressions from word lists, so that a list reads as a list. */

/** A group of alternatives from a list parted by commas; an entry may itself be a pattern. */
export function oneOf(list: string): string {
  const entries = list.split(',').map((entry) => entry.trim());
  return `(?:${entries.filter((entry) => entry !== '').join('|')})`;
}

/** Neither letter nor digit nor apostrophe before: a word starts here. */
export const WORD_START = String.raw`(?<![\p{L}\p{N}'’-])`;

/** No letter or digit after: a word ends here. */
export const WORD_END = String.raw`(?![\p{L}\p{N}])`;
