/**
 * Converts one line of text to Markdown and back. Text never becomes structure: a backslash goes in
 * front of what would begin a heading, a list, a quotation, a fence or a comment. Reading removes
 * it.
 */

/** Characters with which Markdown begins something other than a paragraph, and the backslash. */
const MARKED = /^[#+*>`~<=_|\\-]/u;
/** `1.` and `1)` begin a numbered list, so the character after the number is escaped. */
const NUMBERED = /^(\d{1,9})(?=\\*[.)](?:\s|$))/u;
const ESCAPED = /^\\(?=[#+*>`~<=_|\\-])/u;
const ESCAPED_NUMBER = /^(\d{1,9})\\(?=\\*[.)](?:\s|$))/u;
/** Marks after a heading that Markdown reads as part of its syntax. */
const CLOSING = /(^|\s)(\\*#+)$/u;
const ESCAPED_CLOSING = /(^|\s)\\(\\*#+)$/u;
const FRAME = /(?:^|\s)#+$/u;

/** @param text one line, as `oneLine` makes it */
export function escapedLine(text: string): string {
  if (MARKED.test(text) && !isPlainMark(text)) return `\\${text}`;
  return text.replace(NUMBERED, '$1\\');
}

/** Reverses `escapedLine`. */
export function unescapedLine(text: string): string {
  return ESCAPED.test(text) ? text.slice(1) : text.replace(ESCAPED_NUMBER, '$1');
}

export function escapedHeading(text: string): string {
  return escapedLine(text).replace(CLOSING, '$1\\$2');
}

/** Reverses `escapedHeading`; also reads what people write after `##`. */
export function unescapedHeading(text: string): string {
  if (ESCAPED_CLOSING.test(text)) return unescapedLine(text.replace(ESCAPED_CLOSING, '$1$2'));
  return unescapedLine(text.replace(FRAME, '').trimEnd());
}

/** Emphasis and code at the start of a line are not structure: `**Ann** leads`, `_now_`. */
function isPlainMark(text: string): boolean {
  return /^(?:\*\*?|__?|`{1,2})[\p{L}\p{N}]/u.test(text);
}
