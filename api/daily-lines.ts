/** The lines of a daily block out of what a caller gave. Pure. */
import { VarveError } from '#core/errors.ts';
import type { NewId } from '#core/ports/platform.ts';
import {
  LINE_LENGTH_MAX,
  LINES_PER_DOCUMENT_MAX,
  type Document,
  type DocumentLine,
} from '#core/records/document.ts';
import { leastTrust, type Trust } from '#core/records/memory.ts';
import { readMemoryText } from '#core/tiers/memory-text.ts';

/** What a heading begins with; of one that is all marks nothing is left. */
const HEADING_MARKS = /^[#\s]+/u;

export interface GivenLine {
  /** Markdown or plain text, of one line or of several. */
  readonly text: string;
  readonly sources: readonly string[];
}

interface LineParts {
  readonly at: number;
  readonly newId: NewId;
  /** Of a source; undefined where nothing is known of it. */
  readonly trustOf: (id: string) => Trust | undefined;
}

/**
 * What callers say is stated; what they say on sources is believed no more than these.
 * @throws VarveError INVALID_INPUT where no line comes of it, CONTENT_TOO_LONG with the maximum
 */
export function blockLines(given: readonly GivenLine[], parts: LineParts): DocumentLine[] {
  const lines = given.flatMap(({ text, sources }) => {
    const known = sources.flatMap((id) => parts.trustOf(id) ?? []);
    const trust = leastTrust(['stated', ...known]);
    return writtenLines(text).map((line): DocumentLine => ({
      ...line,
      id: parts.newId(),
      sources: [...sources],
      trust,
      at: parts.at,
    }));
  });
  if (lines.length === 0) {
    throw new VarveError('INVALID_INPUT', 'The text has marks of Markdown only; give it words.');
  }
  if (lines.length <= LINES_PER_DOCUMENT_MAX) return lines;
  throw new VarveError('CONTENT_TOO_LONG', 'The block has too many lines; append it in parts.', {
    details: { linesMax: LINES_PER_DOCUMENT_MAX, lines: lines.length },
  });
}

/** Whether a block says what is given, wherever and whenever it was written. */
export function isSameBlock(
  block: Pick<Document, 'heading' | 'lines'>,
  asked: { readonly heading: string; readonly given: readonly GivenLine[] },
): boolean {
  const lines = asked.given.flatMap(({ text, sources }) =>
    writtenLines(text).map((line) => ({ ...line, sources })),
  );
  const stored = block.lines.map(({ heading, text, sources }) => ({ heading, text, sources }));
  return block.heading === asked.heading && keyOf(stored) === keyOf(lines);
}

/** The words of headings that nothing stands under are lines, where there is no other line. */
function writtenLines(text: string): ReturnType<typeof readMemoryText> {
  const rows = text.split(/\r\n|\r|\n/u);
  const lines = linesOfRows(rows);
  return lines.length > 0 ? lines : linesOfRows(rows.map((row) => row.replace(HEADING_MARKS, '')));
}

function linesOfRows(rows: readonly string[]): ReturnType<typeof readMemoryText> {
  return readMemoryText(rows.flatMap(shortRows).join('\n'));
}

/** Rows that no line has room for are cut at a space, or where they must be. */
function shortRows(row: string): readonly string[] {
  const rows: string[] = [];
  let rest = row;
  while (rest.length > LINE_LENGTH_MAX) {
    const space = rest.lastIndexOf(' ', LINE_LENGTH_MAX);
    const cut = space > 0 ? space : wholeCharacters(rest, LINE_LENGTH_MAX);
    rows.push(rest.slice(0, cut));
    rest = rest.slice(cut).trimStart();
  }
  return [...rows, rest];
}

/** Half of a surrogate pair is no character. */
function wholeCharacters(text: string, most: number): number {
  return text.slice(0, most).isWellFormed() ? most : most - 1;
}

function keyOf(
  lines: readonly { heading: string | null; text: string; sources: readonly string[] }[],
): string {
  return JSON.stringify(lines.map(({ heading, text, sources }) => [heading, text, sources]));
}
