/**
 * BM25 scores of turns and passages for the words of a question: scaled to a best of 1, to rank
 * them, and as shares of the best possible score, to judge whether they fit at all.
 */
import type { PastSession } from './past-session.ts';

const SATURATION = 1.2;
const LENGTH_WEIGHT = 0.5;
/** Minimum number of texts assumed, so that a word does not seem common among three turns. */
const TEXTS_MIN = 50;
/** Maximum distinct terms of a question that are looked up. */
const TERMS_MAX = 128;

export interface WordScores {
  /** By session, then turn. */
  readonly turns: readonly Float64Array[];
  /** By session, then passage. */
  readonly passages: readonly Float64Array[];
  /** By session, then turn: 1 means every term of the question once, at average length. */
  readonly turnShares: readonly Float64Array[];
}

export function wordScores(sessions: readonly PastSession[], asked: readonly string[]): WordScores {
  const terms = [...new Set(asked)].slice(0, TERMS_MAX);
  const turnCount = sum(sessions, ({ turns }) => turns.length);
  const passageCount = sum(sessions, ({ passages }) => passages.length);
  const length = sum(sessions, ({ turns }) => turns.reduce((all, turn) => all + turn.length, 0));
  const means = {
    turn: Math.max(1, length / Math.max(1, turnCount)),
    passage: Math.max(1, length / Math.max(1, passageCount)),
  };
  const weights = terms.map((term) => ({
    term,
    ofTurns: rarity(
      sum(sessions, ({ frequency }) => frequency.get(term) ?? 0),
      turnCount,
    ),
    ofPassages: rarity(
      sum(sessions, ({ occurrences }) => occurrences.get(term)?.length ?? 0),
      passageCount,
    ),
  }));
  const turns = sessions.map((session) => new Float64Array(session.turns.length));
  const passages = sessions.map((session) => new Float64Array(session.passages.length));
  for (const [at, session] of sessions.entries()) {
    const scores = { turns: turns[at] ?? new Float64Array(), passages: passages[at] };
    for (const weight of weights) addTerm(session, weight, { ...scores, means });
  }
  const possible = sum(weights, ({ ofTurns }) => ofTurns);
  return {
    turns: bestAtOne(turns),
    passages: bestAtOne(passages),
    turnShares: possible === 0 ? turns : turns.map((each) => each.map((one) => one / possible)),
  };
}

interface Weight {
  readonly term: string;
  readonly ofTurns: number;
  readonly ofPassages: number;
}

/** Adds the score of one term to the turns and passages of a session that have it. */
function addTerm(
  session: PastSession,
  { term, ofTurns, ofPassages }: Weight,
  {
    turns,
    passages = new Float64Array(),
    means,
  }: {
    turns: Float64Array;
    passages: Float64Array | undefined;
    means: { turn: number; passage: number };
  },
): void {
  const occurrences = session.occurrences.get(term);
  if (occurrences === undefined) return;
  const inTurns = new Map<number, number>();
  for (const { passage: place, count } of occurrences) {
    const { turn = 0, terms = [] } = session.passages[place] ?? {};
    inTurns.set(turn, (inTurns.get(turn) ?? 0) + count);
    passages[place] =
      (passages[place] ?? 0) + ofPassages * presence(count, terms.length / means.passage);
  }
  for (const [turn, count] of inTurns) {
    const relative = (session.turns[turn]?.length ?? 0) / means.turn;
    turns[turn] = (turns[turn] ?? 0) + ofTurns * presence(count, relative);
  }
}

/** Rarer terms get a higher weight. */
function rarity(having: number, texts: number): number {
  const all = Math.max(texts, TEXTS_MIN);
  const some = Math.min(having, all);
  return Math.log(1 + (all - some + 0.5) / (some + 0.5));
}

function presence(count: number, relativeLength: number): number {
  const damping = SATURATION * (1 - LENGTH_WEIGHT + LENGTH_WEIGHT * relativeLength);
  return (count * (1 + SATURATION)) / (count + damping);
}

function bestAtOne(scores: readonly Float64Array[]): readonly Float64Array[] {
  let best = 0;
  for (const each of scores) for (const score of each) best = Math.max(best, score);
  return best === 0 ? scores : scores.map((each) => each.map((score) => score / best));
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((all, item) => all + of(item), 0);
}
