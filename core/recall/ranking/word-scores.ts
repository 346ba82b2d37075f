/**
 * BM25 scores of turns and passages for the words of a question: scaled to a best of 1, to rank
 * them, and as shares of the best possible score, to judge whether they fit at all.
 */
import { inverseDocumentFrequency, termPresence } from '../../text/term-statistics.ts';
import { askedWeight } from '../../search/asking-words.ts';
import type {
  ConcatenatedSession,
  ConcatenatedSessions,
} from '../sessions/concatenated-sessions.ts';
import { relatedWords } from '../../search/related-words.ts';
import {
  formsInSessions,
  NO_NUMBER,
  numbersIn,
  hashedTerms,
  type HashedTerm,
} from '../words/term-index.ts';

const LENGTH_WEIGHT = 0.5;
/** Maximum distinct terms of a question that are looked up. */
const TERMS_MAX = 128;

/**
 * How much more a word of the question counts that only the assistant said: its turns otherwise
 * count for less than half (`ASSISTANT_FACTOR`), as those of the user tend to say the same first.
 */
const UNSAID_BY_USER = 2.2;

/**
 * Share of its weight that another form of a word or a related word gets where no turn has the word
 * of the question.
 */
const RELATED_WEIGHT = 0.5;

const NO_NAMES: ReadonlySet<string> = new Set();
/** Weight of the name of a speaker whom the question names. */
const NAME_WEIGHT = 0.2;

/** Scores by the places of turns and passages. */
export interface WordScores {
  /** The distinct terms, and how rare each is among the turns. */
  readonly terms: readonly { readonly term: HashedTerm; readonly rarity: number }[];
  /** The numbers of the terms, by session and then by term. */
  readonly numbers: Int32Array;
  readonly turns: Float64Array;
  readonly passages: Float64Array;
  /**
   * Returns a turn's share of the best possible score: 1 means every term of the question once, in
   * a turn of average length.
   */
  readonly turnShare: (place: number) => number;
}

export function wordScores(
  placed: ConcatenatedSessions,
  asked: readonly string[],
  names: ReadonlySet<string> = NO_NAMES,
): WordScores {
  const terms = hashedTerms([...new Set(asked)].slice(0, TERMS_MAX));
  const { places, length } = placed;
  const means = {
    turn: Math.max(1, length / Math.max(1, placed.turns)),
    passage: Math.max(1, length / Math.max(1, places.passages)),
  };
  const turns = new Float64Array(places.turns);
  const passages = new Float64Array(places.passages);
  const indexes = placed.each.map(({ session }) => session.index);
  let possible = 0;
  const weighed: { term: HashedTerm; rarity: number }[] = [];
  const numbers = numbersIn(indexes, terms);
  for (const [at, term] of terms.entries()) {
    const { found, having } = foundIn(placed.each, { numbers, at, of: terms.length });
    const isOnlyOfOthers = found.length > 0 && !found.some(isOfUser);
    const asking = names.has(term.term) ? NAME_WEIGHT : askedWeight(term.term);
    const weight = asking * (isOnlyOfOthers ? UNSAID_BY_USER : 1);
    const ofTurns = weight * inverseDocumentFrequency(having.turns, placed.turns);
    const ofPassages = weight * inverseDocumentFrequency(having.passages, places.passages);
    for (const each of found) addTerm(each, { ofTurns, ofPassages, means }, { turns, passages });
    possible += ofTurns;
    weighed.push({ term, rarity: ofTurns });
    if (found.some(isStated)) continue;
    const forms = formsInSessions(indexes, term.term);
    const others = [...new Set([...forms, ...relatedWords(term.term)])].filter(
      (other) => !asked.includes(other),
    );
    const ofOthers = { numbers: numbersIn(indexes, hashedTerms(others)), of: others.length };
    for (let other = 0; other < others.length; other += 1) {
      const related = foundIn(placed.each, { ...ofOthers, at: other });
      const weights = {
        ofTurns: RELATED_WEIGHT * inverseDocumentFrequency(related.having.turns, placed.turns),
        ofPassages:
          RELATED_WEIGHT * inverseDocumentFrequency(related.having.passages, places.passages),
        means,
      };
      for (const each of related.found) addTerm(each, weights, { turns, passages });
    }
  }
  return {
    terms: weighed,
    numbers,
    turns: divide(turns.slice(), largest(turns)),
    passages: divide(passages, largest(passages)),
    turnShare: (place) => (possible === 0 ? 0 : (turns[place] ?? 0) / possible),
  };
}

