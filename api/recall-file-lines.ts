/** Reads the lines of MEMORY.md and of the latest daily files, as far as they are open. */
import { pagesOf } from '#core/chunks-and-pages.ts';
import type { Identifiers } from '#core/identifiers.ts';
import { mayReplace, comparableLine } from '#core/dreams/compare-lines.ts';
import { saysOtherwise } from '#core/search/differing-values.ts';
import { recallTerms } from '#core/recall/words/recall-terms.ts';
import {
  pastSession,
  type PastSession,
  type PastTurn,
} from '#core/recall/sessions/past-session.ts';
import type { Document, DocumentLine } from '#core/records/document.ts';
import { dayOfPath, MEMORY_PATH } from '#core/memory-files/paths.ts';
import { citedTurn } from '#core/memory-files/turn-citation.ts';
import { withoutKeepMark } from '#core/memory-files/keep-mark.ts';
import { subjectKey, subjectsOf, type Subject } from '#core/subject.ts';
import { LINE_ROLE } from '#core/text/speaker-label.ts';
import { validLines } from '#memory/current-file-lines.ts';
import type { ApiPorts } from './api-ports.ts';
import { lineReader, mayNameSubject, type Principal } from './principal.ts';

/** Maximum daily files of a subject to read whole, latest first. */
const DAILY_FILES_MAX = 14;
/** Maximum blocks of older files of a subject to look through, latest first. */
const OLDER_BLOCKS_MAX = 400;
/** Maximum lines of them to recall: those that share most words with what is asked. */
const OLDER_LINES_MAX = 40;
/** Maximum blocks of each file, latest first. */
const BLOCKS_MAX = 50;
const PATHS_PAGE = 200;
/** Maximum file names of one subject to list, to find the latest. */
const PATHS_MAX = 4_000;
const DAILY_FOLDER = 'memory/';

/** A line of a file, with its place. */
export interface PastLine {
  readonly subject: Subject;
  readonly path: string;
  /** The id of its block, or of the version of MEMORY.md. */
  readonly block: string;
  readonly line: DocumentLine;
}

export interface PastLines {
  /** One session per line, in the order of `lines`, so that no line is ranked by its neighbors. */
  readonly sessions: readonly PastSession[];
  readonly lines: readonly PastLine[];
}

type Ports = Pick<ApiPorts, 'store' | 'analyzer' | 'platform'>;

/** What to look for in daily files older than those that are read whole. */
export interface OlderLines {
  /** Words, or the id of a line. */
  readonly about: string;
  /** Whether a line says what the caller does not have. */
  readonly isMissing: (line: PastLine) => boolean;
}

interface AskedLines {
  readonly tenant: string;
  readonly identifiers: Identifiers;
  /** Null to leave out older files. */
  readonly older: Promise<OlderLines | null>;
}

/** Omits subjects that the principal may not name. */
export async function recallFileLines(
  ports: Ports,
  principal: Principal,
  { tenant, identifiers, older }: AskedLines,
): Promise<PastLines> {
  const subjects = subjectsOf(identifiers).filter((subject) => mayNameSubject(principal, subject));
  const found = await Promise.all(
    subjects.map((subject) => linesOf(ports, { tenant, subject, older })),
  );
  const all = found.flat();
  const holds = await validLines(
    ports,
    lineReader(ports.store, principal, tenant),
    all.map(({ line }) => line),
  );
  const lines = withoutOutdatedLines(all.filter(({ line }) => holds(line)));
  const sessions = lines.map((line) =>
    pastSession(line.path, [{ turn: asTurn(line), vectors: null }], ports.analyzer),
  );
  return { sessions, lines };
}

function asTurn({ path, line: { id, at, text, trust, sources } }: PastLine): PastTurn['turn'] {
  return {
    id,
    sessionId: path,
    at,
    role: (LINE_ROLE.exec(text)?.groups?.['role'] ?? 'user') === 'user' ? 'user' : 'assistant',
    speaker: path,
    content: text,
    trust,
    isRestated: sources.some((source) => citedTurn(source) !== null),
  };
}

