/**
 * What a ranking reads of every turn and passage, in parallel arrays of numbers: with over a
 * hundred thousand of them, reading objects takes most of the time.
 */
import { localTime } from '../said-at.ts';
import { amountsIn } from './amounts.ts';
import type { PastSession } from './past-session.ts';
import { isCode, VALUE_KINDS } from './question-signs.ts';

/** What a passage offers, as bits. */
export const OFFERS = {
  name: 1,
  number: 2,
  date: 4,
  preference: 8,
  task: 16,
  code: 32,
  harm: 64,
} as const;

export interface PackedSession {
  /** By turn: its time by its speaker's clock, whether a user said it, its number of terms. */
  readonly ats: Float64Array;
  readonly isUser: Uint8Array;
  readonly lengths: Uint32Array;
  /** By turn: the total length of its passages, in UTF-16 code units. */
  readonly turnUnits: Uint32Array;
  /** By turn, and one more entry for the end: where its own terms begin in the index. */
  readonly ownStarts: Uint32Array;
  /** By passage: its turn, how informative it is, and what it offers (bits of `OFFERS`). */
  readonly turnOf: Uint32Array;
  readonly worths: Float64Array;
  readonly offers: Uint8Array;
  /** By passage: whether a user only asks. */
  readonly asks: Uint8Array;
  /** By passage: its length, whether it may tell of a change, and its kinds of values as bits. */
  readonly units: Uint32Array;
  readonly mayChange: Uint8Array;
  readonly kinds: Uint8Array;
  /** By passage, and one more entry for the end: where its amounts begin in `amounts`. */
  readonly amountStarts: Uint32Array;
  readonly amounts: Float64Array;
  /** Whether any passage has a vector. */
  readonly isEmbedded: boolean;
  /** Number of terms of all turns, speakers included. */
  readonly length: number;
  readonly span: { readonly from: number; readonly to: number };
}

const ASKS = /[?？]["'”’»“)\s]*$/u;

/** Each session is packed once: it stays in memory between questions. */
const packedSessions = new WeakMap<PastSession, PackedSession>();

export function packedSession(session: PastSession): PackedSession {
  const known = packedSessions.get(session);
  if (known !== undefined) return known;
  const packed = packedOf(session);
  packedSessions.set(session, packed);
  return packed;
}

function packedOf({ turns, passages, index }: PastSession): PackedSession {
  const ats = Float64Array.from(turns, ({ turn }) => localTime(turn));
  const lengths = Uint32Array.from(turns, ({ length }) => length);
  const amounts = passages.map(({ text, signs }) => (signs.isNumber ? amountsIn(text) : []));
  // "She can't have nuts. With me it's latex.": the second sentence is about the first one's topic.
  const harmful = new Set(passages.filter(({ signs }) => signs.isHarm).map(({ turn }) => turn));
  return {
    ats,
    isUser: Uint8Array.from(turns, ({ turn }) => Number(turn.role === 'user')),
    lengths,
    turnUnits: Uint32Array.from(turns, ({ first, end }) =>
      passages.slice(first, end).reduce((sum, { text }) => sum + text.length, 0),
    ),
    ownStarts: Uint32Array.from({ length: turns.length + 1 }, (_, turn) => {
      return index.ownStarts[turns[turn]?.first ?? passages.length] ?? 0;
    }),
    turnOf: Uint32Array.from(passages, ({ turn }) => turn),
    worths: Float64Array.from(passages, ({ signs }) => signs.worth),
    offers: Uint8Array.from(
      passages,
      ({ signs, text, turn }) =>
        (signs.names > 0 ? OFFERS.name : 0) |
        (signs.isNumber ? OFFERS.number : 0) |
        (signs.isDate ? OFFERS.date : 0) |
        (signs.isPreference ? OFFERS.preference : 0) |
        (signs.isTask ? OFFERS.task : 0) |
        (isCode(text) ? OFFERS.code : 0) |
        (harmful.has(turn) ? OFFERS.harm : 0),
    ),
    asks: Uint8Array.from(passages, ({ text, turn }) =>
      Number(turns[turn]?.turn.role === 'user' && ASKS.test(text)),
    ),
    units: Uint32Array.from(passages, ({ text }) => text.length),
    mayChange: Uint8Array.from(passages, ({ signs }) => Number(signs.mayChange)),
    kinds: Uint8Array.from(passages, ({ signs }) =>
      signs.kinds.reduce((bits, kind) => bits | (1 << VALUE_KINDS.indexOf(kind)), 0),
    ),
    amountStarts: startsOf(amounts),
    amounts: Float64Array.from(amounts.flat()),
    isEmbedded: passages.some(({ vector }) => vector !== null),
    length: lengths.reduce((sum, length) => sum + length, 0),
    span: {
      from: ats.reduce((least, at) => Math.min(least, at), Number.POSITIVE_INFINITY),
      to: ats.reduce((most, at) => Math.max(most, at), Number.NEGATIVE_INFINITY),
    },
  };
}

function startsOf(lists: readonly (readonly number[])[]): Uint32Array {
  const starts = new Uint32Array(lists.length + 1);
  for (const [at, { length }] of lists.entries()) starts[at + 1] = (starts[at] ?? 0) + length;
  return starts;
}

/**
 * Number of zeros between two sessions in an array over all turns: as many as a turn has neighbors
 * on one side, so that no turn gets a share of a turn in another session.
 */
export const TURN_GAP = 2;

/** A session, and where it begins in arrays over the turns and passages of all sessions. */
export interface PlacedSession {
  readonly session: PastSession;
  readonly packed: PackedSession;
  readonly firstTurn: number;
  readonly firstPassage: number;
}

export interface PlacedSessions {
  readonly each: readonly PlacedSession[];
  /** Lengths of the arrays; the one of turns includes the gaps. */
  readonly places: { readonly turns: number; readonly passages: number };
  readonly turns: number;
  /** Number of terms of all turns, speakers included. */
  readonly length: number;
}

export function placedSessions(sessions: readonly PastSession[]): PlacedSessions {
  const places = { turns: TURN_GAP, passages: 0 };
  let turns = 0;
  let length = 0;
  const each = sessions.map((session) => {
    const packed = packedSession(session);
    const placed = { session, packed, firstTurn: places.turns, firstPassage: places.passages };
    places.turns += session.turns.length + TURN_GAP;
    places.passages += session.passages.length;
    turns += session.turns.length;
    length += packed.length;
    return placed;
  });
  return { each, places, turns, length };
}
