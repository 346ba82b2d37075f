/**
 * Finds what was said later about the topic of the best passages. People correct themselves in
 * passing and in other words than the question's. Each link to the corrected passage is weak
 * alone: words of the surrounding turn, a value of the same kind, a word of change, the length.
 * Together they give the probability that a later passage follows an earlier one, and it gets that
 * share of the earlier one's score. Usually nothing follows, and no passage gets much.
 */
import { shortHash } from '../hash.ts';
import type { PastSession, PastTurn } from './past-session.ts';
import type { RankedPassage } from './rank-passages.ts';
import { NO_NUMBER, numberIn } from './term-index.ts';

/** Number of best passages that later ones are compared with. */
const BEST = 5;
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
const LONG_UNITS = 120;

export interface FollowUpOptions {
  /** Multiplier of a turn's scores for this question. */
  readonly factor: (turn: PastTurn) => number;
  /** Whether meaning is part of the scores. */
  readonly isSemantic?: boolean;
}

/** Adds the follow-up bonus of the best passages to the scores of later ones. */
export function addFollowUps(
  ranked: readonly RankedPassage[],
  { factor, isSemantic = false }: FollowUpOptions,
): readonly RankedPassage[] {
  const said = ranked.filter(({ turn }) => turn.turn.role === 'user');
  const best = bestOf(said);
  const words = wordShares(best, said, wordsOf(best, ranked));
  const rareKinds = kindRarities(said);
  const { ats, changes, lengths } = ownLinks(said);
  const added = new Float64Array(said.length);
  const weights = new Float64Array(said.length);
  for (const [rank, older] of best.entries()) {
    const shares = words[rank] ?? weights;
    const kinds = older.passage.signs.kinds.length === 0 ? null : kindLinks(older, said, rareKinds);
    const since = older.turn.turn.at;
    let all = 1;
    for (let at = 0; at < said.length; at += 1) {
      if ((ats[at] ?? 0) <= since) continue;
      const own = (kinds?.[at] ?? 0) + (changes[at] ?? 0) + (lengths[at] ?? 0);
      const weight = Math.exp(LINK.words * (shares[at] ?? 0) + own - NOTHING);
      weights[at] = weight;
      all += weight;
    }
    for (let at = 0; at < said.length; at += 1) {
      if ((ats[at] ?? 0) <= since) continue;
      added[at] = (added[at] ?? 0) + ((weights[at] ?? 0) / all) * older.score;
    }
  }
  const bonus = isSemantic ? FOLLOW_UP_WEIGHT.vectors : FOLLOW_UP_WEIGHT.words;
  let at = 0;
  return ranked.map((each) => {
    if (each !== said[at]) return each;
    const score = each.score + bonus * (added[at] ?? 0) * factor(each.turn);
    at += 1;
    return { ...each, score };
  });
}

/** Returns the best passages, without those that score nothing. */
function bestOf(ranked: readonly RankedPassage[]): readonly RankedPassage[] {
  const best: RankedPassage[] = [];
  for (const each of ranked) {
    if (each.score <= 0) continue;
    const place = best.findLastIndex(({ score }) => score >= each.score) + 1;
    if (place < BEST) best.splice(place, 0, each);
    if (best.length > BEST) best.pop();
  }
  return best;
}

/** Returns when each passage was said, and its links to any older one. */
function ownLinks(said: readonly RankedPassage[]) {
  const ats = new Float64Array(said.length);
  const changes = new Float64Array(said.length);
  const lengths = new Float64Array(said.length);
  for (const [at, { turn, passage }] of said.entries()) {
    ats[at] = turn.turn.at;
    changes[at] = passage.signs.mayChange ? LINK.change : 0;
    lengths[at] = LINK.length * Math.min(1, passage.text.length / LONG_UNITS);
  }
  return { ats, changes, lengths };
}

/** Returns the links of each passage to an older one by the kinds of values that both name. */
function kindLinks(
  { passage: { signs: older } }: RankedPassage,
  said: readonly RankedPassage[],
  rareKinds: ReadonlyMap<string, number>,
): Float64Array {
  const links = new Float64Array(said.length);
  for (const [at, { passage }] of said.entries()) {
    const kinds = passage.signs.kinds.filter((kind) => older.kinds.includes(kind));
    links[at] = LINK.kind * sumOf(kinds, rareKinds);
  }
  return links;
}

/** The words of the best passages. */
interface BestWords {
  readonly terms: readonly string[];
  /** By term: how rare it is, by the number of turns that have it. */
  readonly rare: ReadonlyMap<string, number>;
  /** By session: where the numbers that its index gives the terms begin. */
  readonly starts: ReadonlyMap<PastSession, number>;
  readonly numbers: Int32Array;
}

