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
}

export function concatenatedSessions(sessions: readonly PastSession[]): ConcatenatedSessions {
  const places = { turns: TURN_GAP, passages: 0 };
  let turns = 0;
  let length = 0;
  const each = sessions.map((session) => {
    const { columns } = session;
    const placed = { session, columns, firstTurn: places.turns, firstPassage: places.passages };
    places.turns += session.turns.length + TURN_GAP;
    places.passages += session.passages.length;
    turns += session.turns.length;
    length += columns.length;
    return placed;
  });
  return { each, places, turns, length };
}
