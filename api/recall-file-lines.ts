/** Lines of MEMORY.md and of the latest daily files that the identifiers open, as recall reads. */
import type { Identifiers } from '#core/identifiers.ts';
import { mayReplace, readLine } from '#core/dreams/compare-lines.ts';
import { saysOtherwise } from '#core/search/contradictions.ts';
import { pastSession, type PastSession, type PastTurn } from '#core/recall/past-session.ts';
import { MEMORY_PATH, type Document, type DocumentLine } from '#core/records/document.ts';
import { citedTurn } from '#core/memory-files/turn-citation.ts';
import { withoutKeepMark } from '#core/memory-files/keep-mark.ts';
import { subjectKey, subjectsOf, type Subject } from '#core/subject.ts';
import { currentLines } from '#memory/current-file-lines.ts';
import type { ApiPorts } from './api-ports.ts';
import { lineReader, mayNameSubject, type Principal } from './authorize.ts';

/** The latest daily files of a subject that are looked at; older days are in MEMORY.md. */
const DAILY_FILES_MAX = 14;
/** The latest blocks of each. */
const BLOCKS_MAX = 50;
const PATHS_PAGE = 200;
/** Files of one subject that are named at most, to find the latest among them. */
const PATHS_MAX = 4_000;
/** How the flush of a session begins a line, by who said it. */
export const ROLE = /^(?<role>user|assistant|tool|system): /u;
const DAILY_PATH = /^memory\/\d{4,}-\d{2}-\d{2}\.md$/u;

/** A line of a file, with where it stands. */
export interface PastLine {
  readonly subject: Subject;
  readonly path: string;
  /** Id of the block that it is of, or of the version of MEMORY.md. */
  readonly block: string;
  readonly line: DocumentLine;
}

export interface PastLines {
  /** One of each line, so that no line is judged by those around it; by the place of `lines`. */
  readonly sessions: readonly PastSession[];
  readonly lines: readonly PastLine[];
}

/** Nothing of subjects that the principal may not name. */
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
    role: (ROLE.exec(text)?.groups?.['role'] ?? 'user') === 'user' ? 'user' : 'assistant',
    speaker: path,
    content: text,
    trust,
    isRestated: sources.some((source) => citedTurn(source) !== null),
  };
}

/** Without what a newer line of MEMORY.md took the place of: it rests on both. */
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
        mayReplace(readLine(text), readLine(line.text)),
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

/** The latest, in their order. */
async function dailyPaths(
  documents: ApiPorts['store']['documents'],
  place: { readonly tenant: string; readonly subject: string },
): Promise<readonly string[]> {
  const found: string[] = [];
  for (let after = ''; found.length < PATHS_MAX;) {
    const page = await documents.paths(place, { after, limit: PATHS_PAGE });
    found.push(...page);
    after = page.at(-1) ?? after;
    if (page.length < PATHS_PAGE) break;
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
