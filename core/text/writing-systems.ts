/** Tells texts in different writing systems apart, which have nothing in common that words show. */

const LETTERS = /[\p{L}\p{N}]/gu;

/** UTF-16 code units of a text that are compared first, since most texts have one script. */
const FIRST_UNITS = 400;
/** Up to the end of a word, so that the letters before it are those of the whole text. */
const WHOLE_WORDS = /^[\s\S]*[\s，。！？、]/u;

/** Returns whether two texts share a script, as far as a common letter or digit shows. */
export function haveSharedScript(one: string, other: string): boolean {
  const [first, second] = [firstWords(one), firstWords(other)];
  if (!lettersOf(first).isDisjointFrom(lettersOf(second))) return true;
  const isAll = first === one && second === other;
  return !isAll && !lettersOf(one).isDisjointFrom(lettersOf(other));
}

function firstWords(text: string): string {
  if (text.length <= FIRST_UNITS) return text;
  return WHOLE_WORDS.exec(text.slice(0, FIRST_UNITS))?.[0] ?? text;
}

function lettersOf(text: string): ReadonlySet<string> {
  return new Set(text.normalize('NFKC').toLowerCase().match(LETTERS));
}
