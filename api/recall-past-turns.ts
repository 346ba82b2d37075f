/** Ranks what earlier sessions and files say, as far as they are open, for a question. */
import { pagesOf } from '#core/chunks-and-pages.ts';
import { once } from '#core/once.ts';
import type { Identifiers } from '#core/identifiers.ts';
import type { PastPassage } from '#core/context/past-turns.ts';
import { onlyRepeats } from '#core/recall/turn-overlap.ts';
import type { PastSession, PastTurn } from '#core/recall/sessions/past-session.ts';
import { asksForTasks } from '#core/extraction/open-tasks.ts';
import { pastPassages, type PastPassages } from '#core/recall/ranking/passages-for-context.ts';
import { topicTerms } from '#core/recall/words/recall-terms.ts';
import { questionWindows } from '#core/recall/question/dates-in-question.ts';
import type { TimeWindow } from '#core/recall/question/time-window.ts';
import { passagesWithin, rankPassages } from '#core/recall/ranking/rank-past-turns.ts';
import { MEMORY_PATH } from '#core/memory-files/paths.ts';
import type { SessionRecord } from '#core/records/session.ts';
import type { QueryVector } from '#core/search/scope-search.ts';
import { openersOf } from '#core/sessions/session-access.ts';
import { subjectKey } from '#core/subject.ts';
import { LINE_ROLE } from '#core/text/speaker-label.ts';
import { dayNumber } from '#core/text/day.ts';
import { lineKey } from '#core/memory-files/line-likeness.ts';
import { withoutSourceDates } from '#core/sources/source.ts';
import { citedTurn } from '#core/memory-files/turn-citation.ts';
import { recallFileLines, type PastLine, type PastLines } from './recall-file-lines.ts';
import type { ApiPorts } from './api-ports.ts';
import { mayReadSession, type Principal } from './principal.ts';

/** Maximum sessions of a person, an agent or a project to search, newest first. */
const SESSIONS_MAX = 1_000;
const PAGE_SESSIONS = 200;

interface Asked {
  readonly tenant: string;
  readonly identifiers: Identifiers;
  readonly query: string;
  /** When the question is asked, to resolve words such as "last week". */
  readonly at: number;
  /** Null if the embedder can't be asked or captures no meaning. */
  readonly vector: QueryVector | null;
  /** What to search; turns and lines if absent. */
  readonly sources?: { readonly turns: boolean; readonly lines: boolean };
  /** False if the caller has the turns of the named session and shows none of them. */
  readonly ownSession?: boolean;
  /** Maximum tokens of what is shown; no limit if absent. */
  readonly limit?: number;
}

/** A line has the path of its file in place of session and speaker. */
export interface Recalled extends PastPassages {
  readonly turnOf: (passage: PastPassage) => PastTurn['turn'] | undefined;
  /** Undefined for a passage of a turn. */
  readonly lineOf: (passage: PastPassage) => PastLine | undefined;
  readonly sessions: number;
  readonly lines: number;
  /** The times that the question names. */
  readonly windows: readonly TimeWindow[];
}

/** Recalls passages. Turns are also compared by vectors; lines are found only by their words. */
export async function recallPassages(
  ports: ApiPorts,
  principal: Principal,
  asked: Asked,
): Promise<Recalled> {
  const { tenant, identifiers, query, at, vector } = asked;
  const { turns, lines } = asked.sources ?? { turns: true, lines: true };
  const generation = vector?.generation ?? null;
  const opening = turns
    ? openPast(ports, principal, { tenant, identifiers, generation })
    : Promise.resolve(NO_PAST);
  const older = opening.then(
    ({ past, isWhole }) => (isWhole ? null : { about: query, isMissing: addingTo(past) }),
    () => null,
  );
  const [{ past, ofOthers }, files] = await Promise.all([
    opening,
    lines
      ? recallFileLines(ports, principal, { tenant, identifiers, older })
      : { sessions: [], lines: [] },
  ]);
  const isOther = ({ sessionId }: PastSession) => sessionId !== identifiers.sessionId;
  const shown = asked.ownSession === false ? past.filter(isOther) : past;
  const news = beyondTurns(files, shown);
  const sessions = news.sessions.length === 0 ? past : [...past, ...news.sessions];
  const isEmbedded = vector !== null && sessions.some(({ vectors }) => vectors !== null);
  const windows = questionWindows(query, at);
  // Rank the caller's own session as well; it is shown only once.
  const own = past.find(({ sessionId }) => sessionId === identifiers.sessionId)?.passages ?? [];
  const ranked = rankPassages(sessions, {
    text: query,
    terms: topicTerms(ports.analyzer, query),
    vector: isEmbedded ? Float32Array.from(vector.vector) : null,
    windows,
    ...(asked.limit === undefined ? {} : { most: passagesWithin(asked.limit) + own.length }),
  });
  // An agent's files say `I` of the agent.
  const ofAgents = news.lines.flatMap(({ subject }, place) =>
    subject.kind === 'agent' ? (news.sessions[place] ?? []) : [],
  );
  const { passages, said } = pastPassages(sessions, ranked, {
    ofOthers: new Set([...ofOthers, ...ofAgents]),
    forTasks: asksForTasks(query),
    today: dayNumber(at),
  });
  const sessionsById = once(() => new Map(past.map((each) => [each.sessionId, each])));
  const linesById = new Map(news.lines.map((each) => [each.line.id, each]));
  return {
    passages,
    said,
    turnOf: ({ sessionId, turnId }) =>
      sessionsById()
        .get(sessionId)
        ?.turns.find(({ turn }) => turn.id === turnId)?.turn,
    lineOf: ({ turnId }) => linesById.get(turnId),
    sessions: past.filter(({ turns: each }) => each.length > 0).length,
    lines: news.lines.length,
    windows,
  };
}

