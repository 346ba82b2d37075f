/** Plain text for people: headings, wrapped and shortened lines, figures, tables. */
import Table from 'cli-table3';
import { styleText } from 'node:util';
import { oneLine } from '#core/text/lines.ts';

/** Longer lines are hard to read, however wide the terminal is. */
const LINE_WIDTH_MAX = 100;
/** On narrower terminals, the terminal breaks lines itself: a table would not fit anyway. */
const LINE_WIDTH_MIN = 60;

/** Characters of a line: the width of the terminal, or the maximum for other output. */
export function lineWidth(): number {
  const columns = process.stdout.isTTY ? process.stdout.columns : LINE_WIDTH_MAX;
  return Math.min(LINE_WIDTH_MAX, Math.max(LINE_WIDTH_MIN, columns));
}

/** Styles only on a terminal. */
export function bold(text: string): string {
  return styleText('bold', text, { stream: process.stdout });
}

export function dim(text: string): string {
  return styleText('dim', text, { stream: process.stdout });
}

export function heading(text: string): string {
  return `\n${bold(text)}`;
}

/** Wraps at spaces with an indent; a word longer than a line stays whole. */
export function wrapped(text: string, indent: string): string {
  const width = lineWidth();
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(/\s+/u)) {
    if (line !== indent && line.length + word.length + 1 > width) {
      lines.push(line);
      line = indent;
    }
    line += line === indent ? visible(word) : ` ${visible(word)}`;
  }
  return [...lines, line].join('\n');
}

/** Wraps text and appends a note, such as its sources, on its own line if it does not fit. */
export function wrappedWithNote(text: string, note: string, indent: string): string {
  const lines = wrapped(text, indent);
  const last = lines.length - lines.lastIndexOf('\n') - 1;
  const fits = last + note.length + 1 <= lineWidth();
  return `${lines}${fits ? ' ' : `\n${indent}`}${dim(note)}`;
}

/** Puts a bar to the left of each line. */
export function framed(text: string): string {
  const bar = '  │ ';
  const frame = (line: string): string => (line === '' ? bar.trimEnd() : wrapped(line, bar));
  return text.split('\n').map(frame).join('\n');
}

/** Shortens to one line of at most `width` characters; `…` marks what is left out. */
export function shortenToWidth(text: string, width: number): string {
  const line = visible(oneLine(text));
  const characters = Array.from(line);
  return characters.length <= width ? line : `${characters.slice(0, width - 1).join('')}…`;
}

/** Ids differ at their ends; the first digits of a UUIDv7 are the time. */
export function shortId(id: string): string {
  return id.length > 12 ? `…${id.slice(-8)}` : id;
}

export function count(number: number, noun: string): string {
  const plural = noun.endsWith('y') ? `${noun.slice(0, -1)}ies` : `${noun}s`;
  return `${String(number)} ${number === 1 ? noun : plural}`;
}

/** Formats micro-dollars as dollars. */
export function dollars(microDollars: number): string {
  return `$${(microDollars / 1_000_000).toFixed(microDollars % 10_000 === 0 ? 2 : 6)}`;
}

/**
 * Control characters except line feed and tab; marks that set the direction of text; line
 * separators; characters without width that join nothing; tags. The joiners U+200C and U+200D stay,
 * since words and emoji need them.
 */
const CONTROL = /[^\P{Cc}\n\t]|\p{Bidi_Control}/gu;
const WITHOUT_WIDTH = /[\u00AD\u180E\u200B\u2028\u2029\u2060-\u206F\uFEFF\u{E0001}-\u{E007F}]/gu;
/** Control characters up to this one have a Unicode picture each, in the same order. */
const PICTURED_MAX = 0x1f;
const PICTURES = 0x24_00;
const DELETE = 0x7f;
const DELETE_PICTURE = '\u2421';

/**
 * Makes memory text safe to show on a terminal. Memories may hold characters that move the cursor,
 * color the following text or reverse the order of words; a person who decides on a text must see
 * them. Line feeds and tabs stay; every other control character is made visible. Source: Unicode
 * Technical Report 36, 3.6, and N. Boucher, R. Anderson, "Trojan Source", 2021.
 */
export function visible(text: string): string {
  return text
    .replaceAll('\r\n', '\n')
    .replaceAll(CONTROL, shownAs)
    .replaceAll(WITHOUT_WIDTH, shownAs);
}

/** For people and programs: control characters are made visible only on a terminal. */
export function forOutput(text: string, { isTTY }: { readonly isTTY?: boolean }): string {
  return isTTY === true ? visible(text) : text;
}

function shownAs(sign: string): string {
  const code = sign.codePointAt(0) ?? 0;
  if (code === DELETE) return DELETE_PICTURE;
  if (code <= PICTURED_MAX) return String.fromCodePoint(PICTURES + code);
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}

const NO_FRAME = {
  top: '',
  'top-mid': '',
  'top-left': '',
  'top-right': '',
  bottom: '',
  'bottom-mid': '',
  'bottom-left': '',
  'bottom-right': '',
  left: '  ',
  'left-mid': '',
  mid: '',
  'mid-mid': '',
  right: '',
  'right-mid': '',
  middle: '  ',
};

const GAP = NO_FRAME.middle.length;
/** A column is never narrower than this. */
const COLUMN_WIDTH_MIN = 6;

/** Times and ids are never shortened: people copy them, and a part says nothing. */
const WHOLE = /^(?:\d{4}-\d{2}-\d{2}T[\d:.]+Z|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/u;

/**
 * Renders a table. If it is wider than the terminal, its widest columns are shortened.
 * @param whole columns that are never shortened; nor are those of times and ids
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  whole: readonly number[] = [],
): string {
  const most = process.stdout.isTTY ? lineWidth() : Infinity;
  const widths = fittedWidths([head, ...rows], { most, whole });
  const fitted = (row: readonly string[]) =>
    row.map((cell, column) => shortenToWidth(cell, widths[column] ?? 0));
  const table = new Table({
    head: fitted(head),
    chars: NO_FRAME,
    style: {
      head: process.stdout.isTTY ? ['bold'] : [],
      border: [],
      'padding-left': 0,
      'padding-right': 0,
    },
  });
  table.push(...rows.map(fitted));
  return table
    .toString()
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

interface TableWidth {
  /** Width of a line including gaps; Infinity if nothing is to be shortened. */
  readonly most: number;
  readonly whole?: readonly number[];
}

/** Returns the width of each column, its longest cell; the widest are reduced to fit. */
export function fittedWidths(
  rows: readonly (readonly string[])[],
  { most, whole = [] }: TableWidth,
): readonly number[] {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => visible(row[column] ?? '').length)),
  );
  const isWhole = (column: number): boolean =>
    whole.includes(column) || rows.some((row) => WHOLE.test(row[column] ?? ''));
  const fitting = widths.map((width, column) => (isWhole(column) ? 0 : width));
  const room = most - columns * GAP;
  const wanted = widths.reduce((sum, each) => sum + each, 0);
  for (let over = wanted - room; over > 0; over -= 1) {
    const widest = fitting.indexOf(Math.max(...fitting));
    const width = (fitting[widest] ?? 0) - 1;
    if (width < COLUMN_WIDTH_MIN) break;
    widths[widest] = width;
    fitting[widest] = width;
  }
  return widths;
}

/** Returns a word as a shell takes it, in quotes if it has to be. */
export function shellWord(word: string): string {
  return /^[\w@%+=:,./-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
