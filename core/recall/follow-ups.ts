/**
 * Finds what was said later about the topic of the best passages. People correct themselves in
 * passing and in other words than the question's. Each link to the corrected passage is weak
 * alone: words of the surrounding turn, a value of the same kind, a word of change, the length.
 * Together they give the probability that a later passage follows an earlier one, and it gets that
 * share of the earlier one's score. Usually nothing follows, and no passage gets much.
 */
import type { BestPassages } from './best-passages.ts';
import type { PlacedSession } from './columnar-session.ts';
import type { Passage } from './past-session.ts';
import { VALUE_KINDS } from './question-signs.ts';
import { beginning, NO_NUMBER, numberIn, soughtTerms } from './term-index.ts';

/**
 * Number of best passages that later ones are compared with. What a correction is about ranks
 * lower among words that mean something like the question than among those that share its words.
 */
const BEST_MAX = { words: 5, vectors: 8 };
/**
 * Bonus of a certain follow-up, as a multiple of the score of the passage that it follows. With
 * vectors every passage is somewhat like the question, so that a bonus has to lift one further.
 */
const FOLLOW_UP_WEIGHT = { words: 2, vectors: 6 };
/** Logit weights, by maximum likelihood on the pairs of two sets, which agree (decision 0116). */
const LINK = { words: 3.4, kind: 0.8, change: 1.9, length: 2.9 };
/** The logit for the case that nothing follows. */
const NOTHING = 9.5;
/** At this length or more, a passage gets the full length bonus. */
const LONG_UNITS = 75;

export interface FollowUpOptions {
  /** Multiplier of the scores of users' turns for this question. */
  readonly factor: number;
  /** Whether meaning is part of the scores. */
  readonly isSemantic?: boolean;
}

/** Returns the scores of the candidates with the follow-up bonus of the best on later ones. */
export function withFollowUps(
  candidates: BestPassages,
  { factor, isSemantic = false }: FollowUpOptions,
): Float64Array {
  const said = saidByUsers(candidates);
  const best = bestOf(said, isSemantic ? BEST_MAX.vectors : BEST_MAX.words);
  const words = wordShares(best, said, wordsOf(best, candidates));
  const rareKinds = kindRarities(said);
  const { ats } = said;
  const added = new Float64Array(ats.length);
  const weights = new Float64Array(ats.length);
  for (const [rank, older] of best.entries()) {
    const since = ats[older.at] ?? 0;
    const all = weigh(weights, older, { said, shares: words[rank] ?? weights, rareKinds });
    for (let at = 0; at < ats.length; at += 1) {
      if ((ats[at] ?? 0) <= since) continue;
      added[at] = (added[at] ?? 0) + ((weights[at] ?? 0) / all) * older.score;
    }
  }
  const bonus = isSemantic ? FOLLOW_UP_WEIGHT.vectors : FOLLOW_UP_WEIGHT.words;
  const scores = candidates.scores.slice();
  for (let at = 0; at < ats.length; at += 1) {
    const place = said.candidates[at] ?? 0;
    scores[place] = (scores[place] ?? 0) + bonus * (added[at] ?? 0) * factor;
  }
  return scores;
}

interface Links {
  readonly said: Said;
  /** Of the words of the older one. */
  readonly shares: Float64Array;
  /** By the place of a kind. */
  readonly rareKinds: readonly number[];
}

/** Writes how likely each later passage follows an older one; returns their sum. */
function weigh(weights: Float64Array, older: Best, { said, shares, rareKinds }: Links): number {
  const { ats, kinds, changes, lengths, alone } = said;
  const since = ats[older.at] ?? 0;
  const ofOlder = kinds[older.at] ?? 0;
  // That nothing follows.
  let all = 1;
  for (let at = 0; at < ats.length; at += 1) {
    if ((ats[at] ?? 0) <= since) continue;
    const share = shares[at] ?? 0;
    const both = ofOlder & (kinds[at] ?? 0);
    let weight = alone[at] ?? 0;
    if (share > 0 || both > 0) {
      const own = kindLink(both, rareKinds) + (changes[at] ?? 0) + (lengths[at] ?? 0);
      weight = Math.exp(LINK.words * share + own - NOTHING);
    }
    weights[at] = weight;
    all += weight;
  }
  return all;
}

/** The candidates that users said, with their links to any older one. */
interface Said extends Pick<BestPassages, 'sessions' | 'sessionOf' | 'places' | 'scores'> {
  /** Its place among the candidates. */
  readonly candidates: Uint32Array;
  /** Its turn in its session, and when that was said. */
  readonly turns: Uint32Array;
  readonly ats: Float64Array;
  readonly changes: Float64Array;
  readonly lengths: Float64Array;
  /** How likely it follows one that it shares no word and no kind with, as most do. */
  readonly alone: Float64Array;
  /** Its kinds of values, in bits. */
  readonly kinds: Uint8Array;
}

