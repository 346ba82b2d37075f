/**
 * Sliding windows over the turns of a session, one of which a question may ask for: runs of turns
 * of several lengths, each beginning a quarter of its length after the one before. They are made
 * once per session, which stays in memory between questions.
 */
import type { PastSession } from './past-session.ts';

/** Lengths of windows, in terms plus one per turn: half a minute to eight minutes. */
export const TURN_WINDOW_LENGTHS = [60, 120, 240, 480, 960] as const;
const STEP_SHARE = 1 / 4;

export interface TurnWindows {
  /** By window: its first turn, and the one after its last. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
  /** By window: the place of its length in `TURN_WINDOW_LENGTHS`, and its own length. */
  readonly kinds: Uint8Array;
  readonly lengths: Float64Array;
  /** By place in `TURN_WINDOW_LENGTHS`: how many windows have that length. */
  readonly counts: readonly number[];
  /** The length of the whole session. */
  readonly length: number;
  /** The terms of each speaker's name, and by turn its speaker; empty if no speaker has a name. */
  readonly speakers: readonly (readonly string[])[];
  readonly speakerOf: Uint32Array;
}

const known = new WeakMap<PastSession, TurnWindows>();

/** Returns the turn windows of a session. */
export function turnWindowsOf(session: PastSession): TurnWindows {
  const made = known.get(session) ?? makeTurnWindows(session);
  known.set(session, made);
  return made;
}

function makeTurnWindows(session: PastSession): TurnWindows {
  const { lengths } = session.columns;
  const turns = lengths.length;
  const before = new Float64Array(turns + 1);
  for (let turn = 0; turn < turns; turn += 1) {
    before[turn + 1] = (before[turn] ?? 0) + (lengths[turn] ?? 0) + 1;
  }
  const runs = TURN_WINDOW_LENGTHS.map((length) => runsOf(before, length));
  const all = runs.flat();
  return {
    starts: Uint32Array.from(all, ({ start }) => start),
    ends: Uint32Array.from(all, ({ end }) => end),
    kinds: Uint8Array.from(runs.flatMap((each, kind) => each.map(() => kind))),
    lengths: Float64Array.from(all, ({ start, end }) => (before[end] ?? 0) - (before[start] ?? 0)),
    counts: runs.map((each) => each.length),
    length: before[turns] ?? 0,
    ...speakersOf(session),
  };
}

interface Run {
  readonly start: number;
  readonly end: number;
}

/** @param before by turn, and one more entry for the end: the length of all turns before it */
function runsOf(before: Float64Array, length: number): readonly Run[] {
  const turns = before.length - 1;
  const runs: Run[] = [];
  let end = 0;
  let next = 0;
  for (let start = 0; start < turns && end < turns; start += 1) {
    const from = before[start] ?? 0;
    if (from < next) continue;
    next = from + length * STEP_SHARE;
    while (end < turns && (before[end] ?? 0) < from + length) end += 1;
    runs.push({ start, end });
  }
  return runs;
}

function speakersOf({ turns }: PastSession): Pick<TurnWindows, 'speakers' | 'speakerOf'> {
  const places = new Map<string, number>();
  const speakers: (readonly string[])[] = [];
  const speakerOf = Uint32Array.from(turns, ({ turn: { speaker }, names }) => {
    const name = speaker ?? '';
    const place = places.get(name) ?? speakers.length;
    if (place === speakers.length) {
      places.set(name, place);
      speakers.push(names);
    }
    return place;
  });
  return speakers.every((names) => names.length === 0)
    ? { speakers: [], speakerOf: new Uint32Array(0) }
    : { speakers, speakerOf };
}
