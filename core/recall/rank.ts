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
import { questionSigns, type QuestionSigns } from './signs.ts';
import { wordScores } from './word-scores.ts';

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
const STRETCH_TURNS = 15;
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
  const stretches = sessions.map(({ turns }) => stretchShare(turns.length));
  const words = wordScores(sessions, question.terms);
  const turnWords = nearWords(sessions, words.turns, stretches);
  const shares = words.turnShares.map((own) => withNeighbors(own, NEXT_SHARE.words));
  const vectors = question.vector === null ? null : vectorScores(sessions, question.vector);
  const ages = agesOf(sessions);
  const scores = sessions.map((session, at) => {
    const long = stretches[at] ?? 0;
    const own = OWN_WORDS_SHARE + (OWN_WORDS_SHARE_LONG - OWN_WORDS_SHARE) * long;
    const ofPassages = new Float64Array(session.passages.length);
    const { worths, offers } = packedSigns(session);
    const [wordsOf, nearOf] = [words.passages[at] ?? NO_SCORES, turnWords[at] ?? NO_SCORES];
    for (const [index, turn] of session.turns.entries()) {
      const age = ages(turn);
      const factor = roleFactor(turn, signs);
      const inWindow = windowScore(turn, question.windows);
      const nearby = (1 - own) * (nearOf[index] ?? 0);
      for (let place = turn.first; place < turn.end; place += 1) {
        let matched = own * (wordsOf[place] ?? 0) + nearby;
        if (vectors !== null) {
          const byVectors =
            OWN_VECTOR_SHARE * (vectors.passages[at]?.[place] ?? 0) +
            (1 - OWN_VECTOR_SHARE) * (vectors.turns[at]?.[index] ?? 0);
          matched = VECTOR_SHARE * byVectors + (1 - VECTOR_SHARE) * matched;
        }
        const worth = WORTH_WEIGHT * (1 - long) * (worths[place] ?? 0);
        ofPassages[place] =
          (matched + worth + kindScore(offers[place] ?? 0, signs, age) + inWindow) * factor;
      }
    }
    return ofPassages;
  });
  const ranked = candidates(sessions, scores, {
    shareOf: (at, turn) => shares[at]?.[turn] ?? 0,
    cosineOf: (passage) =>
      question.vector === null ? null : knownCosine(passage, question.vector),
  });
  // A question that names a time asks for what was said then, not for what followed.
  const followed =
    question.windows.length > 0
      ? ranked
      : addFollowUps(ranked, {
          factor: (turn) => roleFactor(turn, signs),
          isSemantic: question.vector !== null,
        });
  return followed.toSorted((a, b) => b.score - a.score);
}

/** Returns the passages with the best scores, in the order of the conversation. */
function candidates(
  sessions: readonly PastSession[],
  scores: Scores,
  {
    shareOf,
    cosineOf: cosine,
  }: {
    readonly shareOf: (session: number, turn: number) => number;
    readonly cosineOf: (passage: Passage) => number | null;
  },
): readonly RankedPassage[] {
  const least = leastOfBest(scores);
  const found: RankedPassage[] = [];
  for (const [at, session] of sessions.entries()) {
    for (const [place, score] of (scores[at] ?? new Float64Array()).entries()) {
      if (score < least) continue;
      const passage = session.passages[place];
      const turn = session.turns[passage?.turn ?? -1];
      if (passage === undefined || turn === undefined) continue;
      const wordShare = shareOf(at, passage.turn);
      found.push({ session, place, passage, turn, wordShare, cosine: cosine(passage), score });
    }
  }
  return found;
}

/** Scores are counted in this many steps, so that only one step of them has to be sorted. */
const STEPS = 4_096;

