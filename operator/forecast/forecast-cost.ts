/**
 * What remaking a summary costs at most, by the sizes on its scope's record: no source is read and
 * no model asked. Answers are counted at the longest that is asked for, so the real cost is lower.
 */
import { callSizes } from '#core/refresh/call-size.ts';
import { costOf } from '#core/budget/price.ts';
import { NOTHING, type Amount } from '#core/records/account.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { DEPTH_TOKENS_MAX, type Usage } from '#core/records/summary.ts';
import { isSegmented, segmentSizes, sourceWeight } from '#core/segments/segment-sizes.ts';
import type { ForecastModel } from './forecast-models.ts';

/** An inner node reads the facts of a few leaves and names those it keeps. */
const INNER_NODES_PER_LEAF = 1 / 3;

/**
 * Tokens and money of one regeneration. `areSegmentsKept`: the segments of a large scope were made
 * by the same recipe, so only those with changed sources are made again.
 */
export function remakingCost(
  record: Pick<ScopeRecord, 'sourceCount' | 'sourceTokens' | 'changes'>,
  model: ForecastModel,
  areSegmentsKept: boolean,
): Amount {
  if (model.price === null) return NOTHING;
  const { sourceCount: count, sourceTokens: tokens } = record;
  const weight = sourceWeight({ tokens, count });
  if (!isSegmented(weight, model)) return costOf(callUsage(model, { tokens, count }), model.price);
  const { leaf, inner, innerFacts } = segmentSizes(model);
  const leaves = Math.max(1, Math.ceil(weight / leaf.aim));
  const remade = areSegmentsKept ? Math.min(record.changes, leaves) : leaves;
  const ofLeaf = callUsage(model, {
    tokens: Math.ceil(tokens / leaves),
    count: Math.ceil(count / leaves),
  });
  const ofInner = { inputTokens: inner.most, outputTokens: innerFacts };
  const nodes = remade === 0 ? 0 : Math.ceil(remade * INNER_NODES_PER_LEAF) + 1;
  return costOf(sum(times(ofLeaf, remade), times(ofInner, nodes)), model.price);
}

function callUsage(model: ForecastModel, sources: { tokens: number; count: number }): Usage {
  const sizes = callSizes(model);
  const size = sizes.sizeOf({
    task: 'Extract',
    tokensMax: DEPTH_TOKENS_MAX.detailed,
    sources: sources.count,
    tokens: sources.tokens,
  });
  return { ...size, inputTokens: size.inputTokens + sizes.rules };
}

function times({ inputTokens, outputTokens }: Usage, count: number): Usage {
  return { inputTokens: inputTokens * count, outputTokens: outputTokens * count };
}

function sum(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
  };
}
