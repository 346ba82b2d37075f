/** Lays sessions one after the other, so that a ranking has one array over all passages. */
import { assistantsWhoArePeople } from './assistant-as-person.ts';
import { columnsOfPeople, type SessionColumns } from './session-columns.ts';
import type { PastSession } from './past-session.ts';
import { isLine } from './speakers.ts';

/**
 * Number of zeros between two sessions in an array over all turns: as many as a turn has neighbors
 * on one side, so that no turn gets a share of a turn in another session.
 */
export const TURN_GAP = 2;

/** A session, and where it begins in arrays over the turns and passages of all sessions. */
export interface ConcatenatedSession {
  readonly session: PastSession;
  readonly columns: SessionColumns;
  /** Whether its assistant is a person. */
  readonly isOfPeople: boolean;
  /** Whether any of its speakers has a name, and is not a file. */
  readonly hasNames: boolean;
  /** Number of its turns. */
  readonly turns: number;
  readonly firstTurn: number;
  readonly firstPassage: number;
  /** The place after its last passage. */
  readonly endPassage: number;
}

/** The columns of all sessions, one after the other. */
export interface ConcatenatedColumns extends Pick<
  SessionColumns,
  | 'ats'
  | 'sinces'
  | 'isUser'
  | 'turnOf'
  | 'offers'
  | 'writing'
  | 'domains'
  | 'kinds'
  | 'worths'
  | 'units'
  | 'asks'
  | 'mayChange'
> {
  /** By passage: the place of its session in the list. */
  readonly sessionOf: Uint32Array;
}

export interface ConcatenatedSessions {
  readonly each: readonly ConcatenatedSession[];
  readonly columns: ConcatenatedColumns;
  /** Lengths of the arrays; the one of turns includes the gaps. */
  readonly places: { readonly turns: number; readonly passages: number };
  readonly turns: number;
  /** Number of terms of all turns, speakers included. */
  readonly length: number;
  /** Times of the oldest and the newest turn. */
  readonly span: SessionColumns['span'];
}

/** The last concatenation by its first session, with which it is dropped. */
const kept = new WeakMap<PastSession, ConcatenatedSessions>();

/** Concatenates sessions, which usually are the same as for the last question. */
export function concatenatedSessions(sessions: readonly PastSession[]): ConcatenatedSessions {
  const [first] = sessions;
  const known = first === undefined ? undefined : kept.get(first);
  const isSame =
    known?.each.length === sessions.length &&
    known.each.every(({ session }, place) => session === sessions[place]);
  if (isSame) return known;
  const made = concatenated(sessions);
  if (first !== undefined) kept.set(first, made);
  return made;
}

function concatenated(sessions: readonly PastSession[]): ConcatenatedSessions {
  const places = { turns: TURN_GAP, passages: 0 };
  let turns = 0;
  let length = 0;
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const ofPeople = assistantsWhoArePeople(sessions.map(({ columns }) => columns.assistant));
  const each = sessions.map((session, at) => {
    const isOfPeople = ofPeople[at] === true;
    const columns = isOfPeople ? columnsOfPeople(session) : session.columns;
    const hasNames = session.turns.some((turn) => turn.names.length > 0 && !isLine(turn));
    const own = session.turns.length;
    const [firstTurn, firstPassage] = [places.turns, places.passages];
    const endPassage = firstPassage + session.passages.length;
    const start = { firstTurn, firstPassage, endPassage };
    const placed = { session, columns, isOfPeople, hasNames, turns: own, ...start };
    places.turns += own + TURN_GAP;
    places.passages = endPassage;
    turns += own;
    length += columns.length;
    from = Math.min(from, columns.span.from);
    to = Math.max(to, columns.span.to);
    return placed;
  });
  const columns = concatenatedColumns(each, places);
  return { each, columns, places, turns, length, span: { from, to } };
}

type Column = Float64Array | Uint8Array | Uint16Array | Uint32Array;

function concatenatedColumns(
  each: readonly ConcatenatedSession[],
  { turns, passages }: ConcatenatedSessions['places'],
): ConcatenatedColumns {
  const byTurn = <C extends Column>(all: C, own: (columns: SessionColumns) => C): C => {
    for (const { columns, firstTurn } of each) all.set(own(columns), firstTurn);
    return all;
  };
  const byPassage = <C extends Column>(all: C, own: (columns: SessionColumns) => C): C => {
    for (const { columns, firstPassage } of each) all.set(own(columns), firstPassage);
    return all;
  };
  const sessionOf = new Uint32Array(passages);
  const turnOf = new Uint32Array(passages);
  for (const [session, { columns, firstTurn, firstPassage, endPassage }] of each.entries()) {
    sessionOf.fill(session, firstPassage, endPassage);
    for (const [place, turn] of columns.turnOf.entries()) {
      turnOf[firstPassage + place] = firstTurn + turn;
    }
  }
  return {
    ats: byTurn(new Float64Array(turns), ({ ats }) => ats),
    sinces: byTurn(new Float64Array(turns), ({ sinces }) => sinces),
    isUser: byTurn(new Uint8Array(turns), ({ isUser }) => isUser),
    sessionOf,
    turnOf,
    units: byPassage(new Uint32Array(passages), ({ units }) => units),
    worths: byPassage(new Float64Array(passages), ({ worths }) => worths),
    offers: byPassage(new Uint8Array(passages), ({ offers }) => offers),
    writing: byPassage(new Uint16Array(passages), ({ writing }) => writing),
    domains: byPassage(new Uint16Array(passages), ({ domains }) => domains),
    kinds: byPassage(new Uint8Array(passages), ({ kinds }) => kinds),
    asks: byPassage(new Uint8Array(passages), ({ asks }) => asks),
    mayChange: byPassage(new Uint8Array(passages), ({ mayChange }) => mayChange),
  };
}
