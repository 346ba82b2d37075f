/** The share of a budget that personalized variants may use (design 6.21). */
import type { Account, Amount } from '../records/account.ts';

/** Part of each limit, with its grants: the general summaries, which all readers get, go first. */
export const VARIANT_BUDGET_SHARE = 0.2;

/**
 * Whether variants may use more of a period's budget, given what they have used and reserved of it.
 * Looked at before a claim, so calls in flight may pass the share; the limit itself nothing passes.
 */
export function hasVariantShare(account: Account, used: Amount): boolean {
  const limits = { tokens: account.limitTokens, microDollars: account.limitMicroDollars };
  return (['tokens', 'microDollars'] as const).every((measure) => {
    const limit = limits[measure];
    if (limit === null) return true;
    return used[measure] < (limit + account.granted[measure]) * VARIANT_BUDGET_SHARE;
  });
}
