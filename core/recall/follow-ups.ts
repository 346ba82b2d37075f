/**
 * Finds what was said later about the topic of the best passages. People correct themselves in
 * passing and in other words than the question's. Each link to the corrected passage is weak
 * alone: words of the surrounding turn, a value of the same kind, a word of change, the length.
 * Together they give the probability that a later passage follows an earlier one, and it gets that
 * share of the earlier one's score. Usually nothing follows, and no passage gets much.
 */
import type { PastSession, PastTurn } from './past-session.ts';
import type { RankedPassage } from './rank.ts';

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
  const rare = raritiesOf(ranked, best);
  const rareKinds = kindRarities(said);
  const added = new Map<RankedPassage, number>();
  const words = { rare, saying: sayingOnce() };
  for (const older of best) {
    const later = said.filter(({ turn }) => turn.turn.at > older.turn.turn.at);
    const shares = wordShares(older, later, words);
    const weights = later.map((newer) =>
      Math.exp(
        LINK.words * (shares.get(newer.session)?.[newer.passage.turn] ?? 0) +
          ownLinks(older, newer, rareKinds) -
          NOTHING,
      ),
    );
    const all = weights.reduce((sum, weight) => sum + weight, 1);
    for (const [at, newer] of later.entries()) {
      const likely = (weights[at] ?? 0) / all;
      added.set(newer, (added.get(newer) ?? 0) + likely * older.score);
    }
  }
  const bonus = isSemantic ? FOLLOW_UP_WEIGHT.vectors : FOLLOW_UP_WEIGHT.words;
  return ranked.map((each) => {
    const score = each.score + bonus * (added.get(each) ?? 0) * factor(each.turn);
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

/** Returns the links to older passages that depend on this passage alone. */
function ownLinks(
  { passage: older }: RankedPassage,
  { passage: newer }: RankedPassage,
  rareKinds: ReadonlyMap<string, number>,
): number {
  const kinds = newer.signs.kinds.filter((kind) => older.signs.kinds.includes(kind));
  return (
    LINK.kind * sumOf(kinds, rareKinds) +
    (newer.signs.mayChange ? LINK.change : 0) +
    LINK.length * Math.min(1, newer.text.length / LONG_UNITS)
  );
}

/** By session and index of a turn: the share of a passage's words that the turn has, if any. */
type Shares = ReadonlyMap<PastSession, Float64Array>;

/** Computes the shares for the words of an older passage; rare words count more. */
function wordShares(
  { passage }: RankedPassage,
  later: readonly RankedPassage[],
  { rare, saying }: { readonly rare: ReadonlyMap<string, number>; readonly saying: Saying },
): Shares {
  const terms = [...new Set(passage.terms)];
  const whole = Math.sqrt(sumOf(terms, rare)) || 1;
  const worths = terms.map((term) => (rare.get(term) ?? 0) / whole);
  const shares = new Map<PastSession, Float64Array>();
  for (const session of new Set(later.map((each) => each.session))) {
    const turnsOf = saying(session);
    let own: Float64Array | null = null;
    for (const [at, term] of terms.entries()) {
      for (const turn of turnsOf(term)) {
        own ??= new Float64Array(session.turns.length);
        own[turn] = (own[turn] ?? 0) + (worths[at] ?? 0);
      }
    }
    if (own !== null) shares.set(session, own);
  }
  return shares;
}

/** Returns the indexes of the turns of a session that contain a term. */
type Saying = (session: PastSession) => (term: string) => readonly number[];

/** Looks up each term once, since the best passages share many words. */
function sayingOnce(): Saying {
  const known = new Map<PastSession, Map<string, readonly number[]>>();
  return (session) => {
    const ofSession = known.get(session) ?? new Map<string, readonly number[]>();
    known.set(session, ofSession);
    return (term) => {
      const read = ofSession.get(term);
      if (read !== undefined) return read;
      const found = session.occurrences.has(term) ? turnsSaying(session, term) : NO_TURNS;
      ofSession.set(term, found);
      return found;
    };
  };
}

const NO_TURNS: readonly number[] = [];

/** A speaker's name counts where it is said, not at every turn of that speaker. */
function turnsSaying({ occurrences, passages, turns }: PastSession, term: string): number[] {
  const places: number[] = [];
  // In the order of passages, and therefore of turns.
  for (const { passage: place } of occurrences.get(term) ?? []) {
    const passage = passages[place];
    if (passage === undefined || passage.turn === places.at(-1)) continue;
    const turn = turns[passage.turn];
    const mayBeName = turn?.first === place && turn.turn.speaker !== null;
    if (!mayBeName || passage.terms.includes(term)) places.push(passage.turn);
  }
  return places;
}

/** Returns the rarity of each term of the best passages, by the number of turns that have it. */
function raritiesOf(
  ranked: readonly RankedPassage[],
  best: readonly RankedPassage[],
): ReadonlyMap<string, number> {
  const terms = new Set(best.flatMap(({ passage }) => passage.terms));
  const sessions = new Set(ranked.map(({ session }) => session));
  let turns = 0;
  for (const session of sessions) turns += session.turns.length;
  return new Map(
    [...terms].map((term) => {
      let having = 0;
      for (const { frequency } of sessions) having += frequency.get(term) ?? 0;
      return [term, rarity(having, turns)];
    }),
  );
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
