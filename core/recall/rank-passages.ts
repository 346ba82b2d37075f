/**
 * Ranks the passages of earlier turns for a question: by their words and those of the surrounding
 * turns, by meaning if a semantic embedder is present, by time and speaker, and by the kind of
 * answer that the question asks for. Words are scored by BM25 (Robertson, Zaragoza, 2009) over
 * turns and over passages.
 *
 * The weights were chosen on eight people of one data set and hold on two other kinds of data
 * (`npm run bench -- conversations`, docs/benchmarks.md).
 */
import type { TimeWindow } from './question-time.ts';
import type { Passage, PastSession, PastTurn } from './past-session.ts';
import { addFollowUps } from './follow-ups.ts';
import {
  OFFERS,
  placedSessions,
  TURN_GAP,
  type PlacedSession,
  type PlacedSessions,
} from './packed-session.ts';
import { questionSigns, type QuestionSigns } from './question-signs.ts';
import { stretchScores } from './stretch-scores.ts';
import { largest, wordScores, type WordScores } from './word-scores.ts';

export interface RecallQuestion {
  readonly text: string;
  /** Terms of the question, from `recallTerms`. */
  readonly terms: readonly string[];
  /** Null if words alone decide: hashed vectors add nothing to them. */
  readonly vector: Float32Array | null;
  readonly windows: readonly TimeWindow[];
}

export interface RankedPassage {
  readonly session: PastSession;
  readonly place: number;
  readonly passage: Passage;
  readonly turn: PastTurn;
  readonly score: number;
  /** Share of the question's words that its turn and the neighboring turns have, from 0. */
  readonly wordShare: number;
  /** Whether its turn has no word of the question, and answers no turn that has one. */
  readonly isAside: boolean;
  /** Null if it or the question has no vector. */
  readonly cosine: number | null;
}

/** Share of a passage's score that comes from meaning, if there is a model. */
const VECTOR_SHARE = 0.7;
/**
 * Share of the word score that comes from the passage itself; its turn and neighbors give the
 * rest.
 */
const OWN_WORDS_SHARE = 0.6;
const OWN_VECTOR_SHARE = 0.5;
/**
 * Share of an adjacent turn's score that a turn gets; below, how much less it gets of the next
 * one.
 */
const NEXT_SHARE = { words: 0.5, vectors: 0.25 };
const SECOND_SHARE = 0.4;

/**
 * A long session, such as a meeting, stays on one topic for minutes, and a question asks for such
 * a stretch. From the first number of turns, the surrounding turns count too; from the second,
 * they count fully.
 */
const LONG_SESSION_TURNS = { from: 40, to: 200 };
const STRETCH_WEIGHT = 4;
const OWN_WORDS_SHARE_LONG = 0.2;

/** Maximum passages that are checked for what follows them, the best by their own score. */
const CANDIDATES_MAX = 4_000;

const WORTH_WEIGHT = 0.15;
const KIND_WEIGHT = 0.12;
const PREFERENCE_WEIGHT = 0.15;
const TASK_WEIGHT = 0.3;
const WINDOW_WEIGHT = 0.5;
/** Newer turns count a little more, and more still if the question is about the present. */
const AGE_WEIGHT = { always: 0.05, asked: 0.1 };
/** Questions rarely ask for what the assistant said, unless they mention it. */
const ASSISTANT_FACTOR = { otherwise: 0.45, asked: 1.5 };
const USER_FACTOR_ASKED_OF_ASSISTANT = 0.7;