function saidByUsers({ sessions, sessionOf, places, scores }: BestPassages): Said {
  const all = new Uint32Array(scores.length);
  let count = 0;
  for (let at = 0; at < all.length; at += 1) {
    const packed = sessions[sessionOf[at] ?? 0]?.packed;
    if (packed?.isUser[packed.turnOf[places[at] ?? 0] ?? 0] !== 1) continue;
    all[count] = at;
    count += 1;
  }
  const said = {
    sessions,
    candidates: all.subarray(0, count),
    sessionOf: new Uint32Array(count),
    places: new Uint32Array(count),
    scores: new Float64Array(count),
    turns: new Uint32Array(count),
    ats: new Float64Array(count),
    changes: new Float64Array(count),
    lengths: new Float64Array(count),
    alone: new Float64Array(count),
    kinds: new Uint8Array(count),
  };
  for (let at = 0; at < count; at += 1) {
    const from = all[at] ?? 0;
    const session = sessionOf[from] ?? 0;
    const place = places[from] ?? 0;
    const packed = sessions[session]?.packed;
    const turn = packed?.turnOf[place] ?? 0;
    said.sessionOf[at] = session;
    said.places[at] = place;
    said.scores[at] = scores[from] ?? 0;
    said.turns[at] = turn;
    said.ats[at] = packed?.ats[turn] ?? 0;
    const change = packed?.mayChange[place] === 1 ? LINK.change : 0;
    const length = LINK.length * Math.min(1, (packed?.units[place] ?? 0) / LONG_UNITS);
    said.changes[at] = change;
    said.lengths[at] = length;
    said.alone[at] = Math.exp(change + length - NOTHING);
    said.kinds[at] = packed?.kinds[place] ?? 0;
  }
  return said;
}

/** One of the best passages, with its place among those that users said. */
interface Best {
  readonly passage: Passage;
  /** Whether the index of its session has whole terms. */
  readonly isWhole: boolean;
  readonly at: number;
  readonly score: number;
}

/** Returns the best passages, without those that score nothing. */
function bestOf({ sessions, sessionOf, places, scores }: Said, most: number): readonly Best[] {
  const best: Best[] = [];
  for (let at = 0; at < scores.length; at += 1) {
    const score = scores[at] ?? 0;
    if (score <= 0 || (best.length === most && score <= (best.at(-1)?.score ?? 0))) continue;
    const session = sessions[sessionOf[at] ?? 0]?.session;
    const passage = session?.passages[places[at] ?? 0];
    if (session === undefined || passage === undefined) continue;
    const place = best.findLastIndex((each) => each.score >= score) + 1;
    best.splice(place, 0, { passage, isWhole: session.index.isWhole, at, score });
    if (best.length > most) best.pop();
  }
  return best;
}

/** The link of two passages by the kinds of values that both name, in bits. */
function kindLink(both: number, rare: readonly number[]): number {
  if (both === 0) return 0;
  return LINK.kind * rare.reduce((all, each, kind) => all + ((both >> kind) & 1 ? each : 0), 0);
}

/** The words of the best passages. */
interface BestWords {
  readonly terms: readonly string[];
  /** By term: how rare it is, by the number of turns that have it. */
  readonly rare: ReadonlyMap<string, number>;
  /** By session, and one more: where those of the terms begin that it has. */
  readonly starts: Uint32Array;
  /** The places of these terms, and the numbers that the index of the session gives them. */
  readonly places: Uint32Array;
  readonly numbers: Uint32Array;
}

/** As the index of its session has them. */
function comparedTerms({ passage, isWhole }: Best): readonly string[] {
  return [...new Set(isWhole ? passage.terms : passage.terms.map(beginning))];
}

function wordsOf(best: readonly Best[], { sessions, sessionOf }: BestPassages): BestWords {
  const terms = [...new Set(best.flatMap(comparedTerms))];
  const sought = soughtTerms(terms);
  const having = new Float64Array(terms.length);
  const starts = new Uint32Array(sessions.length + 1);
  const isAny = new Uint8Array(sessions.length);
  for (let at = 0; at < sessionOf.length; at += 1) isAny[sessionOf[at] ?? 0] = 1;
  const [places, numbers]: [number[], number[]] = [[], []];
  let turns = 0;
  for (const [place, { session }] of sessions.entries()) {
    starts[place] = numbers.length;
    if (isAny[place] === 0) continue;
    const { index } = session;
    for (const [at, term] of sought.entries()) {
      const number = numberIn(index, term);
      if (number === NO_NUMBER) continue;
      places.push(at);
      numbers.push(number);
      having[at] = (having[at] ?? 0) + (index.frequency[number] ?? 0);
    }
    turns += session.turns.length;
  }
  starts[sessions.length] = numbers.length;
  const rare = new Map(terms.map((term, at) => [term, rarity(having[at] ?? 0, turns)]));
  return {
    terms,
    rare,
    starts,
    places: Uint32Array.from(places),
    numbers: Uint32Array.from(numbers),
  };
}

