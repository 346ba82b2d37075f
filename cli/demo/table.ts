/** Tables without frames, which survive being copied. */
import Table from 'cli-table3';
import { lineWidth, shortened } from './text.ts';

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

/** Where the table is wider than a line, its widest columns are shortened. */
export function renderTable(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = fittedWidths([head, ...rows]);
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

function fittedWidths(rows: readonly (readonly string[])[]): readonly number[] {
  const columns = Math.max(...rows.map((row) => row.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  const room = lineWidth() - columns * GAP;
  for (let over = sum(widths) - room; over > 0; over -= 1) {
    const widest = widths.indexOf(Math.max(...widths));
    widths[widest] = Math.max(COLUMN_WIDTH_MIN, (widths[widest] ?? 0) - 1);
  }
  return widths;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, each) => total + each, 0);
}