/**
 * Drops lines that only repeat turns which are shown in full: all such lines of daily files, and
 * those of MEMORY.md with the words of a turn. Of lines with the same words it keeps one.
 */
function beyondTurns(files: PastLines, shown: readonly PastSession[]): PastLines {
  if (files.lines.length === 0) return files;
  const latest = latestOfSame(files.lines);
  const addsToTurns = addingTo(shown);
  const places = files.lines.flatMap((line, place) =>
    latest.has(line) && addsToTurns(line) ? [place] : [],
  );
  return {
    sessions: places.flatMap((place) => files.sessions[place] ?? []),
    lines: places.flatMap((place) => files.lines[place] ?? []),
  };
}

function addingTo(shown: readonly PastSession[]): (line: PastLine) => boolean {
  const turns = new Map<string, string>();
  for (const { turn } of shown.flatMap((session) => session.turns)) {
    turns.set(keyOf(turn), turn.content);
  }
  return ({ path, line }) => {
    const cited = line.sources.flatMap((source) => citedTurn(source) ?? []);
    const said = cited.flatMap((turn) => turns.get(keyOf(turn)) ?? []);
    if (path !== MEMORY_PATH) return said.length === 0;
    return !said.some((content) => onlyRepeats(line.text, content));
  };
}

/**
 * Returns the lines without the repeats of MEMORY.md and a daily file in the same words: the later
 * one stays, or that of MEMORY.md. Two days of daily files are two events.
 */
function latestOfSame(lines: readonly PastLine[]): ReadonlySet<PastLine> {
  const latest = new Map<string, PastLine>();
  const kept = new Set<string>(
    lines.flatMap((each) => (each.path === MEMORY_PATH ? [keyOfLine(each)] : [])),
  );
  const alone = lines.filter((each) => !kept.has(keyOfLine(each)));
  for (const each of lines.filter((line) => kept.has(keyOfLine(line)))) {
    const key = keyOfLine(each);
    const other = latest.get(key);
    const isEarlier =
      other !== undefined &&
      (other.line.at > each.line.at ||
        (other.line.at === each.line.at && other.path === MEMORY_PATH));
    if (!isEarlier) latest.set(key, each);
  }
  return new Set([...alone, ...latest.values()]);
}

function keyOfLine({ subject, line }: PastLine): string {
  return JSON.stringify([subjectKey(subject), line.trust, saidIn(line)]);
}

/** The words of a line without its speaker and the day that a dream added. */
function saidIn({ text }: PastLine['line']): string {
  return lineKey(withoutSourceDates(text.replace(LINE_ROLE, '')));
}

function keyOf({ sessionId, id }: Pick<PastTurn['turn'], 'sessionId' | 'id'>): string {
  return JSON.stringify([sessionId, id]);
}

interface OpenPast {
  readonly past: readonly PastSession[];
  /** Those that may be somebody else's, such as those of a project: their `I` is too. */
  readonly ofOthers: readonly PastSession[];
  /** Whether no session has lost its first turns, as a compaction takes them. */
  readonly isWhole: boolean;
}

const NO_PAST: OpenPast = { past: [], ofOthers: [], isWhole: false };

async function openPast(
  ports: ApiPorts,
  principal: Principal,
  asked: Pick<Asked, 'tenant' | 'identifiers'> & { readonly generation: string | null },
): Promise<OpenPast> {
  const records = await openSessions(ports, principal, asked);
  const past = await ports.pastSessions.get(records, asked.generation);
  const { userId, sessionId } = asked.identifiers;
  const isOfOthers = (record: SessionRecord): boolean =>
    record.sessionId !== sessionId && record.identifiers.userId !== userId;
  const ofOthers = records.flatMap((record, place) =>
    isOfOthers(record) ? (past[place] ?? []) : [],
  );
  const isWhole = records.every(
    ({ firstAt }, place) => (past[place]?.turns[0]?.turn.at ?? Infinity) <= firstAt,
  );
  return { past, ofOthers, isWhole };
}

/** Returns the sessions that the identifiers open, oldest first, with the current one. */
async function openSessions(
  ports: ApiPorts,
  principal: Principal,
  { tenant, identifiers }: Pick<Asked, 'tenant' | 'identifiers'>,
): Promise<readonly SessionRecord[]> {
  const { sessions } = ports.store;
  const { sessionId } = identifiers;
  const [current, ...pages] = await Promise.all([
    sessionId === undefined ? null : sessions.get(tenant, sessionId),
    ...openersOf(identifiers).map((opener) => sessionsOf(ports, { tenant, opener })),
  ]);
  const known = new Map<string, SessionRecord>();
  for (const record of [...pages.flat(), ...(current === null ? [] : [current])]) {
    if (mayReadSession(principal, record)) known.set(record.sessionId, record);
  }
  return [...known.values()].toSorted(
    (a, b) => a.firstAt - b.firstAt || (a.sessionId < b.sessionId ? -1 : 1),
  );
}

async function sessionsOf(
  { store: { sessions } }: ApiPorts,
  { tenant, opener }: { tenant: string; opener: string },
): Promise<readonly SessionRecord[]> {
  const found: SessionRecord[] = [];
  const limit = PAGE_SESSIONS;
  const read = (after: SessionRecord | null = null) =>
    sessions.list(tenant, { opener, after, limit });
  for await (const page of pagesOf(limit, read)) {
    found.push(...page);
    if (found.length >= SESSIONS_MAX) break;
  }
  return found;
}
