/** Texts that every store can keep and every hash can distinguish. */

/**
 * False for half a surrogate pair and for NUL: stores replace or cut at them, so that two different
 * names would become one scope.
 */
export function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0');
}

/** At most `unitsMax` UTF-16 units of a text, with a sign where some are left out. */
export function shortened(text: string, unitsMax: number): string {
  if (text.length <= unitsMax) return text;
  const cut = text.slice(0, unitsMax - 1);
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}

/** Length in UTF-8, of a well-formed text. */
export function utf8Bytes(text: string): number {
  let bytes = 0;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x80) bytes += 1;
    else if (unit < 0x8_00) bytes += 2;
    // Each half of a surrogate pair stands for two of its four bytes.
    else bytes += unit >= 0xd8_00 && unit <= 0xdf_ff ? 2 : 3;
  }
  return bytes;
}

/**
 * The same text with characters of its own, for what is kept longer than the text it was cut from:
 * V8 makes of a slice or of a regular expression's match of 13 units or more a view that keeps the
 * whole parent (`SlicedString::kMinLength`, v8/src/objects/string.h). Joined to another text, its
 * characters are copied once they are looked into, and the view is one of that short copy.
 */
export function ownCopy(text: string): string {
  return ` ${text}`.slice(1);
}

/** What is said of a text that is not. */
export const NOT_STORABLE = 'expected whole Unicode characters without NUL';
