/** Tables without frames, which survive being copied. */
import Table from 'cli-table3';
import { visible, lineWidth, shortened } from './terminal-text.ts';

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

/** Times and ids are copied, and say nothing in part. */
const WHOLE = /^(?:\d{4}-\d{2}-\d{2}T[\d:.]+Z|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12})$/u;

/**
 * Where the table is wider than a terminal, its widest columns are shortened.
 * @param whole columns that are not; nor are those of times and ids
 */
export function renderTable(
  head: readonly string[],
  rows: readonly (readonly string[])[],
  whole: readonly number[] = [],
): string {
  const most = process.stdout.isTTY ? lineWidth() : Infinity;
  const widths = fittedWidths([head, ...rows], { most, whole });
  const fitted = (row: readonly string[]) =>
    row.map((cell, column) => shortened(cell, widths[column] ?? 0));
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
  /** Characters of a line, with the gaps; Infinity where nothing is to be shortened. */
  readonly most: number;
  readonly whole?: readonly number[];
}

/** Characters of each column: as many as its cells have, the widest fewer where there are more. */
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
  for (let over = sum(widths) - room; over > 0; over -= 1) {
    const widest = fitting.indexOf(Math.max(...fitting));
    const width = (fitting[widest] ?? 0) - 1;
    if (width < COLUMN_WIDTH_MIN) break;
    widths[widest] = width;
    fitting[widest] = width;
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
