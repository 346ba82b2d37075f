/** What the store tells of a tenant beyond its policy: the ground of three conditions. */
import type { Layer } from '#core/layer.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { Account } from '#core/records/account.ts';

/** Milliseconds since the epoch; null where there is none. */
export interface RefreshTimes {
  readonly lastRefreshAt: number | null;
  readonly nextRefreshAt: number | null;
}

export interface TenantFacts extends RefreshTimes {
  /** Of the current period. */
  readonly account: Account;
  /** Summaries, by whether they still say what their sources say. */
  readonly fresh: number;
  readonly stale: number;
  /** Scopes that were given up after three failures. */
  readonly dead: number;
  /** Scopes that wait because the budget does not hold what they need. */
  readonly waitingForBudget: number;
  /** Layers without a scope are left out. */
  readonly layers: Readonly<Partial<Record<Layer, RefreshTimes>>>;
  /** What the latest failure was, of those that are not mended. */
  readonly lastError: { readonly code: string; readonly message: string } | null;
  /** The providers that the policy names, as far as the store knows them. */
  readonly providers: readonly ModelProviderRecord[];
}
