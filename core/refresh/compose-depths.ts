/**
 * Builds texts from facts: each depth is the longest prefix of the ordered facts that fits its
 * cap, arranged in the order in which things were said (design 6.15).
 */
import type { TokenCounter } from '../ports/token-counter.ts';
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

/** Returns the texts of the requested depths over one ordered list of facts. */
export function composeDepths(
  facts: readonly Fact[],
  depths: readonly Depth[],
  tokens: TokenCounter,
): Partial<Record<Depth, DepthText>> {
  const texts: Partial<Record<Depth, DepthText>> = {};
  for (const depth of DEPTHS) {
    if (depths.includes(depth)) texts[depth] = composeDepth(facts, DEPTH_TOKENS_MAX[depth], tokens);
  }
  return texts;
}

/** Returns one text of at most `limit` tokens; empty only if there are no facts. */
export function composeDepth(
  facts: readonly Fact[],
  limit: number,
  tokens: TokenCounter,
): DepthText {
  let fitting = renderFacts(facts, 0, tokens);
  for (let count = 1; count <= facts.length; count += 1) {
    const longer = renderFacts(facts, count, tokens);
    if (longer.tokens > limit) break;
    fitting = longer;
  }
  const [first] = facts;
  if (fitting.sentences.length > 0 || first === undefined) return fitting;
  const text = cutToTokens(sentenceOf(first.text), limit, tokens);
  return { text, tokens: tokens.count(text), sentences: [{ text, facts: [0] }], cut: true };
}

/** Returns the text without the sentences that rest on a dropped source; readers see it at once. */
export function withoutSources(
  text: DepthText,
  facts: readonly Fact[],
  { dropped, tokens }: { dropped: ReadonlySet<string>; tokens: TokenCounter },
): DepthText {
  const rests = (index: number) => facts[index]?.sources.some((id) => dropped.has(id)) ?? true;
  const sentences = text.sentences.filter((each) => !each.facts.some(rests));
  if (sentences.length === text.sentences.length) return text;
  const kept = sentences.map((each) => each.text).join(' ');
  return { ...text, text: kept, tokens: tokens.count(kept), sentences };
}

/** Cuts at the last sentence, else clause, else word that fits; a cut text ends with `…`. */
export function cutToTokens(text: string, limit: number, tokens: TokenCounter): string {
  if (tokens.count(text) <= limit) return text;
  const ends = [...text.matchAll(CLAUSE_END)].map((match) => match.index);
  const words = [...text.matchAll(/\s+/gu)].map((match) => match.index);
  for (const places of [ends, words]) {
    for (const end of places.toReversed()) {
      const piece = text.slice(0, end).trimEnd() + ELLIPSIS;
      if (tokens.count(piece) <= limit) return piece;
    }
  }
  return cutAnywhere(text, limit, tokens);
}

/** For text without white space; bisection keeps the number of token counts small. */
function cutAnywhere(text: string, limit: number, tokens: TokenCounter): string {
  const points = Array.from(text);
  let low = 0;
  let high = points.length;
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (tokens.count(points.slice(0, middle).join('') + ELLIPSIS) <= limit) low = middle;
    else high = middle - 1;
  }
  return low === 0 ? '' : points.slice(0, low).join('') + ELLIPSIS;
}

function renderFacts(facts: readonly Fact[], count: number, tokens: TokenCounter): DepthText {
  const sentences = facts
    .slice(0, count)
    .map((fact, index) => ({ fact, index }))
    .toSorted((a, b) => a.fact.at - b.fact.at || a.index - b.index)
    .map(({ fact, index }) => ({ text: sentenceOf(fact.text), facts: [index] }));
  const text = sentences.map((each) => each.text).join(' ');
  return { text, tokens: tokens.count(text), sentences, cut: false };
}

/** Turns a text into a sentence with a final stop, so that joined sentences stay apart. */
export function sentenceOf(given: string): string {
  const text = given.trim();
  return /[.!?…。！？:;)"'”’\]]$/u.test(text) ? text : `${text}.`;
}
