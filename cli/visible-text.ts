/**
 * Text of memories as a terminal may show it. What somebody said may hold signs that move the
 * cursor, colour what follows or turn the order of words; whoever decides on it must see them.
 * Source: Unicode Technical Report 36, 3.6, and N. Boucher, R. Anderson, "Trojan Source", 2021.
 */

/**
 * Controls but for line feeds and tabs; signs that order text by direction; separators of lines;
 * what has no width and joins nothing; tags. The joiners U+200C and U+200D stay: words and emoji
 * need them.
 */
const CONTROL = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;
const WITHOUT_WIDTH = /[\u00AD\u180E\u200B\u2028\u2029\u2060-\u206F\uFEFF\u{E0001}-\u{E007F}]/gu;
/** Signs below have a picture of their own, in this order. */
const PICTURED_MAX = 0x1f;
const PICTURES = 0x24_00;
const DELETE = 0x7f;
const DELETE_PICTURE = '\u2421';

/** Line feeds and tabs stay; every other control sign is shown as what it is. */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(CONTROL, shownAs)
    .replaceAll(WITHOUT_WIDTH, shownAs);
}

/** For a text that is read by people and by programs: only a terminal shows the signs. */
export function forOutput(text: string, { isTTY }: { readonly isTTY?: boolean }): string {
  return isTTY === true ? visible(text) : text;
}

function shownAs(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code === DELETE) return DELETE_PICTURE;
  if (code <= PICTURED_MAX) return String.fromCodePoint(PICTURES + code);
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
