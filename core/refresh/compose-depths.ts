/**
 * Builds texts from facts (design 6.15). If facts were written for a depth, its text has these
 * facts in their order. Otherwise it has the longest prefix of the ordered facts that fits the
 * limit, arranged in the order in which things were said.
 */
import type { TokenCounter } from '../ports/token-counter.ts';
import { joinSentences, sentenceOf } from '../text/joined-sentences.ts';
import {
  DEPTH_TOKENS_MAX,
  DEPTHS,
  type Depth,
  type DepthText,
  type Fact,
} from '../records/summary.ts';

/** Clause ends where an overlong text is cut, longest part first. */
const CLAUSE_END = /[,;:—–]\s|\s[–—-]\s/gu;
const ELLIPSIS = '…';

/** A fact with its position in the summary, and that of its newest source among all. */
interface Placed {
  readonly fact: Fact;
  readonly index: number;
  readonly source: number;
}

/**
 * Returns the texts of the requested depths over the facts of one summary.
 * @param sources in order: of two said at one time, the first comes first
 */
export function composeDepths(
  facts: readonly Fact[],
  depths: readonly Depth[],
  tokens: TokenCounter,
  sources: readonly { readonly id: string }[] = [],
): Partial<Record<Depth, DepthText>> {
  const placed = placedAll(facts, new Map(sources.map(({ id }, place) => [id, place])));
  const texts: Partial<Record<Depth, DepthText>> = {};
  for (const depth of DEPTHS) {
    if (depths.includes(depth)) texts[depth] = textOf(placed, depth, tokens);
  }
  return texts;
}

/** Returns the facts as one list, for uses that do not distinguish depths. */
export function asOneList(facts: readonly Fact[]): readonly Fact[] {
  const all = placedAll(facts);
  const rest = all.filter((each) => !isFor(each, 'sentence') || isFor(each, 'paragraph'));
  const listed = rest.length === 0 ? all : [...beyond(all, rest), ...rest];
  return listed.map(({ fact: { depths: _depths, ...fact } }) => fact);
}

function textOf(facts: readonly Placed[], depth: Depth, tokens: TokenCounter): DepthText {
  const limit = DEPTH_TOKENS_MAX[depth];
  const own = fittingText(ownFacts(facts, depth), { limit, tokens });
  return own.sentences.length > 0 ? own : listText(facts, limit, tokens);
}

/** Returns the facts written for a depth; none if its text is a prefix of all facts. */
function ownFacts(facts: readonly Placed[], depth: Depth): readonly Placed[] {
  if (depth === 'sentence') return facts.filter((each) => isFor(each, 'sentence'));
  const paragraph = facts.filter((each) => isFor(each, 'paragraph'));
  if (depth === 'paragraph') return withGist(facts, paragraph);
  if (facts.every(({ fact }) => fact.depths === undefined)) return [];
  const added = facts.filter((each) => !isFor(each, 'paragraph') && !isFor(each, 'sentence'));
  return withGist(facts, [...paragraph, ...added]);
}

/**
 * Adds the gist, so that a longer text rests on every source of a shorter one, whatever was
 * dropped.
 */
function withGist(facts: readonly Placed[], own: readonly Placed[]): readonly Placed[] {
  return own.length === 0 ? own : [...beyond(facts, own), ...own];
}

/** Returns the gist if it rests on a source that the given facts lack. */
function beyond(facts: readonly Placed[], own: readonly Placed[]): readonly Placed[] {
  const told = new Set(own.flatMap(({ fact }) => fact.sources));
  return facts.filter(
    (each) =>
      isFor(each, 'sentence') &&
      !own.includes(each) &&
      each.fact.sources.some((id) => !told.has(id)),
  );
}

function isFor({ fact }: Placed, depth: Depth): boolean {
  return fact.depths?.includes(depth) ?? false;
}

function placedAll(
  facts: readonly Fact[],
  places: ReadonlyMap<string, number> = new Map(),
): readonly Placed[] {
  return facts.map((fact, index) => {
    const source = Math.max(...fact.sources.map((id) => places.get(id) ?? 0));
    return { fact, index, source };
  });
}

