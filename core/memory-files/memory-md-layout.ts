/**
 * MEMORY.md as a person wrote it. Varve parses its lines. Everything else (front matter, comments,
 * list marks, tables, fences, empty rows, line endings) stays byte for byte while lines come and
 * go.
 */
import { fenceAfter } from '../text/code-fence.ts';
import { frontMatterLines } from '../text/front-matter.ts';
import { oneLine } from '../text/lines.ts';
import { DEFAULT_HEADING } from './daily-and-diary-text.ts';
import { marked, withoutKeepMark } from './keep-mark.ts';
import { escapedHeading, escapedLine, unescapedHeading } from './markdown-line.ts';
import {
  boundedLines,
  HEADING,
  memoryText,
  readMemoryRows,
  type RowLine,
  type WrittenLine,
} from './memory-md.ts';

interface LayoutLine extends RowLine {
  /** Its first row, or that of the mark before it. */
  readonly from: number;
}

const BYTE_ORDER = /^\u{feff}/u;
const COMMENT_BEGIN = /^\s*<!--/u;
const COMMENT_END = '-->';
const DIVIDER = /^\s*\|?\s*:?-+:?\s*(?:\|\s*:?-+:?\s*)*\|?\s*$/u;
const UNDERLINE = /^ {0,3}(?:=+|-+)\s*$/u;
const QUOTE_OR_HTML = /^\s*(?:>|<\/?[a-z])/iu;
const ITEM = /^(\s*)(?:[-*+]|(\d{1,9})[.)])(?:\s|$)/u;
const NUMBER = /^(\s*)\d{1,9}[.)](?=\s|$)/u;
const CODE = /^(?: {4}|\t)/u;
const TAB = '    ';

/**
 * A row is not part of a line (`Frame`), part of a line that no dream changes (`Fixed`), or part of
 * any other line (`Plain`). `text` is the row in a form for `readMemoryRows`.
 */
interface Row {
  readonly kind: 'Frame' | 'Fixed' | 'Plain';
  readonly text: string;
}

/** Returns the lines of a text that a person wrote. @throws VarveError as `readMemoryText` */
export function readLayout(text: string): readonly WrittenLine[] {
  return boundedLines(text, layoutLines);
}

const FRAME: Row = { kind: 'Frame', text: '' };

/** Returns the lines of a text with their rows, as `readMemoryText`, but without `Frame` rows. */
export function layoutLines(text: string): readonly LayoutLine[] {
  const rows = rowsOf(text).map(({ said }) => said);
  const read = readRows(rows);
  const fixed = fixedItems(rows, read);
  const found = readMemoryRows(read.map((row) => row.text));
  return found.map(({ heading, text: said, row, end }, at) => {
    const isFixed = read[row]?.kind === 'Fixed' || fixed.has(row);
    const from = markedFrom(rows, row, found[at - 1]?.end ?? 0);
    return { heading, text: said, row, from, end, ...(isFixed ? { isFixed } : {}) };
  });
}

