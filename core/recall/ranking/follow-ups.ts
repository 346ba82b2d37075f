/**
 * Finds what was said later about the topic of the best passages. People correct themselves in
 * passing and in other words than the question's. Each link to the corrected passage is weak
 * alone: words of the surrounding turn, a value of the same kind, an amount of the same size, a
 * word of change, the length, a domain of life that the question asks for. Together they
 * give the probability that a later passage follows an earlier one, and it gets that share of the
 * earlier one's score. Usually nothing follows, and no passage gets much.
 */
import { rarity } from '../../text/term-statistics.ts';
import { mayReplaceAmount } from '../sessions/amounts.ts';
import { bestFirst, type BestPassages } from './best-passages.ts';
import type { ConcatenatedSession } from '../sessions/concatenated-sessions.ts';
import { domainRarity, type AskedDomains } from '../words/life-domains.ts';
import type { Passage, PastTurn } from '../sessions/past-session.ts';
import { areTwoPeople } from '../sessions/speakers.ts';
import { VALUE_KINDS } from '../question/answer-types.ts';
import {
  beginning,
  NO_NUMBER,
  numbersIn,
  numberOfHash,
  slotsOf,
  hashedTerms,
} from '../words/term-index.ts';

/**
 * Number of best passages that later ones are compared with. It is larger with vectors: when
 * passages rank by meaning, the one that was corrected ranks lower than when they rank by words.
 */
const BEST_MAX = { words: 5, vectors: 8 };
/**
 * Bonus of a certain follow-up, as a multiple of the score of the passage that it follows. It is
 * larger with vectors: there every passage resembles the question a little and scores something.
 */
const FOLLOW_UP_WEIGHT = { words: 3, vectors: 7 };
/** Logit weights, by maximum likelihood on pairs of two data sets, which agree (decision 0116). */
const LINK = { words: 3.4, kind: 0.8, amount: 0.6, change: 1.9, length: 2.9 };
/** The same for a domain that the question asks for, chosen on three data sets (decision 0153). */
const DOMAIN_LINK = 1.2;
/** The logit for the case that nothing follows. */
const NOTHING = 9.5;
/** The weight of that case: the logits of the others are relative to it. */
const NOTHING_WEIGHT = 1;
/** At this length or more, a passage gets the full length bonus. */
const LONG_UNITS = 75;
/**
 * The likeliest follow-up is named at this probability, or at this share of what may follow at all.
 * The latter finds it among few turns, where each is unlikely; more than its length must link it,
 * or anything that is said next would do. Of the corrections in six data sets, 33 % were found by
 * their old value alone, and 19 % are with these values; a search has 8 % more hits.
 */
const NAMED_MIN = { probability: 0.1, share: 0.65 };
/**
 * At this probability, a context may point from the passage to its follow-up. In contexts of 600
 * tokens, about half of the outdated values that stand beside the newer one then have a mark, and 6
 * to 9 % of the answers that hold; with .25, a third and 4 to 6 %.
 */
const POINTED_MIN = 0.15;

/** By length up to `LONG_UNITS`: its part of the logit. */
const LENGTHS = Array.from(
  { length: LONG_UNITS + 1 },
  (_, units) => LINK.length * (units / LONG_UNITS),
);
/** The same, as the weight of a passage with no other link: without a word of change, and with. */
const ALONE = [0, LINK.change].map((change) =>
  LENGTHS.map((length) => Math.exp(change + length - NOTHING)),
);

interface FollowUpOptions {
  /** Multiplier of the scores of users' turns for this question. */
  readonly factor: number;
  /** Whether meaning is part of the scores. */
  readonly isSemantic?: boolean;
  /** The domains that the question asks for. */
  readonly domains: AskedDomains;
}

export interface FollowUps {
  /** By candidate, with a bonus for what follows the best ones. */
  readonly scores: Float64Array;
  /** By one of the best candidates: the one that likely follows it. */
  readonly followers: ReadonlyMap<number, Follower>;
}

export interface Follower {
  /** Its place among the candidates. */
  readonly at: number;
  /** Whether it may well give a newer value than the passage that it follows. */
  readonly mayCorrect: boolean;
}

