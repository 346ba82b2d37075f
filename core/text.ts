/** Texts that every store can keep and every hash can tell apart. */

/**
 * False for half a surrogate pair and for NUL: stores replace or cut at them, so that two different
 * names would become one scope.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** What is said of a text that is not. */
export const NOT_STORABLE = 'expected whole Unicode characters without NUL';
