/** MEMORY.md: writes it for a person, and reads what a person wrote (TIER-04). */
import { VarveError } from '../errors.ts';
import {
  HEADING_LENGTH_MAX,
  LINE_LENGTH_MAX,
  LINES_PER_DOCUMENT_MAX,
  type DocumentLine,
} from '../records/document.ts';
import { isStorable, NOT_STORABLE } from '../storable-text.ts';
import { linesText } from './daily-and-diary-text.ts';
import { isMarked, marked, withoutKeepMark } from './keep-mark.ts';
import { type CodeFence, fenceAfter } from '../text/code-fence.ts';
import { oneLine } from '../text/lines.ts';
import { unescapedHeading, unescapedLine } from './markdown-line.ts';

/** A line as the file shows it, without Varve's own fields. */
export type WrittenLine = Pick<DocumentLine, 'heading' | 'text' | 'isFixed'>;

/** The size of a file with only the longest lines; longer texts are refused unread. */
const TEXT_LENGTH_MAX = 4_000_000;

export const HEADING = /^ {0,3}#{1,6}(?:\s+(.*))?$/u;
const BULLET = /^\s*[-*+](?:\s+(.*))?$/u;
/** A horizontal rule: structure without words. */
const RULE = /^\s*(?:-(?:\s*-){2,}|\*(?:\s*\*){2,}|_(?:\s*_){2,})\s*$/u;
const INDENTED = /^(?: {2,}|\t)/u;

/**
 * Returns the whole file: `- ` bullets, grouped under `##` headings; empty if there are no lines.
 */
export function memoryText(lines: readonly WrittenLine[]): string {
  return linesText(lines, '##');
}

/**
 * Returns the lines of a text with their headings, in the order of the file. Accepts what people
 * write: any bullet, nested bullets, plain paragraphs, indented continuations. No words are lost,
 * except for headings without lines.
 * @throws VarveError CONTENT_TOO_LONG, INVALID_INPUT for text that no store keeps
 */
export function readMemoryText(text: string): readonly WrittenLine[] {
  return boundedLines(text, (all) => readMemoryRows(rowsOf(all)));
}

/** Reads lines and drops their positions. @throws VarveError as `readMemoryText` */
export function boundedLines(
  text: string,
  read: (text: string) => readonly RowLine[],
): readonly WrittenLine[] {
  if (text.length > TEXT_LENGTH_MAX) throw tooLong('The text', TEXT_LENGTH_MAX, 'characters');
  if (!isStorable(text)) throw new VarveError('INVALID_INPUT', `The text: ${NOT_STORABLE}.`);
  const lines = read(text);
  if (lines.length > LINES_PER_DOCUMENT_MAX) {
    throw tooLong('The text', LINES_PER_DOCUMENT_MAX, 'lines');
  }
  for (const { heading, text: said, row } of lines) {
    const place = `line ${String(row + 1)} of the text`;
    if (said.length > LINE_LENGTH_MAX)
      throw tooLong(`What begins in ${place}`, LINE_LENGTH_MAX, 'characters');
    if ((heading ?? '').length > HEADING_LENGTH_MAX) {
      throw tooLong(`The heading above ${place}`, HEADING_LENGTH_MAX, 'characters');
    }
  }
  return lines.map(({ heading, text: said, isFixed }) =>
    isFixed === true ? { heading, text: said, isFixed } : { heading, text: said },
  );
}

export interface RowLine extends WrittenLine {
  /** Its first row, from 0. */
  readonly row: number;
  /** The row after its last one. */
  readonly end: number;
}

/** Reads rows without limits, for callers with their own limits. */
export function readMemoryRows(rows: readonly string[]): readonly RowLine[] {
  const lines: { heading: string | null; said: string[]; row: number; end: number }[] = [];
  let heading: string | null = null;
  let mayGoOn = false;
  // A mark on a row of its own belongs to what follows: a line, or a heading and its lines.
  let isNextMarked = false;
  const fenced = fencedRows(rows);
  for (const [index, row] of rows.entries()) {
    const isFenced = fenced.has(index);
    const named = isFenced ? null : HEADING.exec(row);
    if (named !== null) {
      heading = unescapedHeading(oneLine(named[1] ?? '')) || null;
      if (heading !== null && isNextMarked) heading = marked(heading);
      isNextMarked = false;
      mayGoOn = false;
      continue;
    }
    const said = isFenced ? oneLine(row) : saidIn(row);
    const last = mayGoOn && INDENTED.test(row) && !BULLET.test(row) ? lines.at(-1) : undefined;
    mayGoOn = said !== '' && !isFenced;
    if (said === '') continue;
    if (!isFenced && last === undefined && withoutKeepMark(said) === '') {
      isNextMarked = true;
      mayGoOn = false;
      continue;
    }
    if (last === undefined || isFenced) {
      lines.push({
        heading,
        said: [isNextMarked ? marked(said) : said],
        row: index,
        end: index + 1,
      });
      isNextMarked = false;
    } else {
      last.said.push(said);
      last.end = index + 1;
    }
  }
  return lines.map(({ heading: under, said, row, end }) => {
    const text = said.join(' ');
    return { heading: under, text: isMarked(text) ? marked(text) : text, row, end };
  });
}

function rowsOf(text: string): readonly string[] {
  return text.replace(/^\u{feff}/u, '').split(/\r\n|\r|\n/u);
}

/** Returns a row without bullet and escapes; empty if the row has no words. */
function saidIn(row: string): string {
  if (RULE.test(row)) return '';
  const bullet = BULLET.exec(row);
  return unescapedLine(oneLine(bullet === null ? row : (bullet[1] ?? '')));
}

/** Returns the rows of closed fences, and those inside: a `#` there begins no heading. */
function fencedRows(rows: readonly string[]): ReadonlySet<number> {
  const fenced = new Set<number>();
  let open: CodeFence = null;
  let from = 0;
  for (const [index, row] of rows.entries()) {
    const next = fenceAfter(open, row);
    if (open === null) from = index;
    else if (next === null) for (let at = from; at <= index; at += 1) fenced.add(at);
    open = next;
  }
  return fenced;
}

function tooLong(what: string, most: number, unit: string): VarveError {
  const message = `${what} is too long: at most ${String(most)} ${unit}. Shorten or split it.`;
  return new VarveError('CONTENT_TOO_LONG', message, { details: { most, unit } });
}
