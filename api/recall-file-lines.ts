/**
 * Reads the lines of MEMORY.md and of the latest daily files that the identifiers open, for recall.
 */
import { pagesOf } from '#core/chunks-and-pages.ts';
import type { Identifiers } from '#core/identifiers.ts';
import { mayReplace, comparableLine } from '#core/dreams/compare-lines.ts';
import { saysOtherwise } from '#core/search/contradictions.ts';
import { pastSession, type PastSession, type PastTurn } from '#core/recall/past-session.ts';
import { MEMORY_PATH, type Document, type DocumentLine } from '#core/records/document.ts';
import { citedTurn } from '#core/memory-files/turn-citation.ts';
import { withoutKeepMark } from '#core/memory-files/keep-mark.ts';
import { subjectKey, subjectsOf, type Subject } from '#core/subject.ts';
import { LINE_ROLE } from '#core/text/spoken-line.ts';
import { currentLines } from '#memory/current-file-lines.ts';
import type { ApiPorts } from './api-ports.ts';
import { lineReader, mayNameSubject, type Principal } from './authorize.ts';

/** Maximum daily files of a subject to read, latest first; MEMORY.md covers older days. */
const DAILY_FILES_MAX = 14;
/** Maximum blocks of each file, latest first. */
const BLOCKS_MAX = 50;
const PATHS_PAGE = 200;
/** Maximum file names of one subject to list, to find the latest. */
const PATHS_MAX = 4_000;
const DAILY_PATH = /^memory\/\d{4,}-\d{2}-\d{2}\.md$/u;

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

/** Omits subjects that the principal may not name. */
export async function recallFileLines(
  ports: Pick<ApiPorts, 'store' | 'analyzer' | 'platform'>,
  principal: Principal,
  { tenant, identifiers }: { readonly tenant: string; readonly identifiers: Identifiers },
): Promise<PastLines> {
  const subjects = subjectsOf(identifiers).filter((subject) => mayNameSubject(principal, subject));
  const found = await Promise.all(subjects.map((subject) => linesOf(ports, tenant, subject)));
  const all = found.flat();
  const holds = await currentLines(
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
  { store: { documents } }: Pick<ApiPorts, 'store'>,
  tenant: string,
  subject: Subject,
): Promise<readonly PastLine[]> {
  const place = { tenant, subject: subjectKey(subject) };
  const days = await dailyPaths(documents, place);
  const [core, ...daily] = await Promise.all([
    documents.latest({ ...place, path: MEMORY_PATH }),
    ...days.map((path) => latestBlocks(documents, { ...place, path })),
  ]);
  const files = [...(core === null ? [] : [core]), ...daily.flat()];
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
  return found.filter((path) => DAILY_PATH.test(path)).slice(-DAILY_FILES_MAX);
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
