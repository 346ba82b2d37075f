/** What a changed policy would do to one scope: pure, from its record and both policies. */
import { costOf } from '#core/budget/price.ts';
import { duePolicyOf } from '#core/policy/tenant-policy.ts';
import { type Amount, NOTHING } from '#core/records/account.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { type Trigger, DEPTH_TOKENS_MAX, type Usage } from '#core/records/summary.ts';
import { callSizes } from '#core/refresh/call-size.ts';
import { isSegmented, segmentSizes, sourceWeight } from '#core/segments/segment-sizes.ts';
import { dueOf } from '#core/sources/due.ts';
import type { LayerRecipe, ForecastModel } from './forecast-models.ts';

export interface ScopeForecast {
  readonly reason: Trigger;
  /**
   * Now: as soon as the policy is applied. Backfill: a few a minute, with at most half of the
   * budget. NextDue: whenever the scope is due anyway.
   */
  readonly when: 'Now' | 'Backfill' | 'NextDue';
  readonly cost: Amount;
}

export interface ScopeRules {
  readonly before: { readonly policy: TenantPolicy; readonly recipe: LayerRecipe };
  readonly after: { readonly policy: TenantPolicy; readonly recipe: LayerRecipe };
  readonly now: number;
}

/**
 * Null where the change of policy remakes nothing: a scope that is due without it is none of its
 * doing, nor is one that waits for a failure or for budget.
 */
export function forecastScope(record: ScopeRecord, rules: ScopeRules): ScopeForecast | null {
  if (record.sourceCount === 0 || record.deadLetter !== null || record.hold !== null) return null;
  const { before, after, now } = rules;
  if (isDue(record, before.policy, now) !== null) return null;
  const isKept = before.recipe.segmentHash === after.recipe.segmentHash;
  const cost = remakingCost(record, after.recipe.model, isKept);
  const trigger = isDue(record, after.policy, now);
  if (trigger !== null) return { reason: trigger, when: 'Now', cost };
  if (!isRecipeNews(record, rules)) return null;
  const isBackfilled = after.policy.onRecipeChange === 'Backfill';
  return { reason: 'Recipe', when: isBackfilled ? 'Backfill' : 'NextDue', cost };
}

function isDue(record: ScopeRecord, policy: TenantPolicy, now: number): Trigger | null {
  const due = dueOf(record, duePolicyOf(policy, record.layer), now);
  return due !== null && due.at <= now ? due.trigger : null;
}

/** Whether its summary is of another recipe by this change, or is backfilled by it. */
function isRecipeNews(
  { recipeHash }: ScopeRecord,
  { before, after }: Pick<ScopeRules, 'before' | 'after'>,
): boolean {
  // A text that stands in is not remade for a recipe, and an unknown recipe is of an old version.
  if (recipeHash === null || recipeHash === after.recipe.fallbackHash) return false;
  if (recipeHash === after.recipe.recipeHash) return false;
  const isOther = before.recipe.recipeHash !== after.recipe.recipeHash;
  const beginsBackfill =
    before.policy.onRecipeChange !== 'Backfill' && after.policy.onRecipeChange === 'Backfill';
  return isOther || beginsBackfill;
}

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
