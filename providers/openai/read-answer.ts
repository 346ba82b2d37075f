/**
 * The entries of an answer, out of whatever stands around them: fences, prose, thoughts, an end
 * that was cut off. Of the entry that was cut its whole facts and labels count, and it is marked
 * `cut`, so that nobody takes it for all that the model had to say.
 */
import { scanObjects, THOUGHTS_END } from './object-scan.ts';

/** Entries of one answer; a batch has far fewer items. */
const ENTRIES_MAX = 100;
const THOUGHTS_BEGIN = '<think>';

/** Passes over the text a fixed number of times, so its time grows with the length, no faster. */
export function readEntries(text: string): readonly unknown[] {
  const whole = entriesOf(parsed(text));
  return (whole ?? salvagedPastThoughts(text)).slice(0, ENTRIES_MAX);
}

/**
 * A mark within a fact ends no thoughts, and half a draft among thoughts holds a string that never
 * ends: whichever reading finds more holds, that of the whole text or that after its last mark.
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

/** Null where a value is no answer: neither the whole, nor a list of items, nor one item. */
function entriesOf(value: unknown): readonly unknown[] | null {
  if (Array.isArray(value)) return value.some(isItem) ? value : null;
  if (!isRecord(value)) return null;
  if (Array.isArray(value['items'])) return value['items'];
  return isItem(value) ? [value] : null;
}

function isItem(value: unknown): boolean {
  return isRecord(value) && ('facts' in value || 'kept' in value);
}

/** Every object of the text that is an answer or an item, but for those within one taken before. */
function salvaged(text: string): readonly unknown[] {
  const { closed, mended } = scanObjects(text);
  const entries: unknown[] = [];
  let end = -1;
  for (const object of closed) {
    if (object.start < end) continue;
    const found = entriesOf(parsed(text.slice(object.start, object.end)));
    if (found === null) continue;
    entries.push(...found);
    end = object.end;
  }
  const cut = mended.map(parsed).find(saysSomething);
  return isRecord(cut) ? [...entries, { ...cut, cut: true }] : entries;
}

/** An item that was cut before its first fact is missing; it did not answer with none. */
function saysSomething(value: unknown): boolean {
  if (!isRecord(value)) return false;
  return [value['facts'], value['kept']].some((list) => Array.isArray(list) && list.length > 0);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
