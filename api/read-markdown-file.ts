/** Reads a memory file for callers: its text, and what each line rests on. */
import { VarveError } from '#core/errors.ts';
import { isModelsWord } from '#core/dreams/dream-diary.ts';
import type { Document, DocumentLine } from '#core/records/document.ts';
import { archiveText, dailyText, diaryText } from '#core/memory-files/daily-and-diary-text.ts';
import { laidOut } from '#core/memory-files/memory-md-layout.ts';
import { validLines } from '#memory/current-file-lines.ts';
import { lineReader, type Principal } from './principal.ts';
import type { ApiPorts } from './api-ports.ts';
import type { DocumentAnswer } from './schemas/documents.ts';
import type { SubjectPlace } from './note-subject-changes.ts';

/** Blocks to read at once; few files have more. */
const BLOCKS_PER_PAGE = 100;
/** Maximum blocks of one answer: enough for a file that gets one every minute of a day. */
const BLOCKS_MAX = 1_440;
/** Characters of lines after which an answer ends, to fit into memory. */
const TEXT_LENGTH_MAX = 1_000_000;

const DAY_OF_PATH = /(\d{4,}-\d{2}-\d{2})\.md$/u;

interface FileQuery extends SubjectPlace {
  readonly path: string;
  readonly timeZone: string;
  /** Only blocks after this one. */
  readonly after: number;
}

/** Returns a file without lines that no longer hold; null if there is no such file. */
export async function readFileOfBlocks(
  { store, platform, calendar }: Pick<ApiPorts, 'store' | 'platform' | 'calendar'>,
  principal: Principal,
  { tenant, subject, path, timeZone, after }: FileQuery,
): Promise<DocumentAnswer | null> {
  const blocks: Document[] = [];
  let length = 0;
  let isWhole = false;
  while (!isWhole && blocks.length < BLOCKS_MAX && length < TEXT_LENGTH_MAX) {
    const page = { after: blocks.at(-1)?.version ?? after, limit: BLOCKS_PER_PAGE };
    const read = await store.documents.list({ tenant, subject, path }, page);
    for (const block of read) {
      if (length >= TEXT_LENGTH_MAX) break;
      blocks.push(block);
      length += block.lines.reduce((sum, { text }) => sum + text.length, 0);
    }
    isWhole = read.length < BLOCKS_PER_PAGE && blocks.at(-1)?.version === read.at(-1)?.version;
    if (read.length === 0) isWhole = true;
  }
  const last = blocks.at(-1);
  if (last === undefined) return null;
  const all = blocks.flatMap(({ lines }) => lines);
  const holds = await validLines({ store, platform }, lineReader(store, principal, tenant), all);
  const shown = blocks
    .map((block) => ({ ...block, lines: linesToShow(block, holds) }))
    .filter(({ lines }, at) => lines.length > 0 || blocks[at]?.lines.length === 0);
  return {
    ...shownDocument(last, blocksText(shown, calendar, { kind: last.kind, path, timeZone })),
    lines: shown.flatMap(({ id: blockId, heading, lines }) =>
      lines.map((line) => ({ ...line, heading: line.heading ?? heading, blockId })),
    ),
    outdatedLines: all.length - shown.reduce((sum, { lines }) => sum + lines.length, 0),
    nextAfter: isWhole ? null : last.version,
  };
}

/** If one line of a dream no longer holds, the model's words about the dream are left out too. */
function linesToShow(
  { kind, lines }: Document,
  holds: (line: DocumentLine) => boolean,
): DocumentLine[] {
  const hidesWords = kind === 'Diary' && !lines.every(holds);
  return lines.filter((line) => holds(line) && !(hidesWords && isModelsWord(line)));
}

/**
 * Returns MEMORY.md as of one of its versions.
 * @param current its lines that hold, with those that came back
 */
export function shownMemoryFile(
  document: Document,
  current: readonly DocumentLine[],
): DocumentAnswer {
  const ids = new Set(current.map(({ id }) => id));
  const outdatedLines = document.lines.filter(({ id }) => !ids.has(id)).length;
  const shown = { ...document, lines: [...current] };
  return {
    ...shownDocument(shown, laidOut(document.layout, current).text),
    outdatedLines,
    nextAfter: null,
  };
}

function shownDocument(
  document: Document,
  text: string,
): Omit<DocumentAnswer, 'nextAfter' | 'outdatedLines'> {
  const { path, kind, version, lines, author, proposalId, at } = document;
  const shown = lines.map((line) => ({ ...line, blockId: null }));
  return { path, kind, version, text, lines: shown, author, dreamId: proposalId, at };
}

function blocksText(
  blocks: readonly Document[],
  calendar: ApiPorts['calendar'],
  { kind, path, timeZone }: { kind: Document['kind']; path: string; timeZone: string },
): string {
  const timeOf = (at: number) => calendar.timeOf(at, timeZone);
  if (kind === 'Archive') return archiveText(blocks, (at) => calendar.dayOf(at, timeZone));
  const day = DAY_OF_PATH.exec(path)?.[1];
  if (day === undefined) throw new VarveError('CORRUPT', 'The name of the file has no day.');
  return kind === 'Diary' ? diaryText(day, blocks, timeOf) : dailyText(day, blocks, timeOf);
}