/** Where the index of a session has the occurrences of a term. */
interface Found {
  readonly placed: ConcatenatedSession;
  readonly start: number;
  readonly end: number;
}

/** One of several terms, with the numbers of all of them by session and then by term. */
interface Sought {
  readonly numbers: Int32Array;
  readonly at: number;
  readonly of: number;
}

/** Finds a term in the sessions, and counts the turns and passages that have it. */
function foundIn(sessions: readonly ConcatenatedSession[], { numbers, at, of }: Sought) {
  const found: Found[] = [];
  const having = { turns: 0, passages: 0 };
  for (const [place, placed] of sessions.entries()) {
    const number = numbers[place * of + at] ?? NO_NUMBER;
    if (number === NO_NUMBER) continue;
    const { index } = placed.session;
    const start = index.starts[number] ?? 0;
    const end = index.starts[number + 1] ?? 0;
    found.push({ placed, start, end });
    having.turns += index.frequency[number] ?? 0;
    having.passages += end - start;
  }
  return { found, having };
}

/** Whether the term occurs in anything but questions: asking the same again is no answer. */
function isStated({ placed: { session, columns }, start, end }: Found): boolean {
  const { passages } = session.index;
  for (let at = start; at < end; at += 1) if (columns.asks[passages[at] ?? 0] === 0) return true;
  return false;
}

function isOfUser({ placed: { session, columns }, start, end }: Found): boolean {
  const { passages } = session.index;
  const { isUser, turnOf } = columns;
  for (let at = start; at < end; at += 1) {
    if (isUser[turnOf[passages[at] ?? 0] ?? 0] === 1) return true;
  }
  return false;
}

interface Weights {
  readonly ofTurns: number;
  readonly ofPassages: number;
  readonly means: { readonly turn: number; readonly passage: number };
}

/** Adds the score of one term to the turns and passages of a session that have it. */
function addTerm(
  { placed: { session, columns, firstTurn, firstPassage }, start, end }: Found,
  { ofTurns, ofPassages, means }: Weights,
  { turns, passages }: Pick<WordScores, 'turns' | 'passages'>,
): void {
  const { turnOf, lengths } = columns;
  const { passages: places, counts, ownStarts } = session.index;
  for (let at = start; at < end;) {
    const turn = turnOf[places[at] ?? 0] ?? 0;
    let inTurn = 0;
    // Passages are in the order of their turns.
    for (; at < end; at += 1) {
      const passage = places[at] ?? 0;
      if (turnOf[passage] !== turn) break;
      const count = counts[at] ?? 0;
      inTurn += count;
      const length = (ownStarts[passage + 1] ?? 0) - (ownStarts[passage] ?? 0);
      const place = firstPassage + passage;
      passages[place] =
        (passages[place] ?? 0) +
        ofPassages * termPresence(count, length / means.passage, LENGTH_WEIGHT);
    }
    const relative = (lengths[turn] ?? 0) / means.turn;
    const place = firstTurn + turn;
    turns[place] = (turns[place] ?? 0) + ofTurns * termPresence(inTurn, relative, LENGTH_WEIGHT);
  }
}

export function largest(scores: Float64Array): number {
  let most = 0;
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score > most) most = score;
  }
  return most;
}

function divide(scores: Float64Array, whole: number): Float64Array {
  if (whole === 0) return scores;
  for (let at = 0; at < scores.length; at += 1) scores[at] = (scores[at] ?? 0) / whole;
  return scores;
}