/**
 * Returns for each of the best passages, and each that is said: the share of the words of the
 * first that the turn of the second has; rare words count more. A speaker's name counts where it
 * is said, not at every turn of that speaker.
 */
function wordShares(
  best: readonly Best[],
  { sessions, sessionOf, turns }: Said,
  words: BestWords,
): readonly Float64Array[] {
  const { terms, rare } = words;
  const places = new Map(terms.map((term, at) => [term, at]));
  const olders = best.map((each) => {
    const own = comparedTerms(each);
    const whole = Math.sqrt(sumOf(own, rare)) || 1;
    const worths = new Float64Array(terms.length);
    const ownPlaces = own.map((term) => places.get(term) ?? 0);
    for (const [at, term] of own.entries())
      worths[ownPlaces[at] ?? 0] = (rare.get(term) ?? 0) / whole;
    return { places: ownPlaces, worths, shares: new Float64Array(turns.length) };
  });
  const found: Found = {
    marks: new Uint8Array(terms.length),
    places: new Uint32Array(terms.length),
  };
  const wanted: Wanted = new Uint32Array(
    sessions.reduce((most, { session }) => Math.max(most, session.index.frequency.length), 0),
  );
  let count = 0;
  for (let at = 0; at < turns.length; at += 1) {
    const place = sessionOf[at] ?? 0;
    const turn = turns[at] ?? 0;
    const isSameSession = at > 0 && sessionOf[at - 1] === place;
    if (!isSameSession) {
      if (at > 0) want(wanted, words, { place: sessionOf[at - 1] ?? 0, isWanted: false });
      want(wanted, words, { place, isWanted: true });
    }
    const isSameTurn = isSameSession && turns[at - 1] === turn;
    const placed = sessions[place];
    if (!isSameTurn) count = placed === undefined ? 0 : findTerms(found, wanted, placed, turn);
    if (count === 0) continue;
    for (const older of olders) {
      older.shares[at] = isSameTurn ? (older.shares[at - 1] ?? 0) : shareOf(older, found, count);
    }
  }
  return olders.map(({ shares }) => shares);
}

/** By the number of a term in a session: its place among the words of the best from 1, or 0. */
type Wanted = Uint32Array;

/** Writes what is wanted of a session, or clears it for the next one: an array for each is slow. */
function want(
  wanted: Wanted,
  { starts, places, numbers }: BestWords,
  { place, isWanted }: { readonly place: number; readonly isWanted: boolean },
): void {
  const end = starts[place + 1] ?? 0;
  for (let at = starts[place] ?? 0; at < end; at += 1) {
    wanted[numbers[at] ?? 0] = isWanted ? (places[at] ?? 0) + 1 : 0;
  }
}

/** The wanted terms that a turn has: the places of so many, and a mark at each place. */
interface Found {
  readonly places: Uint32Array;
  readonly marks: Uint8Array;
}

/** Writes which wanted terms a turn has, over those of the turn before; returns how many. */
function findTerms(
  { places, marks }: Found,
  wanted: Wanted,
  { session, packed }: PlacedSession,
  turn: number,
): number {
  marks.fill(0);
  const { own } = session.index;
  const end = packed.ownStarts[turn + 1] ?? 0;
  let count = 0;
  for (let at = packed.ownStarts[turn] ?? 0; at < end; at += 1) {
    const place = wanted[own[at] ?? 0] ?? 0;
    if (place === 0 || marks[place - 1] === 1) continue;
    marks[place - 1] = 1;
    places[count] = place - 1;
    count += 1;
  }
  return count;
}

/** One of the best passages: the places of its words in their order, and the worth at a place. */
interface Older {
  readonly places: readonly number[];
  readonly worths: Float64Array;
}

/** Sums of more than two numbers depend on their order, which is that of the passage's words. */
function shareOf({ places, worths }: Older, found: Found, count: number): number {
  let share = 0;
  let shared = 0;
  for (let at = 0; at < count; at += 1) {
    const worth = worths[found.places[at] ?? 0] ?? 0;
    if (worth === 0) continue;
    share += worth;
    shared += 1;
  }
  if (shared <= 2) return share;
  share = 0;
  for (const place of places) if (found.marks[place] === 1) share += worths[place] ?? 0;
  return share;
}

/** Returns the rarity of each kind of value, by the number of passages that have one. */
function kindRarities({ kinds }: Said): readonly number[] {
  const having = VALUE_KINDS.map(() => 0);
  for (let at = 0; at < kinds.length; at += 1) {
    const own = kinds[at] ?? 0;
    for (let bits = own, kind = 0; bits > 0; bits >>= 1, kind += 1) {
      having[kind] = (having[kind] ?? 0) + (bits & 1);
    }
  }
  return having.map((count) => rarity(count, kinds.length));
}

function rarity(having: number, all: number): number {
  return Math.log(1 + all / Math.max(1, having));
}

function sumOf(terms: readonly string[], rare: ReadonlyMap<string, number>): number {
  return terms.reduce((sum, term) => sum + (rare.get(term) ?? 0), 0);
}
