/**
 * Encodes texts so that the database orders them as `matchesFilter` does: by UTF-16 code units,
 * whereas MongoDB compares the bytes of UTF-8. The two differ for a character above U+FFFF and one
 * from U+E000 to U+FFFF, which must come after it.
 */

/** The last character of all; it precedes characters that must come after all others. */
const LAST = '\u{10ffff}';
/** Keeps the second character of an encoded pair above the one that stands for `LAST` itself. */
const SHIFT = 0x100;
const ITSELF = '\u0001';
const FIRST_LATE = 0xe0_00;

const LATE = /[\ue000-\uffff]|\u{10ffff}/gu;

/** Encodes a text; equality, order and substrings are preserved. */
export function orderedText(text: string): string {
  return text.replaceAll(LATE, (character) => {
    if (character === LAST) return LAST + ITSELF;
    const place = (character.codePointAt(0) ?? FIRST_LATE) - FIRST_LATE;
    return LAST + String.fromCodePoint(SHIFT + place);
  });
}

/** Returns a regular expression for texts of `orderedText` that contain a part. */
export function partPattern(part: string): string {
  const escaped = orderedText(part).replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);
  // Do not match the second character of an encoded pair as the start of a text.
  return `(?<!${LAST})${escaped}`;
}
