/** Where the JSON objects of a text are, whatever stands around them, and which are not closed. */

/** Objects within objects of an answer of ours: the whole, an item, a fact; and one to spare. */
const NESTING_MAX = 4;
/** Where a model that thinks aloud comes to its answer. */
export const THOUGHTS_END = '</think>';

export interface Stretch {
  readonly start: number;
  readonly end: number;
}

export interface ObjectScan {
  /** Objects from `{` to `}` by their beginning. */
  readonly closed: readonly Stretch[];
  /** Each object that the end cut off, closed after its last whole part; inner ones first. */
  readonly mended: readonly string[];
}

/** An object or list that is not closed yet. */
interface Frame {
  readonly start: number;
  readonly closedBy: '}' | ']';
  /** The end of its last part that is whole; null where there is none. */
  wholeUntil: number | null;
}

/**
 * One pass, so its time grows with the length of the text and no faster. Quotation marks and
 * brackets outside of every object are prose. Thoughts end where their mark stands outside of a
 * string: what was found before it is a draft.
 */
export function scanObjects(text: string): ObjectScan {
  const closed: Stretch[] = [];
  const open: Frame[] = [];
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (character === '{' || (character === '[' && depth > 0)) {
      open.push({ start: at, closedBy: character === '{' ? '}' : ']', wholeUntil: null });
      if (character === '{') depth += 1;
    } else if (character === '"' && depth > 0) {
      at = stringEnd(text, at);
      if (at < text.length) endPart(open.at(-1), ']', at + 1);
    } else if ((character === '}' && depth > 0) || character === open.at(-1)?.closedBy) {
      const { start } = closeLast(open, character) ?? { start: at };
      if (character === '}') depth -= 1;
      if (character === '}' && depth < NESTING_MAX) closed.push({ start, end: at + 1 });
      endPart(open.at(-1), null, at + 1);
    } else if (character === '<' && text.startsWith(THOUGHTS_END, at)) {
      closed.length = 0;
      open.length = 0;
      depth = 0;
    }
  }
  return { closed: closed.toSorted((a, b) => a.start - b.start), mended: mendedOf(text, open) };
}

/** The place of the quotation mark that ends a string; the length of a text that was cut in it. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** A string is a part of a list; within an object it may be a name whose value is missing. */
function endPart(frame: Frame | undefined, only: ']' | null, end: number): void {
  if (frame !== undefined && (only === null || frame.closedBy === only)) frame.wholeUntil = end;
}

/** Closes lists that were left open within an object. */
function closeLast(open: Frame[], closedBy: string | undefined): Frame | undefined {
  let frame = open.pop();
  while (frame !== undefined && frame.closedBy !== closedBy) frame = open.pop();
  return frame;
}

function mendedOf(text: string, open: readonly Frame[]): readonly string[] {
  const mended: string[] = [];
  for (let at = open.length - 1; at >= 0 && mended.length < NESTING_MAX; at -= 1) {
    const frame = open[at];
    if (frame?.closedBy !== '}') continue;
    const list = open[at + 1]?.closedBy === ']' ? open[at + 1] : undefined;
    const until = list?.wholeUntil ?? frame.wholeUntil;
    const end = list?.wholeUntil == null ? '}' : ']}';
    mended.push(until === null ? '{}' : `${text.slice(frame.start, until)}${end}`);
  }
  return mended;
}
