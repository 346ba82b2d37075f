/**
 * Selects the candidates that become facts. Each step takes the one that adds most new content per
 * square root of its length, until the cap of a depth is full; so every depth is a prefix of the
 * list.
 * Sources: D. Gillick, B. Favre, "A Scalable Global Model for Summarization", 2009 (a summary as
 * coverage of weighted concepts); H. Lin, J. Bilmes, "Multi-document Summarization via Budgeted
 * Maximization of Submodular Functions", NAACL 2010 (greedy gain over cost to a power).
 */
import { namesHealthRisk } from '#core/text/health-risks.ts';
import { LONG_TURN_SHARE_MAX } from '#core/text/quoted-line.ts';
import { joinSentences, saidOf, sentenceOf } from '#core/text/joined-sentences.ts';
import type { Candidate } from './candidate-sentences.ts';
import { CODE_SPAN } from './mask-markup.ts';
import type { Rank } from './sentence-score.ts';

/** Candidates that compete with each other. */
export interface Weighed {
  readonly candidates: readonly Candidate[];
  readonly stemWeights: ReadonlyMap<string, number>;
  /** By place in `candidates`, as are the lists after it. */
  readonly formWeights: readonly number[];
  readonly ranks: readonly Rank[];
  /** Whether each is told if there is room, even if it scores little. */
  readonly sayingSomething: readonly boolean[];
}

export interface Choice {
  readonly said: Weighed;
  /** Sentences of long turns, such as pasted documents. */
  readonly long: Weighed;
  readonly countTokens: (text: string) => number;
  /** True for a conversation, whose outcomes weigh many times more than its other sentences. */
  readonly isTalk: boolean;
  /** Rising caps of the depths, in tokens of the joined facts. */
  readonly caps: readonly number[];
}

/** Only this many best candidates are compared with each other, so that time stays linear. */
const POOL_MAX = 400;
const COST_POWER = 0.5;
/** Factor on a word's worth each time it has been said. */
const REPEAT_WEIGHT = 0.2;
/** A fact must score at least this share of the best score; anything less is filler. */
const SCORE_SHARE_MIN = 0.15;
const TALK_SHARE_MIN = 0.04;
/** Factor on what is likely outdated: it gets the room that the rest leaves. */
const OUTDATED_WEIGHT = 0.1;
/** Facts outside long turns come first, up to this share of a depth; then facts of long turns. */
const SAID_SHARE = 1 / 2;
/** At this similarity of words two sentences say the same. */
const SAME_SHARE = 0.8;

interface Entry {
  readonly candidate: Candidate;
  readonly weights: ReadonlyMap<string, number>;
  readonly form: number;
  readonly cost: number;
  /** Cost if the previous sentence names the same speaker. */
  readonly costMin: number;
  readonly score: number;
  /** Entries of a higher rank come first; the lowest ones once all others stand. */
  readonly rank: number;
}

const RANKS = { Last: 0, Usual: 1, First: 2 } as const;

interface Said {
  readonly counts: Map<string, number>;
  /** Facts of the depths that are full. */
  readonly settled: Candidate[];
  /** Facts of the depth that is being filled. */
  open: readonly Candidate[];
  tokens: number;
  /** Tokens of the facts of each long turn. */
  readonly ofLongTurns: Map<string, number>;
}

/** Returns facts of all depths: those of the first cap first; within a depth in source order. */
export function selectCandidates(choice: Choice): readonly Candidate[] {
  const own = bestEntries(choice.said, choice);
  const long = bestEntries(choice.long, choice);
  const said: Said = {
    counts: new Map(),
    settled: [],
    open: [],
    tokens: 0,
    ofLongTurns: new Map(),
  };
  for (const [depth, cap] of choice.caps.entries()) {
    // The shortest depth takes only what people say, as long as they say anything.
    const first = long.size > 0 && depth > 0 ? cap * SAID_SHARE : cap;
    fillDepth(choice, { pool: own, said, cap: first });
    fillDepth(choice, { pool: long, said, cap });
    fillDepth(choice, { pool: own, said, cap });
    said.settled.push(...said.open);
    said.open = [];
  }
  return said.settled;
}

function bestEntries(
  { candidates, stemWeights, formWeights, ranks, sayingSomething }: Weighed,
  choice: Choice,
): Set<Entry> {
  const none = new Map<string, number>();
  const ranked = candidates
    .map((candidate, index) => ({
      candidate,
      weights: stemWeights,
      form: formWeights[index] ?? 1,
      rank: RANKS[ranks[index] ?? 'Usual'],
      saysSomething: sayingSomething[index] === true,
    }))
    .map((entry) => ({ ...entry, mass: mass(entry, none) }))
    .toSorted((a, b) => b.mass - a.mass || a.candidate.order - b.candidate.order)
    .slice(0, POOL_MAX);
  const entries = ranked.map(({ mass: whole, ...entry }) => {
    const { candidate } = entry;
    const sentence = sentenceOf(candidate.text);
    const cost = Math.max(1, choice.countTokens(sentence));
    const costMin = choice.countTokens(saidOf(sentence));
    return { ...entry, cost, costMin, score: whole / cost ** COST_POWER };
  });
  // Harm to a person comes first, so its score is not the measure for the others.
  const usual = entries.filter(({ candidate }) => !namesHealthRisk(candidate.text));
  const best = usual.reduce((most, entry) => Math.max(most, entry.score), 0);
  const least = best * (choice.isTalk ? TALK_SHARE_MIN : SCORE_SHARE_MIN);
  const worth = entries.flatMap((entry) => {
    if (entry.score >= least || (entry.rank === RANKS.First && entry.score > 0)) return [entry];
    return entry.saysSomething && entry.score > 0 ? [{ ...entry, rank: RANKS.Last }] : [];
  });
  return new Set(
    worth.map((entry) =>
      entry.candidate.isLikelyEnded ? { ...entry, form: entry.form * OUTDATED_WEIGHT } : entry,
    ),
  );
}

