/** The lines of a daily block out of what a caller gave. Pure. */
import type { NewId } from '#core/ports/platform.ts';
import { LINE_LENGTH_MAX, type Document, type DocumentLine } from '#core/records/document.ts';
import { leastTrust, type Trust } from '#core/records/memory.ts';
import { readMemoryText } from '#core/tiers/memory-text.ts';

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

/** What callers say is stated; what they say on sources is believed no more than these. */
export function blockLines(given: readonly GivenLine[], parts: LineParts): DocumentLine[] {
  return given.flatMap(({ text, sources }) => {
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

function writtenLines(text: string): ReturnType<typeof readMemoryText> {
  return readMemoryText(
    text
      .split(/\r\n|\r|\n/u)
      .flatMap(shortRows)
      .join('\n'),
  );
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