function wordsOf(best: readonly RankedPassage[], ranked: readonly RankedPassage[]): BestWords {
  const terms = [...new Set(best.flatMap(({ passage }) => passage.terms))];
  const hashes = terms.map(shortHash);
  const sessions = new Set(ranked.map((each) => each.session));
  const starts = new Map<PastSession, number>();
  const numbers = new Int32Array(sessions.size * terms.length);
  const having = new Float64Array(terms.length);
  let turns = 0;
  for (const session of sessions) {
    const { index } = session;
    const start = starts.size * terms.length;
    for (let at = 0; at < terms.length; at += 1) {
      const number = numberIn(index, terms[at] ?? '', hashes[at] ?? 0);
      numbers[start + at] = number;
      if (number !== NO_NUMBER) having[at] = (having[at] ?? 0) + (index.frequency[number] ?? 0);
    }
    starts.set(session, start);
    turns += session.turns.length;
  }
  const rare = new Map(terms.map((term, at) => [term, rarity(having[at] ?? 0, turns)]));
  return { terms, rare, starts, numbers };
}

/**
 * Returns for each of the best passages, and each that is said: the share of the words of the
 * first that the turn of the second has; rare words count more. A speaker's name counts where it
 * is said, not at every turn of that speaker.
 */
function wordShares(
  best: readonly RankedPassage[],
  said: readonly RankedPassage[],
  words: BestWords,
): readonly Float64Array[] {
  const { terms, rare } = words;
  const places = new Map(terms.map((term, at) => [term, at]));
  const olders = best.map(({ passage }) => {
    const own = [...new Set(passage.terms)];
    const whole = Math.sqrt(sumOf(own, rare)) || 1;
    return {
      places: Uint32Array.from(own, (term) => places.get(term) ?? 0),
      worths: Float64Array.from(own, (term) => (rare.get(term) ?? 0) / whole),
      shares: new Float64Array(said.length),
    };
  });
  const marks = new Uint8Array(terms.length);
  const wanted = new Uint32Array(
    said.reduce((most, { session }) => Math.max(most, session.index.frequency.length), 0),
  );
  for (const [at, { session, turn }] of said.entries()) {
    const before = said[at - 1];
    if (session !== before?.session) {
      if (before !== undefined) want(wanted, words, { ...before, isWanted: false });
      want(wanted, words, { session, isWanted: true });
    }
    const isSameTurn = turn === before?.turn;
    const hasAny = !isSameTurn && markTerms(marks.fill(0), { session, turn, wanted });
    for (const older of olders) {
      if (isSameTurn) older.shares[at] = older.shares[at - 1] ?? 0;
      else if (hasAny) older.shares[at] = shareOf(older.places, older.worths, marks);
    }
  }
  return olders.map(({ shares }) => shares);
}

/** By the number of a term in a session: its place among the words of the best from 1, or 0. */
type Wanted = Uint32Array;

/** Writes what is wanted of a session, or clears it for the next one: an array for each is slow. */
function want(
  wanted: Wanted,
  { terms, starts, numbers }: BestWords,
  { session, isWanted }: { readonly session: PastSession; readonly isWanted: boolean },
): void {
  const start = starts.get(session) ?? 0;
  for (let at = 0; at < terms.length; at += 1) {
    const number = numbers[start + at] ?? NO_NUMBER;
    if (number !== NO_NUMBER) wanted[number] = isWanted ? at + 1 : 0;
  }
}

/** Marks the wanted terms that a turn has, by their place; returns whether it has any. */
function markTerms(
  marks: Uint8Array,
  {
    session: { index },
    turn: { first, end },
    wanted,
  }: Pick<RankedPassage, 'session' | 'turn'> & { readonly wanted: Wanted },
): boolean {
  let hasAny = false;
  for (let at = index.ownStarts[first] ?? 0; at < (index.ownStarts[end] ?? 0); at += 1) {
    const place = wanted[index.own[at] ?? 0] ?? 0;
    if (place === 0) continue;
    marks[place - 1] = 1;
    hasAny = true;
  }
  return hasAny;
}

function shareOf(places: Uint32Array, worths: Float64Array, marks: Uint8Array): number {
  let share = 0;
  for (let at = 0; at < places.length; at += 1) {
    if (marks[places[at] ?? 0] === 1) share += worths[at] ?? 0;
  }
  return share;
}

/** Returns the rarity of each kind of value, by the number of passages that have one. */
function kindRarities(said: readonly RankedPassage[]): ReadonlyMap<string, number> {
  const having = new Map<string, number>();
  for (const { passage } of said) {
    for (const kind of passage.signs.kinds) having.set(kind, (having.get(kind) ?? 0) + 1);
  }
  return new Map([...having].map(([kind, count]) => [kind, rarity(count, said.length)]));
}

function rarity(having: number, all: number): number {
  return Math.log(1 + all / Math.max(1, having));
}

function sumOf(terms: readonly string[], rare: ReadonlyMap<string, number>): number {
  return terms.reduce((sum, term) => sum + (rare.get(term) ?? 0), 0);
}
