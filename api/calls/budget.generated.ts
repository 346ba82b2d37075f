/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  SummaryGetExhaustion,
} from './shared.generated.ts';

export interface BudgetGetInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** A calendar month in UTC, such as `2026-11`; by default, the current one. */
  readonly period?: string | undefined;
}

export interface BudgetMeasure {
  /** Limit of the policy plus grants; null if there is no limit. */
  readonly limit: number | null;
  readonly granted: number;
  readonly spent: number;
  /** Reserved for calls in progress, at their maximum price. */
  readonly reserved: number;
  readonly left: number | null;
}

export interface BudgetGetAmount {
  readonly tokens: number;
  readonly microDollars: number;
}

export interface BudgetGetGrant {
  readonly id: string;
  readonly key: string;
  readonly amount: BudgetGetAmount;
  readonly principal: string;
  readonly reason: string;
  readonly at: number;
}

export interface BudgetGetOutput {
  readonly tenant: string;
  readonly period: string;
  /** Milliseconds since the epoch. */
  readonly periodEndsAt: number;
  readonly onExhausted: 'Reject' | 'ServeStale' | 'Extractive';
  readonly tokens: BudgetMeasure;
  readonly microDollars: BudgetMeasure;
  readonly callsUnderWay: number;
  readonly grants: BudgetGetGrant[];
  /** Scopes that wait for budget. */
  readonly waitingScopes: number;
  /** What the last of them needed and the budget did not have. */
  readonly exhaustion: SummaryGetExhaustion | null;
}

export interface BudgetGrantInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** The current month or the next one; by default, the current one. */
  readonly period?: string | undefined;
  /** @default 0 */
  readonly tokens?: number | undefined;
  /** @default 0 */
  readonly microDollars?: number | undefined;
  /** The reason; stored with the grant. */
  readonly reason: string;
  /** The same key grants once, also across a change of the month if you name no period. */
  readonly key?: string | undefined;
}

export interface BudgetGrantOutput {
  readonly tenant: string;
  readonly period: string;
  /** Milliseconds since the epoch. */
  readonly periodEndsAt: number;
  readonly onExhausted: 'Reject' | 'ServeStale' | 'Extractive';
  readonly tokens: BudgetMeasure;
  readonly microDollars: BudgetMeasure;
  readonly callsUnderWay: number;
  readonly grants: BudgetGetGrant[];
  /** Scopes that wait for budget. */
  readonly waitingScopes: number;
  /** What the last of them needed and the budget did not have. */
  readonly exhaustion: SummaryGetExhaustion | null;
  /** False if this key had already granted it. */
  readonly added: boolean;
  /** Scopes that waited for budget and are due again. */
  readonly freedScopes: number;
}

/** Calls of `budget`. */
export interface BudgetCalls {
  /** Returns what a tenant may spend in a month, what it has spent, and what is reserved. */
  readonly get: (input: BudgetGetInput) => Promise<BudgetGetOutput>;
  /** Adds to the limits of one month; scopes that waited for budget are due at once. */
  readonly grant: (input: BudgetGrantInput) => Promise<BudgetGrantOutput>;
}
