/** Which texts an item is asked for: where several depths are wanted, each has facts of its own. */
import type { BatchItem } from '../ports/model.ts';
import { DEPTH_TOKENS_MAX, DEPTHS, type Depth } from '../records/summary.ts';

export interface OwnText {
  readonly depth: Depth;
  /** cl100k tokens of its facts at most. */
  readonly tokensMax: number;
}

/**
 * None where one depth is wanted, or facts of no depth: then the answer is one list. The detailed
 * text follows the paragraph, so it is asked for what that leaves.
 */
export function ownTexts({ task, depths }: Pick<BatchItem, 'task' | 'depths'>): readonly OwnText[] {
  if (task !== 'Extract' || depths.length < 2) return [];
  const told = depths.includes('paragraph') ? DEPTH_TOKENS_MAX.paragraph : 0;
  return DEPTHS.filter((depth) => depths.includes(depth)).map((depth) => ({
    depth,
    tokensMax: DEPTH_TOKENS_MAX[depth] - (depth === 'detailed' ? told : 0),
  }));
}

/** Tokens of all facts that an item is asked for. */
export function factTokensMax(item: Pick<BatchItem, 'task' | 'depths' | 'tokensMax'>): number {
  return askedTokens(item).reduce((sum, tokensMax) => sum + tokensMax, 0);
}

/** A text says what its sources say, with names, days and what follows from two of them. */
const ANSWERABLE = { least: 50, perSource: 12, perSourceToken: 2 };

/** The same, but few sources make no long text. */
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
