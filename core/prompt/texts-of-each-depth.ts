/** Which texts to request for an item: with several depths, each depth has its own facts. */
import type { BatchItem } from '../ports/model.ts';
import { DEPTH_TOKENS_MAX, DEPTHS, type Depth } from '../records/summary.ts';

interface OwnText {
  readonly depth: Depth;
  /** The most cl100k tokens of its facts. */
  readonly tokensMax: number;
}

/**
 * Returns the texts of an item with several depths. Returns none for one depth, or for facts
 * without a depth: then the answer is one list. The detailed text follows the paragraph, so it may
 * use only the tokens that the paragraph leaves.
 */
export function ownTexts({ task, depths }: Pick<BatchItem, 'task' | 'depths'>): readonly OwnText[] {
  if (task !== 'Extract' || depths.length < 2) return [];
  const told = depths.includes('paragraph') ? DEPTH_TOKENS_MAX.paragraph : 0;
  return DEPTHS.filter((depth) => depths.includes(depth)).map((depth) => ({
    depth,
    tokensMax: DEPTH_TOKENS_MAX[depth] - (depth === 'detailed' ? told : 0),
  }));
}

/** Returns the most tokens of all facts that an item asks for. */
export function factTokensMax(item: Pick<BatchItem, 'task' | 'depths' | 'tokensMax'>): number {
  return askedTokens(item).reduce((sum, tokensMax) => sum + tokensMax, 0);
}

/** A text says what its sources say, with names, days and what follows from two of them. */
const ANSWERABLE = { least: 50, perSource: 12, perSourceToken: 2 };

/** As `factTokensMax`, but limits Extract by its sources: few sources make no long text. */
export function answerableTokens(
  item: Pick<BatchItem, 'task' | 'depths' | 'tokensMax' | 'sources'>,
): number {
  if (item.task !== 'Extract') return factTokensMax(item);
  const { least, perSource, perSourceToken } = ANSWERABLE;
  const told = item.sources.reduce(
    (sum, { tokens }) => sum + perSource + tokens * perSourceToken,
    least,
  );
  return askedTokens(item).reduce((sum, tokensMax) => sum + Math.min(tokensMax, told), 0);
}

function askedTokens(item: Pick<BatchItem, 'task' | 'depths' | 'tokensMax'>): readonly number[] {
  const own = ownTexts(item).map(({ tokensMax }) => tokensMax);
  return own.length === 0 ? [item.tokensMax] : own;
}