interface Depth {
  readonly pool: Set<Entry>;
  readonly said: Said;
  readonly cap: number;
}

function fillDepth(choice: Choice, { pool, said, cap }: Depth): void {
  const open = new Set(pool);
  while (open.size > 0) {
    // Whatever does not fit here stays in the pool, and the last ones wait for it.
    const isOver = [...pool].every(({ rank }) => rank === RANKS.Last);
    const best = bestFitting(open, { said, room: cap - said.tokens, isOver });
    if (best === undefined) return;
    open.delete(best);
    const { candidate } = best;
    const ofTurn = best.cost + (said.ofLongTurns.get(candidate.longTurn ?? '') ?? 0);
    if (candidate.longTurn !== null && ofTurn > cap * LONG_TURN_SHARE_MAX) continue;
    const longer = [...said.open, candidate].toSorted(bySource);
    const tokens = joinedTokens([...said.settled, ...longer], choice.countTokens);
    if (tokens > cap) continue;
    pool.delete(best);
    if ([...said.settled, ...said.open].some((other) => isRepeat(other, candidate))) continue;
    said.open = longer;
    said.tokens = tokens;
    if (candidate.longTurn !== null) said.ofLongTurns.set(candidate.longTurn, ofTurn);
    for (const stem of candidate.stems) {
      said.counts.set(stem, (said.counts.get(stem) ?? 0) + 1);
    }
  }
}

function bySource(a: Candidate, b: Candidate): number {
  return a.order - b.order;
}

/** Tokens of the facts joined, as listed or all in source order, whichever are more. */
function joinedTokens(facts: readonly Candidate[], countTokens: (text: string) => number): number {
  const orders = [facts, facts.toSorted(bySource)];
  const textOf = (order: readonly Candidate[]): string =>
    joinSentences(order.map(({ text }) => sentenceOf(text)));
  return Math.max(...orders.map((order) => countTokens(textOf(order))));
}

function bestFitting(
  open: ReadonlySet<Entry>,
  { said, room, isOver }: { said: Said; room: number; isOver: boolean },
): Entry | undefined {
  let best: Entry | undefined;
  let most = 0;
  for (const entry of open) {
    if (entry.costMin > room + 1 || (entry.rank === RANKS.Last && !isOver)) continue;
    const gain = mass(entry, said.counts) / entry.cost ** COST_POWER;
    if (gain <= 0 || entry.rank < (best?.rank ?? 0)) continue;
    if (entry.rank === best?.rank && gain <= most) continue;
    best = entry;
    most = gain;
  }
  return best;
}

function mass(
  { candidate, weights, form, rank }: Pick<Entry, 'candidate' | 'weights' | 'form' | 'rank'>,
  counts: ReadonlyMap<string, number>,
): number {
  // "We go at seven" has only words of grammar and numbers.
  let sum = rank === RANKS.First && candidate.stems.length === 0 ? 1 : 0;
  for (const stem of candidate.stems) {
    sum += (weights.get(stem) ?? 0) * REPEAT_WEIGHT ** (counts.get(stem) ?? 0);
  }
  return sum * form;
}

/** Whether two candidates share a stretch of a turn, or have nearly the same words. */
function isRepeat(a: Candidate, b: Candidate): boolean {
  const sameTurn = a.turnIndex === b.turnIndex;
  if (sameTurn && a.range.start < b.range.end && b.range.start < a.range.end) return true;
  // Another number, name, code or negation makes another statement.
  if (typedWords(a.text) !== typedWords(b.text)) return false;
  if (a.stems.length + b.stems.length === 0) return a.text === b.text;
  const known = new Set(a.stems);
  const shared = b.stems.filter((stem) => known.has(stem)).length;
  return shared >= SAME_SHARE * (a.stems.length + b.stems.length - shared);
}

/** A word with a capital letter that does not begin the text. */
const NAME = /(?<=[\p{L}\p{N},;:'’"”)] )\p{Lu}\p{L}+/gu;

function typedWords(text: string): string {
  const typed = text
    .toLowerCase()
    .match(/\d+|n['’]t(?!\p{L})|(?<!\p{L})(?:no|not|never|without)(?!\p{L})/gu);
  const others = [...(text.match(NAME) ?? []), ...(text.match(CODE_SPAN) ?? [])];
  return [...new Set([...(typed ?? []), ...others])].toSorted().join(' ');
}