/** Finds what follows the best of the candidates. */
export function withFollowUps(
  candidates: BestPassages,
  { factor, isSemantic = false, domains }: FollowUpOptions,
): FollowUps {
  const said = saidByUsers(candidates, domains);
  const best = bestSaid(said, isSemantic ? BEST_MAX.vectors : BEST_MAX.words);
  const words = wordShares(best, said, wordsOf(best, candidates));
  const rareKinds = kindRarities(said);
  const usual = usualShares(said, rareKinds);
  const { ats } = said;
  const added = new Float64Array(ats.length);
  const weights = new Float64Array(ats.length);
  const followers = new Map<number, Follower>();
  for (const [rank, older] of best.entries()) {
    const since = ats[older.at] ?? 0;
    const all = weigh(weights, older, { said, shares: words[rank] ?? weights, rareKinds });
    let likeliest = { at: -1, probability: 0 };
    for (let at = 0; at < ats.length; at += 1) {
      if ((ats[at] ?? 0) <= since) continue;
      const probability = Math.max(0, (weights[at] ?? 0) / all - (usual[at] ?? 0));
      added[at] = (added[at] ?? 0) + probability * older.score;
      if (probability > likeliest.probability) likeliest = { at, probability };
    }
    const { at, probability } = likeliest;
    const isNamed =
      probability >= NAMED_MIN.probability ||
      ((weights[at] ?? 0) / (all - NOTHING_WEIGHT) >= NAMED_MIN.share &&
        (weights[at] ?? 0) > Math.exp((said.lengths[at] ?? 0) - NOTHING));
    if (!isNamed) continue;
    followers.set(said.candidates[older.at] ?? 0, {
      at: said.candidates[at] ?? 0,
      mayCorrect: probability >= POINTED_MIN,
    });
  }
  const bonus = isSemantic ? FOLLOW_UP_WEIGHT.vectors : FOLLOW_UP_WEIGHT.words;
  const scores = candidates.scores.slice();
  for (let at = 0; at < ats.length; at += 1) {
    const place = said.candidates[at] ?? 0;
    scores[place] = (scores[place] ?? 0) + bonus * (added[at] ?? 0) * factor;
  }
  return { scores, followers };
}

interface Links {
  readonly said: Said;
  /** By later passage: the share of the older one's words that its turn has. */
  readonly shares: Float64Array;
  /** The rarity of each kind of value, in the order of `VALUE_KINDS`. */
  readonly rareKinds: readonly number[];
}

/** Writes the weights of later passages as follow-ups of an older one; returns the sum of all. */
function weigh(weights: Float64Array, older: Best, { said, shares, rareKinds }: Links): number {
  const { ats, kinds, changes, lengths, domains, alone, told } = said;
  const since = ats[older.at] ?? 0;
  const ofOlder = kinds[older.at] ?? 0;
  const amounts = amountLinks(older, said);
  const olderTurn = told[older.at];
  let all = NOTHING_WEIGHT;
  for (let at = 0; at < ats.length; at += 1) {
    weights[at] = 0;
    if ((ats[at] ?? 0) <= since) continue;
    // People correct themselves.
    const turn = told[at];
    if (turn !== undefined && olderTurn !== undefined && areTwoPeople(olderTurn, turn)) continue;
    const share = shares[at] ?? 0;
    const both = ofOlder & (kinds[at] ?? 0);
    let weight = alone[at] ?? 0;
    const amount = amounts?.[at] ?? 0;
    if (share > 0 || both > 0 || amount > 0) {
      const ofValues = kindLink(both, rareKinds) + amount;
      const own = ofValues + (domains[at] ?? 0) + (changes[at] ?? 0) + (lengths[at] ?? 0);
      weight = Math.exp(LINK.words * share + own - NOTHING);
    }
    weights[at] = weight;
    all += weight;
  }
  return all;
}

/**
 * Returns, by passage, how likely it follows any earlier passage, by all links but words and
 * amounts. A long passage with a word of change and a date would follow everything.
 */
