/**
 * Line breaks as any reader may see them: those of Unicode (UAX 14, BK, CR, LF, NL), and the
 * separators U+001C to U+001E, at which Python's `splitlines()` breaks too. JavaScript's white
 * space has neither these three nor U+0085.
 */

const BREAKS = String.raw`\n\r\v\f\u001c-\u001e\u0085\u2028\u2029`;
const LINE_BREAK = new RegExp(String.raw`\r\n|[${BREAKS}]`, 'u');
const SPACES = new RegExp(String.raw`[\s${BREAKS}]+`, 'gu');

/**
 * Returns the text on one line, with one space for any white space, so that no part of it starts a
 * new line.
 */
export function oneLine(text: string): string {
  return text.replaceAll(SPACES, ' ').trim();
}

/** Returns the lines of a text without their breaks; keeps empty lines. */
export function linesOf(text: string): readonly string[] {
  return text.split(LINE_BREAK);
}