/** Splits a text into rows, each with and without its line ending. */
function rowsOf(text: string): readonly { readonly raw: string; readonly said: string }[] {
  const found = text.match(/[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+$/gu) ?? [];
  return found.map((raw, at) => {
    const said = raw.replace(/[\r\n]+$/u, '');
    return { raw, said: at === 0 ? said.replace(BYTE_ORDER, '') : said };
  });
}

function readRows(rows: readonly string[]): readonly Row[] {
  const read: Row[] = rows.slice(0, frontMatterLines(rows)).map(() => FRAME);
  let isInList = false;
  while (read.length < rows.length) {
    const at = read.length;
    const row = rows[at] ?? '';
    const block = blockAt(rows, at);
    if (block !== null) {
      read.push(...block);
      continue;
    }
    if (ITEM.test(row)) isInList = true;
    else if (row.trim() !== '' && !/^\s/u.test(row)) isInList = false;
    const isCode = CODE.test(row) && !isInList && row.trim() !== '';
    if (isCode || QUOTE_OR_HTML.test(row)) read.push(fixedRow(row));
    else if (NUMBER.test(row)) read.push({ kind: 'Fixed', text: row.replace(NUMBER, '$1-') });
    else read.push({ kind: 'Plain', text: row });
  }
  return read.map((row, at) => (isIdleMark(rows, read, at) ? FRAME : row));
}

function fixedRow(row: string): Row {
  return { kind: 'Fixed', text: escapedLine(oneLine(row)) };
}

/**
 * Returns a comment, fenced code, a table or an underlined heading that begins in a row, or null.
 */
function blockAt(rows: readonly string[], at: number): readonly Row[] | null {
  const row = rows[at] ?? '';
  const comment = isMark(row) ? -1 : commentEnd(rows, at);
  if (comment >= 0) return rows.slice(at, comment + 1).map(() => FRAME);
  const open = fenceAfter(null, row);
  if (open !== null) {
    const last = rows.findIndex((each, index) => index > at && fenceAfter(open, each) === null);
    if (last > 0) return [FRAME, ...rows.slice(at + 1, last).map(fixedRow), FRAME];
  }
  const under = rows[at + 1] ?? '';
  if (row.includes('|') && under.includes('|') && DIVIDER.test(under)) {
    const end = rows.findIndex((each, index) => index > at && !each.includes('|'));
    const cells = rows.slice(at + 2, end < 0 ? undefined : end);
    return [fixedRow(row), FRAME, ...cells.map(fixedRow)];
  }
  const isText = /^ {0,3}\S/u.test(row) && !ITEM.test(row) && !HEADING.test(row);
  if (!isText || !UNDERLINE.test(under) || UNDERLINE.test(row)) return null;
  return [{ kind: 'Plain', text: `# ${oneLine(row)}` }, FRAME];
}

/** Returns the row where a comment with rows of its own ends; -1 if there is none. */
function commentEnd(rows: readonly string[], at: number): number {
  if (!COMMENT_BEGIN.test(rows[at] ?? '')) return -1;
  const last = rows.findIndex((row, index) => index >= at && row.includes(COMMENT_END));
  const [, behind, ...more] = (rows[last] ?? '').split(COMMENT_END);
  return behind?.trim() === '' && more.length === 0 ? last : -1;
}

/** Returns whether a mark is followed by nothing that it could protect. */
function isIdleMark(rows: readonly string[], read: readonly Row[], at: number): boolean {
  if (read[at]?.kind !== 'Plain' || !isMark(rows[at] ?? '')) return false;
  const next = rows.findIndex((row, index) => index > at && row.trim() !== '');
  return next < 0 || read[next]?.kind === 'Frame' || isMark(rows[next] ?? '');
}

function isMark(row: string): boolean {
  return row.trim() !== '' && withoutKeepMark(row.trim()) === '';
}

/** Returns the rows of list items that contain others, and of everything inside them. */
function fixedItems(rows: readonly string[], read: readonly Row[]): ReadonlySet<number> {
  const fixed = new Set<number>();
  let open: { readonly at: number; readonly indent: number }[] = [];
  let isAfterGap = false;
  for (const [at, row] of rows.entries()) {
    if (row.trim() === '') {
      isAfterGap = true;
      continue;
    }
    const indent = indentOf(row);
    open = open.filter((item) => item.indent < indent);
    const isItem = read[at]?.kind !== 'Frame' && ITEM.test(row);
    const isWithin = open.length > 0 && (isItem || isAfterGap || read[at]?.kind !== 'Plain');
    if (isWithin) for (const each of [...open.map((item) => item.at), at]) fixed.add(each);
    if (isItem) open.push({ at, indent });
    isAfterGap = false;
  }
  return fixed;
}

function indentOf(row: string): number {
  return (/^\s*/u.exec(row)?.[0] ?? '').replaceAll('\t', TAB).length;
}

/** Returns the first row of a line, or of its mark if that has a row of its own. */
function markedFrom(rows: readonly string[], row: number, after: number): number {
  const mark = rows.findLastIndex((each, at) => at < row && each.trim() !== '');
  return mark >= after && isMark(rows[mark] ?? '') ? mark : row;
}

/**
 * Returns the text with exactly these lines. Removes the rows of missing lines, and adds new lines
 * after everything under their heading. The returned `lines` are in the order of the text, each
 * with the heading that it has there.
 */
export function laidOut<Line extends WrittenLine>(
  layout: string | undefined,
  lines: readonly Line[],
): { readonly text: string; readonly lines: readonly Line[] } {
  if (layout === undefined) return { text: memoryText(lines), lines };
  const file = laidFile(layout);
  const { placed, coming } = matched(file.laid, lines);
  const groups = Map.groupBy(coming, ({ heading }) => headingFor(file, heading));
  const kept = file.laid.map((at) => placed.has(at));
  const rows = withoutGone(file, kept);
  // A new section goes to the end of the file, so it is added last.
  const [known, unknown] = partition([...groups], ([heading]) => sectionOf(file, heading) !== null);
  const added = new Map<number, string>();
  for (const [heading, group] of [...known, ...unknown]) {
    const row = rowBefore(rows, file, heading);
    const own = addedRows(rows, file, { heading, group, row });
    added.set(row, (added.get(row) ?? '') + own);
  }
  const all = rows.map((row, at) => {
    const behind = added.get(at) ?? '';
    return behind === '' || /[\r\n]$/u.test(row) ? row + behind : row + file.eol + behind;
  });
  const text = file.mark + (added.get(-1) ?? '') + all.join('');
  const standing = [
    ...[...placed].map(([{ heading }, line]) => ({ ...line, heading })),
    ...[...groups].flatMap(([heading, group]) => group.map((line) => ({ ...line, heading }))),
  ];
  return { text, lines: inOrder(standing, layoutLines(text)) };
}

interface LaidFile {
  /** Rows with their line endings, and without. */
  readonly raw: readonly string[];
  readonly said: readonly string[];
  readonly laid: readonly LayoutLine[];
  /** In order; a heading that consists only of marks has no name. */
  readonly headings: readonly { readonly row: number; readonly name: string | null }[];
  readonly titleRow: number;
  /** The byte order mark at the start of the file; usually empty. */
  readonly mark: string;
  /** The line ending of its rows. */
  readonly eol: string;
}

function laidFile(layout: string): LaidFile {
  const rows = rowsOf(layout);
  const said = rows.map((row) => row.said);
  const read = readRows(said);
  const headings = read.flatMap(({ kind, text }, row) => {
    if (kind !== 'Plain' || !HEADING.test(text)) return [];
    const name = unescapedHeading(oneLine(HEADING.exec(text)?.[1] ?? ''));
    const isKept = markedFrom(said, row, 0) < row;
    return [{ row, name: name === '' || !isKept ? name || null : marked(name) }];
  });
  const first = headings[0]?.row ?? -1;
  return {
    raw: rows.map(({ raw }, at) => (at === 0 ? raw.replace(BYTE_ORDER, '') : raw)),
    mark: BYTE_ORDER.exec(layout)?.[0] ?? '',
    said,
    laid: layoutLines(layout),
    headings,
    titleRow: /^ {0,3}#\s/u.test(read[first]?.text ?? '') ? first : -1,
    eol: /\r\n|\r|\n/u.exec(layout)?.[0] ?? '\n',
  };
}

/** Matches lines with rows: first by heading and text, then by text alone. */
function matched<Line extends WrittenLine>(
  laid: readonly LayoutLine[],
  lines: readonly Line[],
): { readonly placed: ReadonlyMap<LayoutLine, Line>; readonly coming: readonly Line[] } {
  const placed = new Map<LayoutLine, Line>();
  const coming = new Set(lines);
  for (const keyIn of [keyOf, ({ text }: WrittenLine) => text]) {
    const open = Map.groupBy(coming, keyIn);
    for (const at of laid) {
      const line = placed.has(at) ? undefined : open.get(keyIn(at))?.shift();
      if (line === undefined) continue;
      placed.set(at, line);
      coming.delete(line);
    }
  }
  return { placed, coming: [...coming] };
}

/**
 * A line without a heading goes to those that have none, or under the title if the file has lines
 * there or no other heading. Otherwise it goes to a section at the end, behind the person's own
 * sections.
 */
function headingFor({ headings, laid, titleRow }: LaidFile, given: string | null): string | null {
  if (given === null && laid.some((line) => line.heading === null)) return null;
  const title = headings.find(({ row }) => row === titleRow)?.name ?? null;
  const isOpen = headings.length <= (title === null ? 0 : 1);
  if (given === null && (isOpen || laid.some((line) => line.heading === title))) return title;
  const heading = given ?? DEFAULT_HEADING;
  const names = [...laid.map((line) => line.heading), ...headings.map(({ name }) => name)];
  return names.find((name) => withoutKeepMark(name ?? '') === withoutKeepMark(heading)) ?? heading;
}

function withoutGone({ raw, said, laid, eol }: LaidFile, kept: readonly boolean[]): string[] {
  const rows = [...raw];
  for (const [at, { from, end }] of laid.entries()) {
    if (kept[at] === true) continue;
    rows.fill('', from, end);
    const before = rows.findLastIndex((row, index) => index < from && row !== '');
    const next = said[end] ?? '';
    const joins = before >= 0 && (rows[before] ?? '').trim() !== '' && next.trim() !== '';
    // Keeps rows apart that were not adjacent before: joined, they might say something else.
    if (joins && !ITEM.test(next) && !HEADING.test(next)) rows[from] = eol;
  }
  return rows;
}

interface Coming {
  readonly heading: string | null;
  readonly group: readonly WrittenLine[];
  /** The row after which they go; -1 for the start of the file. */
  readonly row: number;
}

/** Returns the last nonempty row under a heading; for a new heading, the last one of the file. */
function rowBefore(rows: readonly string[], file: LaidFile, heading: string | null): number {
  const end = sectionOf(file, heading)?.end ?? rows.length;
  return rows.findLastIndex(
    (row, at) => at < end && row.trim() !== '' && !isMark(file.said[at] ?? ''),
  );
}

function addedRows(
  rows: readonly string[],
  file: LaidFile,
  { heading, group, row }: Coming,
): string {
  const { eol } = file;
  const isNew = sectionOf(file, heading) === null;
  const bullet = isNew ? undefined : /^([-*+]) /u.exec(file.said[row] ?? '')?.[1];
  const head = isNew ? `## ${escapedHeading(oneLine(heading ?? ''))}${eol}${eol}` : '';
  const own = group.map(({ text }) => `${bullet ?? '-'} ${escapedLine(oneLine(text))}${eol}`);
  const gap = row >= 0 && bullet === undefined ? eol : '';
  const next = rows.find((each, at) => at > row && each !== '') ?? '';
  return `${gap}${head}${own.join('')}${next.trim() === '' ? '' : eol}`;
}

function partition<Each>(
  all: readonly Each[],
  isIn: (each: Each) => boolean,
): readonly [readonly Each[], readonly Each[]] {
  return [all.filter(isIn), all.filter((each) => !isIn(each))];
}

/** Returns where the rows under a heading end; null if there is no such heading. */
function sectionOf(
  { headings, laid, said }: LaidFile,
  heading: string | null,
): { readonly end: number } | null {
  const line = laid.findLast((each) => each.heading === heading);
  const named = headings.find(({ name }) => name !== null && name === heading);
  const begin = line?.from ?? named?.row ?? (heading === null ? -1 : null);
  if (begin === null) return null;
  return { end: headings.find(({ row }) => row > begin)?.row ?? said.length };
}

function inOrder<Line extends WrittenLine>(
  lines: readonly Line[],
  laid: readonly WrittenLine[],
): readonly Line[] {
  const open = Map.groupBy(lines, keyOf);
  return laid.flatMap((line) => open.get(keyOf(line))?.shift() ?? []);
}

function keyOf({ heading, text }: WrittenLine): string {
  return JSON.stringify([heading, text]);
}