/** Returns the least score of the best candidates. */
function leastOfBest(scores: Scores): number {
  const count = scores.reduce((sum, { length }) => sum + length, 0);
  if (count <= CANDIDATES_MAX) return Number.NEGATIVE_INFINITY;
  let [lowest, highest] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const own of scores) {
    for (const score of own) {
      if (score < lowest) lowest = score;
      if (score > highest) highest = score;
    }
  }
  const scale = highest > lowest ? (STEPS - 1) / (highest - lowest) : 0;
  const stepOf = (score: number): number => Math.floor((score - lowest) * scale);
  const counts = new Uint32Array(STEPS);
  for (const own of scores)
    for (const score of own) {
      const at = stepOf(score);
      counts[at] = (counts[at] ?? 0) + 1;
    }
  let left = CANDIDATES_MAX;
  let step = STEPS - 1;
  while ((counts[step] ?? 0) < left) {
    left -= counts[step] ?? 0;
    step -= 1;
  }
  const last: number[] = [];
  for (const own of scores) for (const score of own) if (stepOf(score) === step) last.push(score);
  return last.toSorted((a, b) => b - a)[left - 1] ?? Number.NEGATIVE_INFINITY;
}

function roleFactor({ turn: { role } }: PastTurn, { assistant }: QuestionSigns): number {
  const isUser = role === 'user';
  if (assistant) return isUser ? USER_FACTOR_ASKED_OF_ASSISTANT : ASSISTANT_FACTOR.asked;
  return isUser ? 1 : ASSISTANT_FACTOR.otherwise;
}

/** What a passage offers, in bits: a large array of numbers is read faster than objects. */
const OFFERS = { name: 1, number: 2, date: 4, preference: 8, task: 16 } as const;

interface PackedSigns {
  readonly worths: Float64Array;
  readonly offers: Uint8Array;
}

/** Packed once per session, which stays in memory between questions. */
const signsPacked = new WeakMap<PastSession, PackedSigns>();

function packedSigns(session: PastSession): PackedSigns {
  const known = signsPacked.get(session);
  if (known !== undefined) return known;
  const packed = {
    worths: Float64Array.from(session.passages, ({ signs }) => signs.worth),
    offers: Uint8Array.from(
      session.passages,
      ({ signs }) =>
        (signs.names > 0 ? OFFERS.name : 0) |
        (signs.isNumber ? OFFERS.number : 0) |
        (signs.isDate ? OFFERS.date : 0) |
        (signs.isPreference ? OFFERS.preference : 0) |
        (signs.isTask ? OFFERS.task : 0),
    ),
  };
  signsPacked.set(session, packed);
  return packed;
}

function kindScore(offered: number, asked: QuestionSigns, age: number): number {
  let score = AGE_WEIGHT.always * age;
  if (asked.now) score += AGE_WEIGHT.asked * age;
  if (asked.task) score += AGE_WEIGHT.asked * age;
  if (asked.name && (offered & OFFERS.name) > 0) score += KIND_WEIGHT;
  if (asked.number && (offered & OFFERS.number) > 0) score += KIND_WEIGHT;
  if (asked.date && (offered & OFFERS.date) > 0) score += KIND_WEIGHT;
  if (asked.preference && (offered & OFFERS.preference) > 0) score += PREFERENCE_WEIGHT;
  if (asked.task && (offered & OFFERS.task) > 0) score += TASK_WEIGHT * (0.4 + 0.6 * age);
  return score;
}

function windowScore({ turn: { at } }: PastTurn, windows: readonly TimeWindow[]): number {
  let score = 0;
  for (const { from, to, weight } of windows) {
    if (at >= from && at <= to) score += WINDOW_WEIGHT * weight;
  }
  return score;
}

/** Returns the relative age: 0 for the oldest turn, 1 for the newest. */
function agesOf(sessions: readonly PastSession[]): (turn: PastTurn) => number {
  const spans = sessions.map(spanOf);
  const from = spans.reduce((least, span) => Math.min(least, span.from), Number.POSITIVE_INFINITY);
  const to = spans.reduce((most, span) => Math.max(most, span.to), Number.NEGATIVE_INFINITY);
  const span = Math.max(1, to - from);
  return ({ turn }) => (turn.at - from) / span;
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Measured once per session, which stays in memory between questions. */
const spansRead = new WeakMap<PastSession, Span>();

function spanOf(session: PastSession): Span {
  const known = spansRead.get(session);
  if (known !== undefined) return known;
  let [from, to] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { turn } of session.turns) {
    from = Math.min(from, turn.at);
    to = Math.max(to, turn.at);
  }
  const read = { from, to };
  spansRead.set(session, read);
  return read;
}