/** Ranks passages, best first; ties keep the order of the conversation. */
export function rankPassages(
  sessions: readonly PastSession[],
  question: RecallQuestion,
): readonly RankedPassage[] {
  const signs = questionSigns(question.text);
  const placed = placedSessions(sessions);
  const words = wordScores(placed, question.terms);
  const asked: Asked = {
    signs,
    offers: offersAsked(signs),
    windows: question.windows,
    words: words.passages,
    near: nearWords(placed, words),
    vectors: question.vector === null ? null : vectorScores(placed, question.vector),
    ages: agesOf(placed),
  };
  const scores = new Float64Array(placed.places.passages);
  for (const each of placed.each) scoreSession(scores, each, asked);
  const shares = withNeighbors(words.turnShares, NEXT_SHARE.words);
  const own = words.turnShares;
  const ranked = candidates(placed, scores, { shares, own, asked: question.vector });
  // A question that names a time asks for what was said then, not for what followed.
  const followed =
    question.windows.length > 0
      ? ranked
      : addFollowUps(ranked, {
          factor: ({ turn }) => roleFactor(turn.role === 'user', signs),
          isSemantic: question.vector !== null,
        });
  return bestFirst(followed);
}

/** As a stable sort orders them. Numbers alone are sorted several times as fast. */
function bestFirst(ranked: readonly RankedPassage[]): readonly RankedPassage[] {
  const scores = new Float64Array(ranked.length);
  for (let at = 0; at < scores.length; at += 1) scores[at] = -(ranked[at]?.score ?? 0);
  scores.sort();
  const before = new Uint32Array(scores.length);
  const sorted = ranked.slice();
  for (const each of ranked) {
    const place = firstPlace(scores, -each.score);
    sorted[place + (before[place] ?? 0)] = each;
    before[place] = (before[place] ?? 0) + 1;
  }
  return sorted;
}

/** The first place of a number among numbers in ascending order. */
function firstPlace(sorted: Float64Array, wanted: number): number {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((sorted[middle] ?? 0) < wanted) from = middle + 1;
    else to = middle;
  }
  return from;
}

interface Asked {
  readonly signs: QuestionSigns;
  readonly offers: number;
  readonly windows: readonly TimeWindow[];
  /** By the places of passages, and of turns. */
  readonly words: Float64Array;
  readonly near: Float64Array;
  /** Null if words alone decide. */
  readonly vectors: { readonly passages: Float64Array; readonly turns: Float64Array } | null;
  readonly ages: Ages;
}

/** Writes the scores of the passages of a session, before what follows them. */
function scoreSession(
  scores: Float64Array,
  { session, packed, firstTurn, firstPassage }: PlacedSession,
  { signs, offers: offersOf, windows, words, near, vectors, ages }: Asked,
): void {
  const { ats, isUser, turnOf, worths, offers } = packed;
  const long = stretchShare(session.turns.length);
  const own = OWN_WORDS_SHARE + (OWN_WORDS_SHARE_LONG - OWN_WORDS_SHARE) * long;
  const worthWeight = WORTH_WEIGHT * (1 - long);
  for (let passage = 0; passage < turnOf.length; passage += 1) {
    const turn = turnOf[passage] ?? 0;
    const at = ats[turn] ?? 0;
    const age = (at - ages.from) / ages.span;
    const place = firstPassage + passage;
    let matched = own * (words[place] ?? 0) + (1 - own) * (near[firstTurn + turn] ?? 0);
    if (vectors !== null) {
      const byVectors =
        OWN_VECTOR_SHARE * (vectors.passages[place] ?? 0) +
        (1 - OWN_VECTOR_SHARE) * (vectors.turns[firstTurn + turn] ?? 0);
      matched = VECTOR_SHARE * byVectors + (1 - VECTOR_SHARE) * matched;
    }
    const kind = kindScore((offers[passage] ?? 0) & offersOf, signs, age);
    scores[place] =
      (matched + worthWeight * (worths[passage] ?? 0) + kind + windowScore(at, windows)) *
      roleFactor(isUser[turn] === 1, signs);
  }
}

