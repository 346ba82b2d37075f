/**
 * Estimates where in long sessions a question is answered. A meeting stays on one topic for
 * minutes, so its answer is mostly one run of turns, of unknown place and length: one of
 * the windows that slide over the session. There are several lengths, and each window begins a
 * quarter of its length after the one before. Windows are made once per session, which stays in
 * memory between questions. Each window gets a logit from BM25 of its words, its best turn, its
 * length, and the share that comes from speakers whom the question names. The softmax over all
 * windows gives the probability that each is the answer. The score of a turn is the expected share
 * of the answer in one of its terms.
 *
 * The weights were chosen on 20 meetings; those fitted on 15 others are about the same (0124).
 */
import { oncePer } from '../../once.ts';
import type {
  ConcatenatedSession,
  ConcatenatedSessions,
} from '../sessions/concatenated-sessions.ts';
import { NO_NUMBER } from '../words/term-index.ts';
import type { WordScores } from './word-scores.ts';
import type { PastSession } from '../sessions/past-session.ts';

/** Lengths of windows, in terms plus one per turn: half a minute to eight minutes. */
export const TURN_WINDOW_LENGTHS = [60, 120, 240, 480, 960] as const;
const STEP_SHARE = 1 / 4;

interface TurnWindows {
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

/** Returns the turn windows of a session. */
export const turnWindowsOf = oncePer((session: PastSession): TurnWindows => {
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
});

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

/**
 * A long session, such as a meeting, stays on one topic for minutes, and a question asks for some
 * of them. In sessions longer than the first number of turns, the windows around a turn count too;
 * from the second number on, they count fully.
 */
const LONG_SESSION_TURNS = { from: 40, to: 200 };

/** Returns how much the windows of a session count, 0 to 1. @param turns of the session */
export function turnWindowShare(turns: number): number {
  const { from, to } = LONG_SESSION_TURNS;
  return Math.min(1, Math.max(0, (turns - from) / (to - from)));
}

/** For BM25. A window repeats the words of its topic, so more repetitions count than in a turn. */
const SATURATION = 4;
const LENGTH_SHARE = 0.5;
/** The length that BM25 takes as average. */
const USUAL_LENGTH = 250;

/** Weights of the parts of a logit. The number of windows of a length enters without a weight. */
const WEIGHT = { words: 0.26, bestTurn: 2, length: 0.8, speaker: 2 };
/** Smoothing: terms that each speaker counts as having said, besides those of a window. */
const SPEAKER_TERMS = 4;

/** Maximum sessions whose windows are compared: those with most of the question's words. */
const SESSIONS_MAX = 40;

const DAMPING = TURN_WINDOW_LENGTHS.map(
  (length) => SATURATION * (1 - LENGTH_SHARE + (LENGTH_SHARE * length) / USUAL_LENGTH),
);

interface Weighed extends ConcatenatedSession {
  /** By term of the question: its number. */
  readonly numbers: Int32Array;
  readonly windows: TurnWindows;
  /** By window. */
  readonly logits: Float64Array;
}

/**
 * Returns, by the place of a turn, the expected share of the answer in one of its terms, on an
 * arbitrary scale. Short sessions are compared too, so that a long one scores little if one of them
 * answers better.
 */
export function scoreTurnsByWindow(placed: ConcatenatedSessions, words: WordScores): Float64Array {
  const all = weighed(placed.each, withMost(placed.each, words), words);
  const longest = all.reduce((most, { columns }) => Math.max(most, columns.lengths.length), 0);
  const before = new Float64Array(longest + 1);
  for (const [at, { rarity }] of words.terms.entries()) {
    const weight = WEIGHT.words * rarity * (1 + SATURATION);
    for (const each of all) {
      const number = each.numbers[at] ?? NO_NUMBER;
      if (number !== NO_NUMBER) addTerm(each, { number, weight }, before);
    }
  }
  const asked = new Set(words.terms.map(({ term }) => term.term));
  for (const each of all) {
    addBestTurns(each, words.turns);
    addSpeakers(each, asked, before);
  }
  return expected(all, placed.places.turns);
}

/** Returns the places of the sessions with most of the words. */
function withMost(
  sessions: readonly ConcatenatedSession[],
  { terms, numbers }: WordScores,
): readonly number[] {
  if (sessions.length <= SESSIONS_MAX) return [...sessions.keys()];
  const sums = new Float64Array(sessions.length);
  let next = 0;
  for (const [at, { session }] of sessions.entries()) {
    for (const { rarity } of terms) {
      const number = numbers[next] ?? NO_NUMBER;
      next += 1;
      if (number === NO_NUMBER) continue;
      const turns = session.index.frequency[number] ?? 0;
      sums[at] = (sums[at] ?? 0) + (rarity * turns) / (turns + SATURATION);
    }
  }
  const best = [...sums.keys()].toSorted((a, b) => (sums[b] ?? 0) - (sums[a] ?? 0) || b - a);
  return best.slice(0, SESSIONS_MAX).toSorted((a, b) => a - b);
}

/** Starts with the logit of each length: equal windows of one length share its probability. */
function weighed(
  sessions: readonly ConcatenatedSession[],
  places: readonly number[],
  { terms, numbers }: WordScores,
): readonly Weighed[] {
  const all = places.flatMap((place) => {
    const placed = sessions[place];
    if (placed === undefined) return [];
    const windows = turnWindowsOf(placed.session);
    const own = numbers.subarray(place * terms.length, (place + 1) * terms.length);
    const logits = new Float64Array(windows.starts.length);
    return { ...placed, numbers: own, windows, logits };
  });
  const ofLength = TURN_WINDOW_LENGTHS.map((length, kind) => {
    const count = all.reduce((sum, { windows }) => sum + (windows.counts[kind] ?? 0), 0);
    return WEIGHT.length * Math.log(length) - Math.log(Math.max(1, count));
  });
  for (const { windows, logits } of all) {
    for (let at = 0; at < logits.length; at += 1) {
      logits[at] = ofLength[windows.kinds[at] ?? 0] ?? 0;
    }
  }
  return all;
}

/** @param before scratch space for sums, here and below; its old content does not matter */
function addTerm(
  { session: { index }, columns: { turnOf, lengths }, windows, logits }: Weighed,
  { number, weight }: { readonly number: number; readonly weight: number },
  before: Float64Array,
): void {
  const turns = lengths.length;
  before.fill(0, 0, turns + 1);
  for (let at = index.starts[number] ?? 0; at < (index.starts[number + 1] ?? 0); at += 1) {
    const after = (turnOf[index.passages[at] ?? 0] ?? 0) + 1;
    before[after] = (before[after] ?? 0) + (index.counts[at] ?? 0);
  }
  for (let turn = 1; turn <= turns; turn += 1) {
    before[turn] = (before[turn] ?? 0) + (before[turn - 1] ?? 0);
  }
  const { starts, ends, kinds } = windows;
  for (let at = 0; at < logits.length; at += 1) {
    const count = (before[ends[at] ?? 0] ?? 0) - (before[starts[at] ?? 0] ?? 0);
    if (count === 0) continue;
    const share = count / (count + (DAMPING[kinds[at] ?? 0] ?? SATURATION));
    logits[at] = (logits[at] ?? 0) + weight * share;
  }
}

/** @param scores by the place of a turn, the best of all 1 */
function addBestTurns({ firstTurn, windows, logits }: Weighed, scores: Float64Array): void {
  const { starts, ends } = windows;
  for (let at = 0; at < logits.length; at += 1) {
    const end = firstTurn + (ends[at] ?? 0);
    let best = 0;
    for (let place = firstTurn + (starts[at] ?? 0); place < end; place += 1) {
      const score = scores[place] ?? 0;
      if (score > best) best = score;
    }
    logits[at] = (logits[at] ?? 0) + WEIGHT.bestTurn * best;
  }
}

/** Adds how much more than usual the speakers talk whose names the question matches best. */
function addSpeakers(
  { columns: { lengths }, windows, logits }: Weighed,
  asked: ReadonlySet<string>,
  before: Float64Array,
): void {
  const { speakers, speakerOf, starts, ends, length } = windows;
  const shares = speakers.map(
    (names) => names.filter((name) => asked.has(name)).length / Math.max(1, names.length),
  );
  const most = shares.reduce((all, share) => Math.max(all, share), 0);
  if (most === 0) return;
  before[0] = 0;
  for (let turn = 0; turn < lengths.length; turn += 1) {
    const isAsked = shares[speakerOf[turn] ?? 0] === most;
    before[turn + 1] = (before[turn] ?? 0) + (isAsked ? (lengths[turn] ?? 0) : 0);
  }
  const usual = (before[lengths.length] ?? 0) / length;
  for (let at = 0; at < logits.length; at += 1) {
    const said = (before[ends[at] ?? 0] ?? 0) - (before[starts[at] ?? 0] ?? 0);
    const more = (said + SPEAKER_TERMS) / (usual * (windows.lengths[at] ?? 0) + SPEAKER_TERMS);
    logits[at] = (logits[at] ?? 0) + WEIGHT.speaker * Math.log(more);
  }
}

function expected(all: readonly Weighed[], places: number): Float64Array {
  const scores = new Float64Array(places);
  let best = Number.NEGATIVE_INFINITY;
  for (const { logits } of all) best = logits.reduce((most, logit) => Math.max(most, logit), best);
  for (const { firstTurn, columns, windows, logits } of all) {
    const { starts, ends, lengths } = windows;
    // Each window adds its share at its start and subtracts it at its end.
    const steps = new Float64Array(columns.lengths.length + 1);
    for (let at = 0; at < logits.length; at += 1) {
      const [start, end] = [starts[at] ?? 0, ends[at] ?? 0];
      const share = Math.exp((logits[at] ?? 0) - best) / (lengths[at] ?? 1);
      steps[start] = (steps[start] ?? 0) + share;
      steps[end] = (steps[end] ?? 0) - share;
    }
    let sum = 0;
    for (let turn = 0; turn < columns.lengths.length; turn += 1) {
      sum += steps[turn] ?? 0;
      scores[firstTurn + turn] = Math.max(0, sum);
    }
  }
  return scores;
}
