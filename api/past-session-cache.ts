/**
 * Caches prepared earlier sessions in the memory of one process. Owner: the process that serves.
 * Key: the session and the generation of its vectors. Valid: while the session's record, read
 * before every use, has the version and times that it had when its turns were read. Limited by
 * bytes; the session used longest ago is dropped first.
 *
 * Reading the texts of a session takes most of that time. So what was read is saved with the
 * session if nobody writes to it any more, and the next process only reads its turns. Of a session
 * that goes on, only the new turns are read.
 */
import { pagesOf } from '#core/chunks-and-pages.ts';
import type { SessionRecord } from '#core/records/session.ts';
import {
  SAVED_ANALYSIS_LENGTH_MAX,
  type SavedSessionAnalysis,
} from '#core/records/session-analysis.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Turn } from '#core/records/turn.ts';
import {
  analyzedSession,
  type PastSession,
  type TurnToRecall,
} from '#core/recall/sessions/past-session.ts';
import {
  analyzeSession,
  SESSION_ANALYSIS_REVISION,
  type SessionAnalysis,
} from '#core/recall/sessions/session-analysis.ts';
import { VarveError } from '#core/errors.ts';
import { isHeldBack } from '#core/sources/source.ts';
import type { Platform } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import type { TextAnalyzer } from '#core/ports/text-analyzer.ts';
import { decodeSessionAnalysis, encodeSessionAnalysis } from './encode-session-analysis.ts';

/** In bytes: about 250,000 passages, or 200,000 with vectors of 384 numbers. */
const KEPT_MAX = 320_000_000;
/**
 * What a passage takes with its share of turn, index and columns of all sessions, measured, and 40
 * bytes of its analysis; its vector comes on top.
 */
const KEPT_BYTES = 1_270;
/** Turns of one read. */
const PAGE_TURNS = 1_000;
/** Maximum turns of a session to read: its newest ones. */
const SESSION_TURNS_MAX = 20_000;

/** A session is saved if it is read after so long without a turn, or after its end. */
const QUIET_MS = 30 * 60_000;
/** Maximum sessions that wait to be saved; the next process to read the others saves them. */
const WAITING_MAX = 2_000;

export interface PastSessions {
  /** Returns the sessions of records that were read just before, in their order. */
  get(
    records: readonly SessionRecord[],
    generation: string | null,
  ): Promise<readonly PastSession[]>;
  /** Resolves once no session waits to be saved. */
  settled(): Promise<void>;
}

interface Kept extends Pick<SessionRecord, 'version' | 'firstAt' | 'lastAt'>, Analyzed {
  readonly session: PastSession;
}

/** The turns of a session, those without words too, and what was read in them. */
interface Analyzed {
  readonly turns: readonly TurnToRecall['turn'][];
  readonly analysis: SessionAnalysis;
}

interface PastSessionPorts {
  readonly store: { readonly turns: Store['turns']; readonly scopes: Pick<Store['scopes'], 'get'> };
  readonly analyzer: TextAnalyzer;
  readonly platform: Pick<Platform, 'clock' | 'digest' | 'log'>;
}

export function createPastSessions(ports: PastSessionPorts): PastSessions {
  const kept = new Map<string, Kept>();
  const saves = createSaves(ports);
  let total = 0;
  const remove = (key: string): void => {
    total -= sizeOf(kept.get(key)?.session);
    kept.delete(key);
  };
  const keep = (key: string, session: Kept) => {
    remove(key);
    kept.set(key, session);
    total += sizeOf(session.session);
    for (const oldest of kept.keys()) {
      if (total <= KEPT_MAX || oldest === key) break;
      remove(oldest);
    }
  };
  const known = (key: string, { version, firstAt, lastAt }: SessionRecord): PastSession | null => {
    const found = kept.get(key);
    const isValid =
      found?.version === version && found.firstAt === firstAt && found.lastAt === lastAt;
    if (!isValid) return null;
    kept.delete(key);
    kept.set(key, found);
    return found.session;
  };
  const read = async (record: SessionRecord, generation: string | null) => {
    const key = keyOf(record, generation);
    const before = kept.get(key) ?? null;
    const { given, analysis, unsaved, goesOn } = await readSession(ports, record, {
      generation,
      before,
    });
    if (unsaved !== null) saves.add(unsaved);
    const { version, firstAt, lastAt, sessionId } = record;
    const passages = goesOn && before !== null ? before.session.passages : [];
    const texts = { ...analysis, analyzer: ports.analyzer, known: passages };
    const session = analyzedSession(sessionId, given, texts);
    const turns = given.map(({ turn }) => turn);
    keep(key, { version, firstAt, lastAt, turns, analysis, session });
    return session;
  };
  return {
    settled: () => saves.settled(),
    async get(records, generation) {
      const found = records.map((record) => known(keyOf(record, generation), record));
      // Usually all of a thousand sessions are cached, and awaiting each one would take longer.
      if (found.every((session) => session !== null)) return found;
      return Promise.all(
        records.map(async (record, at) => found[at] ?? (await read(record, generation))),
      );
    },
  };
}

function keyOf({ tenant, sessionId }: SessionRecord, generation: string | null): string {
  return `${tenant}/${String(sessionId.length)}/${sessionId}/${generation ?? ''}`;
}

interface ReadSession {
  readonly given: readonly TurnToRecall[];
  readonly analysis: SessionAnalysis;
  /** Whether its first turns are those that were read before. */
  readonly goesOn: boolean;
  /** Null if the analysis is saved, or is not to be saved. */
  readonly unsaved: Unsaved | null;
}

interface KnownBefore {
  readonly generation: string | null;
  /** What was read of the session before its record changed; null if nothing is kept. */
  readonly before: Analyzed | null;
}

