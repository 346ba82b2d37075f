/** What a changed policy would do to one scope: pure, from its record and both policies. */
import { dueOf } from '#core/sources/due.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { Amount } from '#core/records/account.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Trigger } from '#core/records/summary.ts';
import { duePolicyOf } from '#core/policy/tenant-policy.ts';
import { remakingCost } from './forecast-cost.ts';
import type { LayerRecipe } from './forecast-models.ts';

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