/** Drops a line if a newer line of MEMORY.md that rests on it replaces it. */
function withoutOutdatedLines(lines: readonly PastLine[]): readonly PastLine[] {
  const resting = new Map<string, DocumentLine[]>();
  for (const { path, line } of lines) {
    if (path !== MEMORY_PATH) continue;
    for (const source of line.sources) {
      resting.set(source, [...(resting.get(source) ?? []), line]);
    }
  }
  return lines.filter(({ path, block, line: { text, at, sources } }) => {
    if (path === MEMORY_PATH) return true;
    const newer = [block, ...sources].flatMap((id) => resting.get(id) ?? []);
    return !newer.some(
      (line) =>
        line.at > at &&
        saysOtherwise(text, line.text) &&
        mayReplace(comparableLine(text), comparableLine(line.text)),
    );
  });
}

async function linesOf(
  ports: Ports,
  { tenant, subject, older }: Omit<AskedLines, 'identifiers'> & { readonly subject: Subject },
): Promise<readonly PastLine[]> {
  const { documents } = ports.store;
  const place = { tenant, subject: subjectKey(subject) };
  const days = await dailyPaths(documents, place);
  const [core, ...daily] = await Promise.all([
    documents.latest({ ...place, path: MEMORY_PATH }),
    ...days.map((path) => latestBlocks(documents, { ...place, path })),
  ]);
  const latest = linesIn([...(core === null ? [] : [core]), ...daily.flat()], subject);
  const asked = await older;
  const [before] = days;
  if (asked === null || before === undefined || days.length < DAILY_FILES_MAX) return latest;
  const range = { after: DAILY_FOLDER, before, limit: OLDER_BLOCKS_MAX };
  const found = await documents.between(place, range);
  const blocks = found.filter(({ path }) => dayOfPath(path) !== null);
  return [...linesAbout(ports, linesIn(blocks, subject), asked), ...latest];
}

function linesIn(files: readonly Document[], subject: Subject): readonly PastLine[] {
  return files.flatMap(({ id: block, path, lines }) =>
    lines.map((line) => ({
      subject,
      path,
      block,
      line: {
        ...line,
        text: withoutKeepMark(line.text),
        heading: line.heading && withoutKeepMark(line.heading),
      },
    })),
  );
}

/** Returns the lines with the id, or those that share most words; of equal ones, the latest. */
function linesAbout(
  { analyzer }: Pick<Ports, 'analyzer'>,
  lines: readonly PastLine[],
  { about, isMissing }: OlderLines,
): readonly PastLine[] {
  const wanted = new Set(recallTerms(analyzer, about));
  const shared = ({ id, text }: DocumentLine): number =>
    id === about
      ? Infinity
      : new Set(recallTerms(analyzer, text).filter((term) => wanted.has(term))).size;
  return lines
    .filter(isMissing)
    .map((each) => ({ each, count: shared(each.line) }))
    .filter(({ count }) => count > 0)
    .toSorted((a, b) => b.count - a.count)
    .slice(0, OLDER_LINES_MAX)
    .map(({ each }) => each)
    .toSorted((a, b) => a.line.at - b.line.at);
}

/** Returns the paths of the latest files, in order. */
async function dailyPaths(
  documents: ApiPorts['store']['documents'],
  place: { readonly tenant: string; readonly subject: string },
): Promise<readonly string[]> {
  const found: string[] = [];
  const limit = PATHS_PAGE;
  const read = (after = '') => documents.paths(place, { after, limit });
  for await (const page of pagesOf(limit, read)) {
    found.push(...page);
    if (found.length >= PATHS_MAX) break;
  }
  return found.filter((path) => dayOfPath(path) !== null).slice(-DAILY_FILES_MAX);
}

async function latestBlocks(
  documents: ApiPorts['store']['documents'],
  place: { readonly tenant: string; readonly subject: string; readonly path: string },
): Promise<readonly Document[]> {
  const last = await documents.latest(place);
  if (last === null) return [];
  return documents.list(place, {
    after: Math.max(0, last.version - BLOCKS_MAX),
    limit: BLOCKS_MAX,
  });
}