function usualShares({ kinds, usually }: Said, rareKinds: readonly number[]): Float64Array {
  const usual = new Float64Array(kinds.length);
  const counts = new Uint32Array(1 << VALUE_KINDS.length);
  const occurring: number[] = [];
  for (let at = 0; at < kinds.length; at += 1) {
    const own = kinds[at] ?? 0;
    if (counts[own] === 0) occurring.push(own);
    counts[own] = (counts[own] ?? 0) + 1;
  }
  for (const ofOlder of occurring) {
    const links = Array.from({ length: 1 << VALUE_KINDS.length }, (_, bits) =>
      Math.exp(kindLink(ofOlder & bits, rareKinds)),
    );
    const weightOf = (at: number): number => (usually[at] ?? 0) * (links[kinds[at] ?? 0] ?? 1);
    // Half the passages come later.
    let all = NOTHING_WEIGHT;
    for (let at = 0; at < kinds.length; at += 1) all += weightOf(at) / 2;
    const share = (counts[ofOlder] ?? 0) / kinds.length / all;
    for (let at = 0; at < kinds.length; at += 1)
      usual[at] = (usual[at] ?? 0) + share * weightOf(at);
  }
  return usual;
}

/** The candidates that users said, with what links each to older passages. */
interface Said extends Pick<BestPassages, 'sessions' | 'sessionOf' | 'places' | 'scores'> {
  /** By passage, as everything below: its place among the candidates. */
  readonly candidates: Uint32Array;
  /** The place of its turn among those of all sessions, and when the turn was said. */
  readonly turns: Uint32Array;
  readonly ats: Float64Array;
  readonly told: readonly (PastTurn | undefined)[];
  readonly changes: Float64Array;
  readonly lengths: Float64Array;
  readonly domains: Float64Array;
  /** Its weight where the two share no word and no kind of value, as in most pairs. */
  readonly alone: Float64Array;
  /** The same without the domains, as for any question. */
  readonly usually: Float64Array;
  /** Its kinds of values, as bits. */
  readonly kinds: Uint8Array;
}

function saidByUsers({ sessions, columns, ...best }: BestPassages, domains: AskedDomains): Said {
  const { turnOf, isUser } = columns;
  const all = new Uint32Array(best.passages.length);
  let count = 0;
  for (let at = 0; at < all.length; at += 1) {
    if (isUser[turnOf[best.passages[at] ?? 0] ?? 0] !== 1) continue;
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
    told: Array.from<PastTurn | undefined>({ length: count }),
    changes: new Float64Array(count),
    lengths: new Float64Array(count),
    domains: new Float64Array(count),
    alone: new Float64Array(count),
    usually: new Float64Array(count),
    kinds: new Uint8Array(count),
  };
  for (let at = 0; at < count; at += 1) {
    const from = all[at] ?? 0;
    const passage = best.passages[from] ?? 0;
    const turn = turnOf[passage] ?? 0;
    said.sessionOf[at] = best.sessionOf[from] ?? 0;
    said.places[at] = best.places[from] ?? 0;
    said.scores[at] = best.scores[from] ?? 0;
    said.turns[at] = turn;
    said.ats[at] = columns.sinces[turn] ?? 0;
    const placed = sessions[said.sessionOf[at] ?? 0];
    said.told[at] = placed?.session.turns[placed.columns.turnOf[said.places[at] ?? 0] ?? 0];
    const change = columns.mayChange[passage] ?? 0;
    const units = Math.min(LONG_UNITS, columns.units[passage] ?? 0);
    said.changes[at] = LINK.change * change;
    said.lengths[at] = LENGTHS[units] ?? 0;
    const domain = DOMAIN_LINK * domainRarity(domains, columns.domains[passage] ?? 0);
    const usually = ALONE[change]?.[units] ?? 0;
    said.domains[at] = domain;
    said.usually[at] = usually;
    said.alone[at] = domain === 0 ? usually : usually * Math.exp(domain);
    said.kinds[at] = columns.kinds[passage] ?? 0;
  }
  return said;
}

/** One of the best passages, with its place among those that users said. */
interface Best {
  readonly passage: Passage;
  /** Whether the index of its session has whole terms, not only their beginnings. */
  readonly isWhole: boolean;
  readonly at: number;
  readonly score: number;
}

