/**
 * Extracts the entries of an answer from whatever surrounds them: fences, prose, thoughts, a
 * cut-off end. An entry that was cut keeps its complete facts and labels, and is marked `cut`, so
 * that no reader takes it for the whole answer.
 */
import { isRecord } from '#core/is-record.ts';
import { parsedJson } from '#core/parsed-json.ts';

/** Maximum entries of one answer; a batch has far fewer items. */
const ENTRIES_MAX = 100;
const THOUGHTS_BEGIN = '<think>';

/** Returns the entries. It reads the text a fixed number of times, so it takes linear time. */
export function readEntries(text: string): readonly unknown[] {
  const whole = entriesOf(parsedJson(text));
  return (whole ?? salvagedPastThoughts(text)).slice(0, ENTRIES_MAX);
}

/**
 * An end mark inside a fact does not end thoughts, and half a draft among thoughts may hold a
 * string without an end. So it takes the reading that finds more: of the whole text, or of the text
 * after its last mark.
 */
function salvagedPastThoughts(text: string): readonly unknown[] {
  const isMarked = text.trimStart().startsWith(THOUGHTS_BEGIN);
  const found = salvaged(isMarked ? textAfter(text, text.indexOf(THOUGHTS_END)) : text);
  const last = text.lastIndexOf(THOUGHTS_END);
  if (last < 0) return found;
  const after = salvaged(textAfter(text, last));
  return after.length > found.length ? after : found;
}

function textAfter(text: string, mark: number): string {
  return mark < 0 ? text : text.slice(mark + THOUGHTS_END.length);
}

/** Null if a value is not an answer: neither the whole, nor a list of items, nor one item. */
function entriesOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value.some(isItem) ? value : null;
  if (!isRecord(value)) return null;
  if (Array.isArray(value['items'])) return value['items'];
  return isItem(value) ? [value] : null;
}

function isItem(value: unknown): boolean {
  return isRecord(value) && ('facts' in value || 'kept' in value);
}

/** Every object of the text that is an answer or an item, except those inside one already taken. */
function salvaged(text: string): readonly unknown[] {
  const { closed, repaired } = scanObjects(text);
  const entries: unknown[] = [];
  let end = -1;
  for (const object of closed) {
    if (object.start < end) continue;
    const found = entriesOf(parsedJson(text.slice(object.start, object.end)));
    if (found === null) continue;
    entries.push(...found);
    end = object.end;
  }
  const cut = repaired.map(parsedJson).find(saysSomething);
  return isRecord(cut) ? [...entries, { ...cut, cut: true }] : entries;
}

/** An item that was cut before its first fact counts as missing, not as an item without facts. */
function saysSomething(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return [value['facts'], value['kept']].some((list) => Array.isArray(list) && list.length > 0);
}

/** Nested objects of an answer: the whole, an item, a fact; and one to spare. */
const NESTING_MAX = 4;
/** End mark of the thoughts of a model, before its answer. */
const THOUGHTS_END = '</think>';

interface Stretch {
  readonly start: number;
  readonly end: number;
}

interface ObjectScan {
  /** Complete objects, from `{` to `}`, sorted by start. */
  readonly closed: readonly Stretch[];
  /** Objects that the end cut off, each closed after its last complete part; inner ones first. */
  readonly repaired: readonly string[];
}

/** An object or list that is not closed yet. */
interface Frame {
  readonly start: number;
  readonly closedBy: '}' | ']';
  /** The end of its last complete part; null if there is none. */
  wholeUntil: number | null;
}

/**
 * Scans the text in one pass, in linear time. Quotation marks and brackets outside all objects are
 * prose. Thoughts end at an end mark outside a string: objects before it are drafts.
 */
function scanObjects(text: string): ObjectScan {
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
  return { closed: closed.toSorted((a, b) => a.start - b.start), repaired: repairedOf(text, open) };
}

/** The position of the quotation mark that ends a string; the text's length if it was cut there. */
function stringEnd(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at;
  }
  return text.length;
}

/** Marks the end of a part. In a list a string is a part; in an object it may be just a name. */
function endPart(frame: Frame | undefined, only: ']' | null, end: number): void {
  if (frame !== undefined && (only === null || frame.closedBy === only)) frame.wholeUntil = end;
}

/** Pops the frame that a bracket closes, and lists left open inside it. */
function closeLast(open: Frame[], closedBy: string | undefined): Frame | undefined {
  let frame = open.pop();
  while (frame !== undefined && frame.closedBy !== closedBy) frame = open.pop();
  return frame;
}

function repairedOf(text: string, open: readonly Frame[]): readonly string[] {
  const repaired: string[] = [];
  for (let at = open.length - 1; at >= 0 && repaired.length < NESTING_MAX; at -= 1) {
    const frame = open[at];
    if (frame?.closedBy !== '}') continue;
    const list = open[at + 1]?.closedBy === ']' ? open[at + 1] : undefined;
    const until = list?.wholeUntil ?? frame.wholeUntil;
    const end = list?.wholeUntil == null ? '}' : ']}';
    repaired.push(until === null ? '{}' : `${text.slice(frame.start, until)}${end}`);
  }
  return repaired;
}