/** Returns the passages with the best scores, in the order of the conversation. */
function candidates(
  { each: sessions }: PlacedSessions,
  scores: Float64Array,
  {
    shares,
    own,
    asked,
  }: {
    readonly shares: Float64Array;
    readonly own: Float64Array;
    readonly asked: Float32Array | null;
  },
): readonly RankedPassage[] {
  const least = leastOfBest(scores);
  const found: RankedPassage[] = [];
  for (const { session, firstTurn, firstPassage } of sessions) {
    const { passages, turns } = session;
    for (let place = 0; place < passages.length; place += 1) {
      const score = scores[firstPassage + place] ?? 0;
      if (score < least) continue;
      const passage = passages[place];
      const turn = turns[passage?.turn ?? -1];
      if (passage === undefined || turn === undefined) continue;
      const wordShare = shares[firstTurn + passage.turn] ?? 0;
      const cosine = asked === null ? null : knownCosine(passage, asked);
      const isAside =
        (own[firstTurn + passage.turn] ?? 0) === 0 &&
        !answers(passage, turns, {
          isMatched: passage.turn > 0 && (own[firstTurn + passage.turn - 1] ?? 0) > 0,
        });
      found.push({ session, place, passage, turn, wordShare, isAside, cosine, score });
    }
  }
  return found;
}

/** A shorter reply to a statement ("Fine.") says nothing of what the statement is about. */
const REPLY_TERMS_MIN = 4;

/** Whether the turn of a passage replies to a matched turn before it, and says something. */
function answers(
  { turn, terms }: Passage,
  turns: readonly PastTurn[],
  { isMatched }: { readonly isMatched: boolean },
): boolean {
  if (!isMatched) return false;
  return terms.length >= REPLY_TERMS_MIN || /[?？]\s*$/u.test(turns[turn - 1]?.turn.content ?? '');
}

/** Scores are counted in this many steps, so that only one step of them has to be sorted. */
const STEPS = 4_096;

/** Returns the least score of the best candidates. */
function leastOfBest(scores: Float64Array): number {
  if (scores.length <= CANDIDATES_MAX) return Number.NEGATIVE_INFINITY;
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
  let left = CANDIDATES_MAX;
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

function roleFactor(isUser: boolean, { assistant }: QuestionSigns): number {
  if (assistant) return isUser ? USER_FACTOR_ASKED_OF_ASSISTANT : ASSISTANT_FACTOR.asked;
  return isUser ? 1 : ASSISTANT_FACTOR.otherwise;
}

/** Returns the offers that count for a question. */
function offersAsked(asked: QuestionSigns): number {
  return (
    (asked.name ? OFFERS.name : 0) |
    (asked.number ? OFFERS.number : 0) |
    (asked.date ? OFFERS.date : 0) |
    (asked.preference ? OFFERS.preference : 0) |
    (asked.task ? OFFERS.task : 0)
  );
}

/** @param offered what the passage offers of what is asked for */
function kindScore(offered: number, asked: QuestionSigns, age: number): number {
  let score = AGE_WEIGHT.always * age;
  if (asked.now) score += AGE_WEIGHT.asked * age;
  if (asked.task) score += AGE_WEIGHT.asked * age;
  if (offered === 0) return score;
  if ((offered & OFFERS.name) > 0) score += KIND_WEIGHT;
  if ((offered & OFFERS.number) > 0) score += KIND_WEIGHT;
  if ((offered & OFFERS.date) > 0) score += KIND_WEIGHT;
  if ((offered & OFFERS.preference) > 0) score += PREFERENCE_WEIGHT;
  if ((offered & OFFERS.task) > 0) score += TASK_WEIGHT * (0.4 + 0.6 * age);
  return score;
}

function windowScore(at: number, windows: readonly TimeWindow[]): number {
  let score = 0;
  for (const { from, to, weight } of windows) {
    if (at >= from && at <= to) score += WINDOW_WEIGHT * weight;
  }
  return score;
}

/** What makes an age of a time: 0 for the oldest turn, 1 for the newest. */
interface Ages {
  readonly from: number;
  readonly span: number;
}

function agesOf({ each }: PlacedSessions): Ages {
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { packed } of each) {
    from = Math.min(from, packed.span.from);
    to = Math.max(to, packed.span.to);
  }
  return { from, span: Math.max(1, to - from) };
}

