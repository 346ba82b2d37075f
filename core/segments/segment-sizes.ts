/**
 * Decides when a scope is too large for one call of its model, and how to split it (design 6.16).
 */
import type { SummaryModel } from '../ports/model.ts';
import type { ChunkSizes } from './content-defined-chunks.ts';

export interface SegmentSizes {
  readonly leaf: ChunkSizes;
  readonly inner: ChunkSizes;
  /** The most tokens of facts that are kept of a leaf, and of an inner node. */
  readonly leafFacts: number;
  readonly innerFacts: number;
}

type Limits = Pick<SummaryModel, 'price' | 'inputTokensMax'>;

/** Tokens that a prompt adds to each source: its label, its day, its marker, line breaks. */
const SOURCE_FRAME_TOKENS = 12;
/** A paid model reads a scope up to this weight whole. */
const WHOLE_MAX = 12_000;
/**
 * The extractive summarizer reads this much in about a second, and its process does nothing else.
 */
const FREE_WHOLE_MAX = 250_000;
/** Gives leaves of about 4,000: a change is cheap, and related sources mostly stay together. */
const LEAF_MOST = 8_000;
/** Wide, so that a change among 10,000 memories passes one inner node between leaf and root. */
const INNER_MOST = 12_000;
const LEAF_FACTS_MAX = 400;
const INNER_FACTS_MAX = 400;
/** Shares of a model's window; the rest is for another tokenizer and for the rules. */
const WHOLE_SHARE = 1 / 2;
const LEAF_SHARE = 1 / 4;
const INNER_SHARE = 3 / 8;
/** The fewest nodes that fit below an inner node; with fewer, a tree would not narrow. */
const CHILDREN_MIN = 6;

/** Returns the weight of sources: their tokens, and the frame of each. */
export function sourceWeight(sources: { readonly tokens: number; readonly count: number }): number {
  return sources.tokens + sources.count * SOURCE_FRAME_TOKENS;
}

/** Returns whether a scope of this weight is split into segments. */
export function isSegmented(weight: number, { price, inputTokensMax }: Limits): boolean {
  const most = price === null ? FREE_WHOLE_MAX : WHOLE_MAX;
  return weight > Math.min(most, inputTokensMax * WHOLE_SHARE);
}

/** Returns the sizes for a model's window. Narrow windows give small chunks and more levels. */
export function segmentSizes({ inputTokensMax }: Limits): SegmentSizes {
  const leaf = Math.max(1, Math.floor(Math.min(LEAF_MOST, inputTokensMax * LEAF_SHARE)));
  const inner = Math.max(1, Math.floor(Math.min(INNER_MOST, inputTokensMax * INNER_SHARE)));
  const facts = Math.max(1, Math.floor(inner / CHILDREN_MIN));
  return {
    leaf: { aim: leaf / 2, most: leaf },
    inner: { aim: inner / 2, most: inner },
    leafFacts: Math.min(LEAF_FACTS_MAX, facts),
    innerFacts: Math.min(INNER_FACTS_MAX, facts),
  };
}
