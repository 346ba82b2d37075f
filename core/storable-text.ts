/** Texts that every store can keep and every hash can distinguish. */

/**
 * Returns false for half a surrogate pair and for NUL. Stores replace them or cut the text there,
 * so that two different names would become one scope.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/**
 * Returns a text that every store can keep: NUL becomes a space, half a surrogate pair U+FFFD. Only
 * for what was said, never for names: two of them could become one.
 */
export function storableText(text: string): string {
  return text.toWellFormed().replaceAll('\0', ' ');
}

/** Returns at most `unitsMax` UTF-16 units of a text, with a mark if some are left out. */
export function shortenToUnits(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  const cut = text.slice(0, unitsMax - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

/** Returns the length of a well-formed text in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x8_00) bytes += 2;
    // Each half of a surrogate pair counts as two of its four bytes.
    else bytes += unit >= 0xd8_00 && unit <= 0xdf_ff ? 2 : 3;
  }
  return bytes;
}

/**
 * Returns an independent copy of a text that is kept longer than the text it was cut from. In V8, a
 * slice or a regular expression's match of 13 units or more is a view that keeps the whole parent
 * alive (`SlicedString::kMinLength`, v8/src/objects/string.h). Joining it to another text and
 * reading the result copies its characters once, and the view then refers to that short copy.
 */
export function ownCopy(text: string): string {
  return ` ${text}`.slice(1);
}

/** The error message for a text that is not storable. */
export const NOT_STORABLE = 'expected whole Unicode characters without NUL';