function stretchShare(turns: number): number {
  const { from, to } = LONG_SESSION_TURNS;
  return Math.min(1, Math.max(0, (turns - from) / (to - from)));
}

/** Returns by turn the scores with those of the turns around. */
function nearWords(placed: PlacedSessions, words: WordScores): Float64Array {
  const near = withNeighbors(words.turns, NEXT_SHARE.words);
  const long = placed.each.filter(({ session: { turns } }) => stretchShare(turns.length) > 0);
  if (long.length === 0) return near;
  const stretches = stretchScores(placed, words);
  const best = largest(stretches);
  if (best === 0) return near;
  for (const { session, firstTurn } of long) {
    const weight = (STRETCH_WEIGHT * stretchShare(session.turns.length)) / best;
    for (let at = firstTurn; at < firstTurn + session.turns.length; at += 1) {
      near[at] = (near[at] ?? 0) + weight * (stretches[at] ?? 0);
    }
  }
  return near;
}

/** @param own by the place of a turn; what is between two sessions is not read */
function withNeighbors(own: Float64Array, next: number): Float64Array {
  const second = next * SECOND_SHARE;
  const all = new Float64Array(own.length);
  for (let at = TURN_GAP; at < own.length - TURN_GAP; at += 1) {
    all[at] =
      (own[at] ?? 0) +
      next * ((own[at - 1] ?? 0) + (own[at + 1] ?? 0)) +
      second * ((own[at - 2] ?? 0) + (own[at + 2] ?? 0));
  }
  return all;
}

/** Scales cosines so that the mean is 0 and the best 1, since models differ in both. */
function vectorScores(
  placed: PlacedSessions,
  asked: Float32Array,
): { readonly passages: Float64Array; readonly turns: Float64Array } {
  const passages = new Float64Array(placed.places.passages);
  const turns = new Float64Array(placed.places.turns).fill(Number.NaN);
  for (const { session, firstTurn, firstPassage } of placed.each) {
    for (const [at, { vector }] of session.passages.entries()) {
      passages[firstPassage + at] = cosineOf(vector, asked);
    }
    for (const [at, turn] of session.turns.entries()) {
      turns[firstTurn + at] = cosineOf(meanVector(session, turn), asked);
    }
  }
  return { passages: scaled(passages), turns: withNeighbors(scaled(turns), NEXT_SHARE.vectors) };
}

function knownCosine({ vector }: Passage, asked: Float32Array): number | null {
  const cosine = cosineOf(vector, asked);
  return Number.isNaN(cosine) ? null : cosine;
}

/** Returns NaN if there is no vector. */
function cosineOf(vector: Float32Array | null, asked: Float32Array): number {
  if (vector === null || vector.length !== asked.length) return Number.NaN;
  let sum = 0;
  for (let at = 0; at < asked.length; at += 1) sum += (vector[at] ?? 0) * (asked[at] ?? 0);
  return sum;
}

function meanVector({ passages }: PastSession, { first, end }: PastTurn): Float32Array | null {
  const vectors = passages.slice(first, end).flatMap(({ vector }) => vector ?? []);
  const [one] = vectors;
  if (one === undefined || vectors.length === 1) return one ?? null;
  const sum = new Float32Array(one.length);
  for (const vector of vectors) {
    for (let at = 0; at < sum.length; at += 1) sum[at] = (sum[at] ?? 0) + (vector[at] ?? 0);
  }
  const length = Math.hypot(...sum);
  return length === 0 ? null : sum.map((value) => value / length);
}

/** Returns 0 for what is not a number. */
function scaled(scores: Float64Array): Float64Array {
  const known = scores.filter((score) => !Number.isNaN(score));
  if (known.length === 0) return scores.map(() => 0);
  const mean = known.reduce((sum, score) => sum + score, 0) / known.length;
  const best = known.reduce((most, score) => Math.max(most, score), mean);
  const range = best - mean || 1;
  return scores.map((score) => (Number.isNaN(score) ? 0 : (score - mean) / range));
}
