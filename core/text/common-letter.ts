/** Tells texts in different scripts apart, which have nothing in common that words show. */

const LETTERS = /[\p{L}\p{N}]/gu;

/** Returns whether two texts have a letter or a digit in common. */
export function haveCommonLetter(one: string, other: string): boolean {
  return !lettersOf(one).isDisjointFrom(lettersOf(other));
}

function lettersOf(text: string): ReadonlySet<string> {
  return new Set(text.normalize('NFKC').toLowerCase().match(LETTERS));
}