/** Returns the best passages with a score above 0. */
function bestSaid({ sessions, sessionOf, places, scores }: Said, most: number): readonly Best[] {
  return bestFirst(scores, most).flatMap((at) => {
    const session = sessions[sessionOf[at] ?? 0]?.session;
    const passage = session?.passages[places[at] ?? 0];
    const score = scores[at] ?? 0;
    if (session === undefined || passage === undefined || score <= 0) return [];
    return { passage, isWhole: session.index.isWhole, at, score };
  });
}

/** Returns the part of the logit for the kinds of values that both passages name, given as bits. */
function kindLink(both: number, rare: readonly number[]): number {
  if (both === 0) return 0;
  return LINK.kind * rare.reduce((all, each, kind) => all + ((both >> kind) & 1 ? each : 0), 0);
}

/**
 * Returns, by later passage, the part of the logit for an amount that may replace one of the older
 * passage; null if that has none.
 */
function amountLinks(older: Best, { sessions, sessionOf, places, ats }: Said): Float64Array | null {
  const own = amountsAt(sessions[sessionOf[older.at] ?? 0], places[older.at] ?? 0);
  if (own.length === 0) return null;
  const since = ats[older.at] ?? 0;
  const links = new Float64Array(ats.length);
  let having = 0;
  for (let at = 0; at < links.length; at += 1) {
    if ((ats[at] ?? 0) <= since) continue;
    const others = amountsAt(sessions[sessionOf[at] ?? 0], places[at] ?? 0);
    if (!others.some((other) => own.some((amount) => mayReplaceAmount(amount, other)))) continue;
    links[at] = 1;
    having += 1;
  }
  const link = LINK.amount * rarity(having, links.length);
  return links.map((isLinked) => isLinked * link);
}

function amountsAt(placed: ConcatenatedSession | undefined, place: number): Float64Array {
  const { amounts, amountStarts } = placed?.columns ?? NO_AMOUNTS;
  return amounts.subarray(amountStarts[place] ?? 0, amountStarts[place + 1] ?? 0);
}

const NO_AMOUNTS = { amounts: new Float64Array(), amountStarts: new Uint32Array() };

/** The words of the best passages. */
interface BestWords {
  readonly terms: readonly string[];
  /** By term: how rare it is, by the number of turns that have it. */
  readonly rarities: Float64Array;
  /** The places of the terms, by their hashes in sessions with whole terms and in others. */
  readonly places: { readonly whole: Uint32Array; readonly beginnings: Uint32Array };
}

/** Maximum sessions whose turns are counted to tell how rare a word is. */
const COUNTED_SESSIONS_MAX = 64;

/** Returns the terms of a passage in the form that the index of its session has. */
function comparedTerms({ passage, isWhole }: Best): readonly string[] {
  return [...new Set(isWhole ? passage.terms : passage.terms.map(beginning))];
}

function wordsOf(best: readonly Best[], candidates: BestPassages): BestWords {
  const terms = [...new Set(best.flatMap(comparedTerms))];
  const sought = hashedTerms(terms);
  const sessions = countedSessions(candidates);
  const indexes = sessions.map(({ session }) => session.index);
  const turns = sessions.reduce((sum, { session }) => sum + session.turns.length, 0);
  const numbers = numbersIn(indexes, sought);
  const having = new Float64Array(terms.length);
  for (const [place, { frequency }] of indexes.entries()) {
    for (let at = 0; at < having.length; at += 1) {
      const number = numbers[place * having.length + at] ?? NO_NUMBER;
      if (number !== NO_NUMBER) having[at] = (having[at] ?? 0) + (frequency[number] ?? 0);
    }
  }
  return {
    terms,
    rarities: having.map((count) => rarity(count, turns)),
    places: {
      whole: placesByHash(sought.map(({ hash }) => hash)),
      beginnings: placesByHash(
        sought.map(({ start, startHash }) => (start === null ? null : startHash)),
      ),
    },
  };
}

/** Slots for each term: most terms of a turn are none of these, which one look then tells. */
const SPARE_SLOTS = 16;