/** Returns one text of at most `limit` tokens; empty only if there are no facts. */
export function composeDepth(
  facts: readonly Fact[],
  limit: number,
  tokens: TokenCounter,
): DepthText {
  return listText(placedAll(facts), limit, tokens);
}

function listText(facts: readonly Placed[], limit: number, tokens: TokenCounter): DepthText {
  const fitting = fittingText(facts, { limit, tokens, arranged: asSaid });
  const [first] = facts;
  if (fitting.sentences.length > 0 || first === undefined) return fitting;
  const text = cutToTokens(sentenceOf(first.fact.text), limit, tokens);
  const sentences = [{ text, facts: [first.index] }];
  return { text, tokens: tokens.count(text), sentences, cut: true };
}

/** Returns the longest prefix of the facts that fits. */
function fittingText(
  facts: readonly Placed[],
  {
    limit,
    tokens,
    arranged = (chosen) => chosen,
  }: {
    readonly limit: number;
    readonly tokens: TokenCounter;
    readonly arranged?: (chosen: readonly Placed[]) => readonly Placed[];
  },
): DepthText {
  let fitting = rendered([], tokens);
  for (let count = 1; count <= facts.length; count += 1) {
    const longer = rendered(arranged(facts.slice(0, count)), tokens);
    if (longer.tokens > limit) break;
    fitting = longer;
  }
  return fitting;
}

/**
 * Returns the text without the sentences that rest on a dropped source; readers see this at once.
 * If nothing would be left, as with a gist of many sources, uses the remaining facts instead.
 */
export function withoutSources(
  text: DepthText,
  facts: readonly Fact[],
  { dropped, depth, tokens }: { dropped: ReadonlySet<string>; depth: Depth; tokens: TokenCounter },
): DepthText {
  const rests = (index: number) => facts[index]?.sources.some((id) => dropped.has(id)) ?? true;
  const sentences = text.sentences.filter((each) => !each.facts.some(rests));
  if (sentences.length === text.sentences.length) return text;
  if (sentences.length === 0) {
    return textOf(
      placedAll(facts).filter(({ index }) => !rests(index)),
      depth,
      tokens,
    );
  }
  const kept = joinSentences(sentences.map((each) => each.text));
  return { ...text, text: kept, tokens: tokens.count(kept), sentences };
}

/** Cuts at the last sentence, else clause, else word that fits; a cut text ends with `…`. */
export function cutToTokens(text: string, limit: number, tokens: TokenCounter): string {
  if (tokens.count(text) <= limit) return text;
  const ends = [...text.matchAll(CLAUSE_END)].map((match) => match.index);
  const words = [...text.matchAll(/\s+/gu)].map((match) => match.index);
  for (const places of [ends, words]) {
    const pieceOf = (count: number) => text.slice(0, places[count - 1]).trimEnd() + ELLIPSIS;
    const count = longestFit(places.length, (few) => tokens.count(pieceOf(few)) <= limit);
    if (count > 0) return pieceOf(count);
  }
  return cutAnywhere(text, limit, tokens);
}

/** For text without white space. */
function cutAnywhere(text: string, limit: number, tokens: TokenCounter): string {
  const points = Array.from(text);
  const pieceOf = (count: number) => points.slice(0, count).join('') + ELLIPSIS;
  const count = longestFit(points.length, (few) => tokens.count(pieceOf(few)) <= limit);
  return count === 0 ? '' : pieceOf(count);
}

/** Returns the largest count that fits, or 0. Bisects: each look counts the tokens of a text. */
function longestFit(max: number, isFit: (count: number) => boolean): number {
  let low = 0;
  let high = max;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (isFit(middle)) low = middle;
    else high = middle - 1;
  }
  return low;
}

/** A decision reads badly before its reason, and an answer before its question. */
function asSaid(facts: readonly Placed[]): readonly Placed[] {
  return facts.toSorted(
    (a, b) => a.fact.at - b.fact.at || a.source - b.source || a.index - b.index,
  );
}

function rendered(facts: readonly Placed[], tokens: TokenCounter): DepthText {
  const sentences = facts.map(({ fact, index }) => ({
    text: sentenceOf(fact.text),
    facts: [index],
  }));
  const text = joinSentences(sentences.map((each) => each.text));
  return { text, tokens: tokens.count(text), sentences, cut: false };
}
