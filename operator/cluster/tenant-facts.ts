/** What the store holds of a tenant beyond its policy: the basis of three conditions. */
import type { Layer } from '#core/layer.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { DreamRound, DreamSchedule } from '#core/records/dream-schedule.ts';
import type { Account } from '#core/records/account.ts';
import type { LastError } from '#crds/status.ts';

/** Milliseconds since the epoch; null where there is none. */
export interface RefreshTimes {
  readonly lastRefreshAt: number | null;
  readonly nextRefreshAt: number | null;
}

/** Of the scopes of one layer. */
export interface LayerFacts extends RefreshTimes, Pick<TenantFacts, 'fresh' | 'stale'> {
  readonly lastError: LastError | null;
}

/** Of the last time, what is shown: how it ended, without the ids that it counted. */
export type ShownRound = Omit<DreamRound, 'counted' | 'startedAt'>;

export interface ShownSchedule extends Pick<DreamSchedule, 'name' | 'nextAt'> {
  readonly last: ShownRound | null;
}

export interface DreamFacts {
  readonly schedules: readonly ShownSchedule[];
  /** Whether proposals of the tenant wait for a person. */
  readonly isWaiting: boolean;
}

export interface TenantFacts extends RefreshTimes {
  /** Of the current period. */
  readonly account: Account;
  /** False while a tenant has scopes that were never counted; then times are left out. */
  readonly isComplete: boolean;
  /** Summaries, by whether they still say what their sources say. */
  readonly fresh: number;
  readonly stale: number;
  /** Scopes that were given up after three failures. */
  readonly dead: number;
  /** Scopes that wait because the budget does not hold what they need. */
  readonly waitingForBudget: number;
  /** Layers without a scope are left out. */
  readonly layers: Readonly<Partial<Record<Layer, LayerFacts>>>;
  /** What the latest failure was, of those that are not mended. */
  readonly lastError: LastError | null;
  readonly dreams: DreamFacts;
  /** The providers that the policy names, as far as the store knows them. */
  readonly providers: readonly ModelProviderRecord[];
}