function placesByHash(hashes: readonly (number | null)[]): Uint32Array {
  return slotsOf(hashes, SPARE_SLOTS).slots;
}

/** Returns sessions that have a candidate: all, or some from the oldest to the newest. */
function countedSessions({ sessions, sessionOf }: BestPassages): readonly ConcatenatedSession[] {
  const isAny = new Uint8Array(sessions.length);
  for (let at = 0; at < sessionOf.length; at += 1) isAny[sessionOf[at] ?? 0] = 1;
  const all = sessions.filter((_, place) => isAny[place] === 1);
  const step = Math.max(1, all.length / COUNTED_SESSIONS_MAX);
  const count = Math.min(all.length, COUNTED_SESSIONS_MAX);
  return Array.from({ length: count }, (_, at) => all[Math.floor(at * step)]).filter(
    (each) => each !== undefined,
  );
}

/** Shares are multiples of this: then a sum of them is the same in any order. */
const SHARE_STEP = 2 ** -40;

/**
 * Returns, for each of the best passages and each passage in `Said`, the share of the first one's
 * words that the second one's turn has. Rare words count more. A speaker's name counts in turns
 * that say it, not in every turn of that speaker.
 */
function wordShares(
  best: readonly Best[],
  { sessions, sessionOf, turns }: Said,
  { terms, rarities, places }: BestWords,
): readonly Float64Array[] {
  const worths = worthsOf(best, { terms, rarities });
  // By best passage, and then by passage.
  const shares = new Float64Array(best.length * turns.length);
  const sums = new Float64Array(best.length);
  // By term: the last passage whose turn has it.
  const seen = new Int32Array(terms.length).fill(-1);
  for (let at = 0; at < turns.length; at += 1) {
    const turn = turns[at] ?? 0;
    const placed = sessions[sessionOf[at] ?? 0];
    if (placed !== undefined && turns[at - 1] !== turn) {
      sums.fill(0);
      const { ownHashes, isWhole } = placed.session.index;
      const { ownStarts } = placed.columns;
      const known = isWhole ? places.whole : places.beginnings;
      const own = turn - placed.firstTurn;
      const [from = 0, to = 0] = [ownStarts[own], ownStarts[own + 1]];
      for (let place = from; place < to; place += 1)
        addWorths(sums, worths, newTerm(seen, at, numberOfHash(known, ownHashes[place] ?? 0)));
    }
    for (let rank = 0; rank < sums.length; rank += 1)
      shares[rank * turns.length + at] = sums[rank] ?? 0;
  }
  return best.map((_, rank) => shares.subarray(rank * turns.length, (rank + 1) * turns.length));
}

/** Returns the term, or `NO_NUMBER` if the passage had it before. @param at the passage */
function newTerm(seen: Int32Array, at: number, term: number): number {
  if (term === NO_NUMBER || seen[term] === at) return NO_NUMBER;
  seen[term] = at;
  return term;
}

function addWorths(sums: Float64Array, worths: Float64Array, term: number): void {
  if (term === NO_NUMBER) return;
  const from = term * sums.length;
  for (let rank = 0; rank < sums.length; rank += 1) {
    sums[rank] = (sums[rank] ?? 0) + (worths[from + rank] ?? 0);
  }
}

/** Returns, by term and then by best passage: the share of the passage's words that the term is. */
function worthsOf(
  best: readonly Best[],
  { terms, rarities }: Pick<BestWords, 'terms' | 'rarities'>,
): Float64Array {
  const worths = new Float64Array(terms.length * best.length);
  const placeOf = new Map(terms.map((term, at) => [term, at]));
  for (const [rank, each] of best.entries()) {
    const own = comparedTerms(each).map((term) => placeOf.get(term) ?? 0);
    const whole = Math.sqrt(own.reduce((sum, place) => sum + (rarities[place] ?? 0), 0)) || 1;
    for (const place of own) {
      const share = (rarities[place] ?? 0) / whole;
      worths[place * best.length + rank] = Math.round(share / SHARE_STEP) * SHARE_STEP;
    }
  }
  return worths;
}

/** Returns the rarity of each kind of value: the fewer passages name one, the higher. */
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