/**
 * Reads the turns of a session, and their analysis if it is saved. Of a session that goes on, only
 * the new turns are analyzed.
 */
async function readSession(
  { store, analyzer, platform: { clock, digest } }: PastSessionPorts,
  record: SessionRecord,
  { generation, before }: KnownBefore,
): Promise<ReadSession> {
  const { tenant, sessionId } = record;
  const isQuiet = record.endedAt !== null || clock() - record.lastAt >= QUIET_MS;
  const scope = { tenant, layer: 'session', scopeId: sessionId } as const;
  // Read before the turns: if one of them is deleted meanwhile, their analysis is not saved.
  const [saved, seen] = isQuiet
    ? await Promise.all([store.turns.analysis(record), store.scopes.get(scope)])
    : [null, null];
  const stored = (await readTurns(store, record))
    // Compacted turns only have quotes left; the summary covers the rest.
    .filter((turn) => turn.compactedAt === null && !isHeldBack(turn))
    .map((turn) => ({
      turn: recalledTurn(turn, sessionId),
      vectors: turn.vectors?.generation === generation ? turn.vectors.passages : null,
    }));
  const goesOn = before !== null && beginsWith(stored, before.turns);
  // Texts that are known need not be kept twice.
  const given = goesOn
    ? stored.map((each, place) => ({ ...each, turn: before.turns[place] ?? each.turn }))
    : stored;
  const contents = given.map(({ turn }) => turn.content);
  const analyze = () => analyzeSession(contents, analyzer, goesOn ? before.analysis : null);
  if (!isQuiet) return { given, goesOn, analysis: analyze(), unsaved: null };
  const made = digest(textsAndRevisions(contents, analyzer));
  const known =
    saved?.digest === made ? decodeSessionAnalysis(saved.content, contents.length) : null;
  if (known !== null) return { given, goesOn, analysis: known, unsaved: null };
  const analysis = analyze();
  return {
    given,
    goesOn,
    analysis,
    unsaved: seen === null ? null : { ...scope, digest: made, analysis, seen },
  };
}

/** Whether the first turns of a session are the known ones. */
function beginsWith(stored: readonly TurnToRecall[], known: Analyzed['turns']): boolean {
  return known.every((before, place) => {
    const turn = stored[place]?.turn;
    return (
      turn !== undefined &&
      turn.id === before.id &&
      turn.at === before.at &&
      turn.utcOffset === before.utcOffset &&
      turn.trust === before.trust &&
      turn.role === before.role &&
      turn.speaker === before.speaker &&
      turn.content === before.content
    );
  });
}

function textsAndRevisions(contents: readonly string[], { revision }: TextAnalyzer): string {
  const lengths = contents.map(({ length }) => length).join(' ');
  return [SESSION_ANALYSIS_REVISION, revision, lengths, ...contents].join('\n');
}

interface Unsaved extends Omit<SavedSessionAnalysis, 'content'> {
  readonly analysis: SessionAnalysis;
  readonly seen: ScopeRecord;
}

/** Saves one analysis after the other, so that questions come in between. */
function createSaves({ store, platform }: PastSessionPorts) {
  let waiting: Unsaved[] = [];
  let running: Promise<void> | null = null;
  const saveAll = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const { analysis, seen, ...saved } = next;
      try {
        const content = encodeSessionAnalysis(analysis);
        if (content.length > SAVED_ANALYSIS_LENGTH_MAX) continue;
        await store.turns.saveAnalysis({ ...saved, content }, seen, platform.clock());
      } catch (error) {
        const code = error instanceof VarveError ? error.code : 'unexpected';
        platform.log.debug({ tenant: saved.tenant, code }, 'analysis of a session not saved');
        // A full or locked database answers questions as well as before.
        if (code !== 'CONFLICT') waiting = [];
      }
    }
  };
  return {
    add(unsaved: Unsaved): void {
      if (waiting.length >= WAITING_MAX) return;
      waiting.push(unsaved);
      // Let the question that it was read for be answered first.
      running ??= new Promise((resolve) => void setImmediate(resolve)).then(saveAll).finally(() => {
        running = null;
      });
    },
    async settled(): Promise<void> {
      await running;
    },
  };
}

function sizeOf(session: PastSession | undefined): number {
  if (session === undefined) return 0;
  // A session without words takes some memory too.
  const passages = 1 + session.passages.length;
  return passages * KEPT_BYTES + (session.vectors?.levels.length ?? 0);
}

async function readTurns(
  { turns }: Pick<Store, 'turns'>,
  { tenant, sessionId }: SessionRecord,
): Promise<readonly Turn[]> {
  const session = { tenant, sessionId };
  const first = await turns.page(session, { after: 0, limit: PAGE_TURNS });
  if (first.length < PAGE_TURNS) return first;
  const [last] = await turns.latest(session, 1);
  const before = Math.max(0, (last?.sequence ?? 0) - SESSION_TURNS_MAX);
  const found = before === 0 ? [...first] : [];
  const start = found.at(-1)?.sequence ?? before;
  const read = (last: Turn | undefined) =>
    turns.page(session, { after: last?.sequence ?? start, limit: PAGE_TURNS });
  for await (const page of pagesOf(PAGE_TURNS, read)) {
    found.push(...page);
    if (found.length >= SESSION_TURNS_MAX) break;
  }
  return found;
}

/** Returns what recall shows of a turn: a cache of whole records would be twice as large. */
function recalledTurn(
  { id, at, utcOffset, role, speaker, content, trust }: Turn,
  sessionId: string,
): TurnToRecall['turn'] {
  const offset = utcOffset === undefined ? {} : { utcOffset };
  return { id, sessionId, at, ...offset, role, speaker, content, trust };
}
