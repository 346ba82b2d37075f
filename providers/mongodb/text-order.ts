/**
 * Texts so that the database orders them as `matchesFilter` does: by UTF-16 code units, whereas
 * MongoDB compares the bytes of UTF-8. The two differ where a character above U+FFFF meets one from
 * U+E000 to U+FFFF, which has to come after it.
 */

/** The last character of all; what is to come after all others is written with it in front. */
const LAST = '\u{10ffff}';
/** Puts the second of two characters beyond the one that stands for `LAST` itself. */
const SHIFT = 0x100;
const ITSELF = '\u0001';
const FIRST_LATE = 0xe0_00;

const LATE = /[\ue000-\uffff]|\u{10ffff}/gu;

/** Keeps what is equal equal, what is before before, and each part of a text part of it. */
export function orderedText(text: string): string {
  return text.replaceAll(LATE, (character) => {
    if (character === LAST) return LAST + ITSELF;
    const place = (character.codePointAt(0) ?? FIRST_LATE) - FIRST_LATE;
    return LAST + String.fromCodePoint(SHIFT + place);
  });
}

/** A regular expression for texts of `orderedText` that hold a part. */
export function partPattern(part: string): string {
  const escaped = orderedText(part).replaceAll(/[\\^$.*+?()[\]{}|]/gu, String.raw`\$&`);
  // The second of two characters that stand for one is not the first of another.
  return `(?<!${LAST})${escaped}`;
}