function stretchShare(turns: number): number {
  const { from, to } = LONG_SESSION_TURNS;
  return Math.min(1, Math.max(0, (turns - from) / (to - from)));
}

type Scores = readonly Float64Array[];

const NO_SCORES = new Float64Array();

function nearWords(
  sessions: readonly PastSession[],
  scores: Scores,
  stretches: readonly number[],
): Scores {
  const near = scores.map((own) => withNeighbors(own, NEXT_SHARE.words));
  const wide = sessions.map((_, at) =>
    (stretches[at] ?? 0) > 0 ? stretchScores(scores[at] ?? new Float64Array()) : null,
  );
  const best = Math.max(...wide.map((each) => (each === null ? 0 : largest(each))));
  if (best === 0) return near;
  return near.map((own, at) => {
    const stretch = wide[at];
    if (stretch === null || stretch === undefined) return own;
    const weight = (STRETCH_WEIGHT * (stretches[at] ?? 0)) / best;
    return own.map((score, index) => score + weight * (stretch[index] ?? 0));
  });
}

function withNeighbors(own: Float64Array, next: number): Float64Array {
  const second = next * SECOND_SHARE;
  return own.map(
    (score, at) =>
      score +
      next * ((own[at - 1] ?? 0) + (own[at + 1] ?? 0)) +
      second * ((own[at - 2] ?? 0) + (own[at + 2] ?? 0)),
  );
}

/** Returns the mean around each turn, weighted by a bell curve. */
function stretchScores(own: Float64Array): Float64Array {
  const reach = Math.ceil(STRETCH_TURNS * 2.5);
  const bell = Array.from({ length: reach + 1 }, (_, distance) =>
    Math.exp(-(distance ** 2) / (2 * STRETCH_TURNS ** 2)),
  );
  return own.map((_, at) => {
    let sum = 0;
    let weights = 0;
    const end = Math.min(own.length - 1, at + reach);
    for (let near = Math.max(0, at - reach); near <= end; near += 1) {
      const weight = bell[Math.abs(at - near)] ?? 0;
      sum += weight * (own[near] ?? 0);
      weights += weight;
    }
    return sum / weights;
  });
}

/** Scales cosines so that the mean is 0 and the best 1, since models differ in both. */
function vectorScores(
  sessions: readonly PastSession[],
  asked: Float32Array,
): { readonly passages: Scores; readonly turns: Scores } {
  const passages = sessions.map(({ passages: each }) =>
    Float64Array.from(each, ({ vector }) => cosineOf(vector, asked)),
  );
  const turns = sessions.map((session) =>
    Float64Array.from(session.turns, (turn) => cosineOf(meanVector(session, turn), asked)),
  );
  const scaledTurns = scaled(turns);
  return {
    passages: scaled(passages),
    turns: scaledTurns.map((own) => withNeighbors(own, NEXT_SHARE.vectors)),
  };
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

function scaled(scores: Scores): Scores {
  const known = scores.flatMap((each) => [...each].filter((score) => !Number.isNaN(score)));
  if (known.length === 0) return scores.map((each) => each.map(() => 0));
  const mean = known.reduce((sum, score) => sum + score, 0) / known.length;
  const best = known.reduce((most, score) => Math.max(most, score), mean);
  const range = best - mean || 1;
  return scores.map((each) =>
    each.map((score) => (Number.isNaN(score) ? 0 : (score - mean) / range)),
  );
}

function largest(scores: Float64Array): number {
  return scores.reduce((most, score) => Math.max(most, score), 0);
}
