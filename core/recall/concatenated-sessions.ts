/** Lays sessions one after the other, so that a ranking has one array over all passages. */
import type { SessionColumns } from './session-columns.ts';
import type { PastSession } from './past-session.ts';

/**
 * Number of zeros between two sessions in an array over all turns: as many as a turn has neighbors
 * on one side, so that no turn gets a share of a turn in another session.
 */
export const TURN_GAP = 2;

/** A session, and where it begins in arrays over the turns and passages of all sessions. */
export interface ConcatenatedSession {
  readonly session: PastSession;
  readonly columns: SessionColumns;
  readonly firstTurn: number;
  readonly firstPassage: number;
}

export interface ConcatenatedSessions {
  readonly each: readonly ConcatenatedSession[];
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
  const each = sessions.map((session) => {
    const { columns } = session;
    const placed = { session, columns, firstTurn: places.turns, firstPassage: places.passages };
    places.turns += session.turns.length + TURN_GAP;
    places.passages += session.passages.length;
    turns += session.turns.length;
    length += columns.length;
    from = Math.min(from, columns.span.from);
    to = Math.max(to, columns.span.to);
    return placed;
  });
  return { each, places, turns, length, span: { from, to } };
}
