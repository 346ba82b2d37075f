/** What was said in earlier sessions that the identifiers open, ranked for a question. */
import type { Identifiers } from '#core/identifiers.ts';
import type { PastPassage } from '#core/context/past-turns.ts';
import { pastPassages } from '#core/recall/past-passages.ts';
import { recallTerms } from '#core/recall/past-session.ts';
import { questionWindows } from '#core/recall/question-time.ts';
import { rankPassages } from '#core/recall/rank.ts';
import type { SessionRecord } from '#core/records/session.ts';
import type { QueryVector } from '#core/search/scope-search.ts';
import { openersOf } from '#core/conversation/session.ts';
import type { ApiPorts } from './ports.ts';
import { mayReadSession, type Principal } from './principal.ts';

/** The newest sessions of a person, an agent or a project that are looked at. */
const SESSIONS_MAX = 1_000;
const PAGE_SESSIONS = 200;

interface Asked {
  readonly tenant: string;
  readonly identifiers: Identifiers;
  readonly query: string;
  /** When it is asked, for "last week" and the like. */
  readonly at: number;
  /** Null where the embedder can't be asked, or knows words alone. */
  readonly vector: QueryVector | null;
  /** Turns of the current session that the context shows anyway. */
  readonly shown: ReadonlySet<string>;
}

/** The best first. */
export async function pastTurns(
  ports: ApiPorts,
  principal: Principal,
  asked: Asked,
): Promise<readonly PastPassage[]> {
  const { tenant, identifiers, query, at, vector, shown } = asked;
  const records = await openSessions(ports, principal, { tenant, identifiers });
  const generation = vector?.generation ?? null;
  const sessions = await Promise.all(
    records.map((record) => ports.pastSessions.get(record, generation)),
  );
  const isEmbedded = sessions.some(({ passages }) => passages.some((each) => each.vector !== null));
  const ranked = rankPassages(sessions, {
    text: query,
    terms: recallTerms(ports.analyzer, query),
    vector: vector !== null && isEmbedded ? Float32Array.from(vector.vector) : null,
    windows: questionWindows(query, at),
  });
  const { sessionId: current } = identifiers;
  const isShown = (session: string, turn: string) => session === current && shown.has(turn);
  return pastPassages(sessions, ranked).filter(
    ({ sessionId, turnId }) => !isShown(sessionId, turnId),
  );
}

/** Sessions that the identifiers open, the oldest first, with the current one where it is known. */
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
  for (let after: SessionRecord | null = null; found.length < SESSIONS_MAX;) {
    const page: readonly SessionRecord[] = await sessions.list(tenant, {
      opener,
      after,
      limit: PAGE_SESSIONS,
    });
    found.push(...page);
    after = page.at(-1) ?? null;
    if (page.length < PAGE_SESSIONS) break;
  }
  return found;
}
