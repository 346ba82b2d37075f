/**
 * Facts of segments on their way up the tree: offered to a model as sources, and the chosen ones.
 */
import type { AnsweredItem } from '../prompt/parse-answer.ts';
import type { Digest } from '../hash.ts';
import type { TokenCounter } from '../ports/token-counter.ts';
import type { Segment, Fact } from '../records/summary.ts';
import type { Source } from '../sources/source.ts';
import { utf8Bytes } from '../storable-text.ts';

/** With a larger share of unknown ids, the answer is about something else. */
const UNKNOWN_SHARE_MAX = 0.3;

/** A fact that was made before, with the id by which a model chooses it. */
export interface Offered {
  readonly fact: Fact;
  readonly source: Source;
}

interface Choice {
  readonly facts: readonly Fact[];
  /** Ids that match none of the offered facts, and entries that are not ids. */
  readonly unknown: number;
  readonly sufficient: boolean;
}

/** Returns the facts of the nodes below, in order. */
export function offeredFacts(
  digest: Digest,
  segments: readonly Pick<Segment, 'segmentId' | 'facts'>[],
  tokens: TokenCounter,
): readonly Offered[] {
  return segments.flatMap(({ segmentId, facts }) =>
    facts.map((fact, index) => {
      const id = `${segmentId}/${String(index)}`;
      return { fact, source: factSource(digest, id, { fact, tokens }) };
    }),
  );
}

function factSource(
  digest: Digest,
  id: string,
  { fact, tokens }: { fact: Fact; tokens: TokenCounter },
): Source {
  const { text, speaker, trust, at } = fact;
  return {
    id,
    kind: 'memory',
    position: id,
    text,
    contentHash: digest(text),
    tokens: tokens.count(text),
    bytes: utf8Bytes(text),
    at,
    speaker,
    role: null,
    trust,
    expiresAt: null,
  };
}

/**
 * Returns the chosen facts in the chosen order, word for word, as many as `tokensMax` allows. An
 * empty choice counts as a choice of the newest facts: a scope with facts always has a summary.
 */
export function chooseFacts(
  offered: readonly Offered[],
  answered: Pick<AnsweredItem, 'kept' | 'malformed'> | undefined,
  tokensMax: number,
): Choice {
  const { kept = null, malformed = 0 } = answered ?? {};
  if (kept === null) return { facts: [], unknown: malformed, sufficient: false };
  const known = new Map(offered.map((each) => [each.source.id, each]));
  const chosen = [...new Set(kept)];
  const found = chosen.flatMap((id) => known.get(id) ?? []);
  const unknown = chosen.length - found.length + malformed;
  const given = chosen.length + malformed;
  return {
    facts: fitting(given === 0 ? newestFirst(offered) : found, tokensMax).map(({ fact }) => fact),
    unknown,
    sufficient: unknown <= given * UNKNOWN_SHARE_MAX,
  };
}

/** Returns the longest prefix of facts within a token limit, and at least one fact. */
export function factsWithin(
  facts: readonly Fact[],
  tokensMax: number,
  tokens: TokenCounter,
): readonly Fact[] {
  const counted = facts.map((fact) => ({ fact, source: { tokens: tokens.count(fact.text) } }));
  return fitting(counted, tokensMax).map(({ fact }) => fact);
}

function newestFirst(offered: readonly Offered[]): readonly Offered[] {
  return offered.toSorted((a, b) => b.fact.at - a.fact.at);
}

function fitting<T extends { readonly source: { readonly tokens: number } }>(
  facts: readonly T[],
  tokensMax: number,
): readonly T[] {
  let sum = 0;
  const end = facts.findIndex(({ source }) => {
    sum += source.tokens;
    return sum > tokensMax;
  });
  return end < 0 ? facts : facts.slice(0, Math.max(1, end));
}
