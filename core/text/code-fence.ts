/** Fenced code of Markdown (CommonMark 0.31, 4.5), line by line. */

/** The run of marks that opened the fence, e.g. "```"; null outside fenced code. */
export type CodeFence = string | null;

const OPENING = /^[ \t]*(`{3,}(?=[^`]*$)|~{3,})/;

const CLOSING = /^[ \t]*(`{3,}|~{3,})[ \t]*$/;

/** Begins or ends a text with code. */
const FIRST_IS_FENCE = /^(?:`{3}|~{3})/u;
const LAST_IS_FENCE = /(?:^|\n)[ \t]*(?:`{3,}|~{3,})$/u;

/** Longer lines are not searched for a fence. */
const FENCE_LINE_UNITS_MAX = 1_000;

/**
 * Returns the fence that is open after a line. Unlike CommonMark, allows any indentation, because
 * fences inside lists are indented and their text would otherwise be read as headings.
 */
export function fenceAfter(open: CodeFence, line: string): CodeFence {
  if (line.length > FENCE_LINE_UNITS_MAX) return open;
  if (open === null) return OPENING.exec(line)?.[1] ?? null;
  const closing = CLOSING.exec(line)?.[1];
  const closes = closing?.[0] === open[0] && closing !== undefined && closing.length >= open.length;
  return closes ? null : open;
}

/** Whether a text begins with a fence, which needs a line of its own. */
export function beginsWithFence(text: string): boolean {
  return FIRST_IS_FENCE.test(text);
}

/** Whether a text ends with a fence, which nothing may follow on its line. */
export function endsWithFence(text: string): boolean {
  return LAST_IS_FENCE.test(text);
}

/** Returns the fence that is open at the end of a text. */
export function openFenceIn(text: string): CodeFence {
  return text.split('\n').reduce<CodeFence>(fenceAfter, null);
}

const ANNOUNCED = /^[\p{P}\p{S}]*[:：][*_\s]*\n[ \t]*(?:`{3}|~{3})/u;

/**
 * Whether a sentence of a text only announces the code block behind it: `My script, keep it:`.
 * Without the code it says nothing.
 */
export function announcesCode(sentence: string, text: string): boolean {
  const plain = sentence.replace(/[\s:：]+$/u, '');
  const start = plain === '' ? -1 : text.indexOf(plain);
  return start >= 0 && ANNOUNCED.test(text.slice(start + plain.length));
}
