/**
 * Selects the passages with the best scores. They are kept in parallel arrays of numbers: there are
 * thousands of them, and reading an object for each takes most of the time.
 */
import type {
  ConcatenatedSession,
  ConcatenatedSessions,
} from '../sessions/concatenated-sessions.ts';
import type { Passage } from '../sessions/past-session.ts';

/** Maximum candidates: the best passages by their own score, without follow-ups. */
const CANDIDATES_MAX = 4_000;

export interface BestPassages extends Pick<ConcatenatedSessions, 'columns'> {
  readonly sessions: readonly ConcatenatedSession[];
  /** By candidate, in the order of the conversation: its place among all passages. */
  readonly passages: Uint32Array;
  /** By candidate: its session's place in `sessions`, its place in that session, and its score. */
  readonly sessionOf: Uint32Array;
  readonly places: Uint32Array;
  readonly scores: Float64Array;
}

/** Returns the candidates. @param scores by the places of passages */
export function bestOf(
  { each: sessions, columns }: ConcatenatedSessions,
  scores: Float64Array,
): BestPassages {
  const least = leastOfBest(scores, CANDIDATES_MAX);
  let count = 0;
  for (let at = 0; at < scores.length; at += 1) if ((scores[at] ?? 0) >= least) count += 1;
  const best = {
    sessions,
    columns,
    passages: new Uint32Array(count),
    sessionOf: new Uint32Array(count),
    places: new Uint32Array(count),
    scores: new Float64Array(count),
  };
  let next = 0;
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score < least) continue;
    const session = columns.sessionOf[at] ?? 0;
    best.passages[next] = at;
    best.sessionOf[next] = session;
    best.places[next] = at - (sessions[session]?.firstPassage ?? 0);
    best.scores[next] = score;
    next += 1;
  }
  return best;
}

/** Returns a candidate; undefined if there is none at this place. */
export function passageAt(
  { sessions, sessionOf, places }: Pick<BestPassages, 'sessions' | 'sessionOf' | 'places'>,
  at: number,
): Passage | undefined {
  return sessions[sessionOf[at] ?? -1]?.session.passages[places[at] ?? -1];
}

/** Returns the place of a candidate's turn among those of all sessions; -1 if there is none. */
export function turnAt({ columns, passages }: BestPassages, at: number): number {
  return columns.turnOf[passages[at] ?? -1] ?? -1;
}

/** Steps of a histogram of the scores: only the scores of one step have to be sorted. */
const STEPS = 4_096;

/** Returns the lowest of the best scores. @param count how many are the best */
function leastOfBest(scores: Float64Array, count: number): number {
  if (scores.length <= count) return Number.NEGATIVE_INFINITY;
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score < lowest) lowest = score;
    if (score > highest) highest = score;
  }
  const scale = highest > lowest ? (STEPS - 1) / (highest - lowest) : 0;
  const counts = new Uint32Array(STEPS);
  for (let at = 0; at < scores.length; at += 1) {
    const step = Math.floor(((scores[at] ?? 0) - lowest) * scale);
    counts[step] = (counts[step] ?? 0) + 1;
  }
  let left = count;
  let step = STEPS - 1;
  while ((counts[step] ?? 0) < left) {
    left -= counts[step] ?? 0;
    step -= 1;
  }
  const last: number[] = [];
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (Math.floor((score - lowest) * scale) === step) last.push(score);
  }
  return last.toSorted((a, b) => b - a)[left - 1] ?? Number.NEGATIVE_INFINITY;
}

/** Returns the places of the best scores, best first; equal scores keep their order. */
export function bestFirst(scores: Float64Array, limit: number): readonly number[] {
  const least = leastOfBest(scores, limit);
  const best: { readonly at: number; readonly score: number }[] = [];
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score >= least) best.push({ at, score });
  }
  const order = best.toSorted((a, b) => b.score - a.score);
  return order.slice(0, limit).map(({ at }) => at);
}
