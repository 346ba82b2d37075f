/** What a tenant may spend, what is reserved, and what each attempt cost. */
import type { Account, Amount, Exhaustion, Grant, LedgerEntry } from '../records/account.ts';
import type { BudgetPolicy } from '../records/policy.ts';

export interface ReserveRequest {
  readonly attempt: Pick<LedgerEntry, 'tenant' | 'attemptId' | 'batchId' | 'purpose' | 'model'>;
  readonly amount: Amount;
  readonly budget: BudgetPolicy;
  readonly now: number;
}

export type ReserveResult =
  | { readonly kind: 'Reserved' }
  | { readonly kind: 'Exhausted'; readonly details: Exhaustion }
  | { readonly kind: 'TooManyOpen' };

export type GrantOutcome =
  | { readonly kind: 'Granted'; readonly account: Account; readonly grant: Grant }
  /** The same grant came before: nothing changes. */
  | { readonly kind: 'AlreadyGranted'; readonly account: Account; readonly grant: Grant }
  /** The key stands for a grant of another amount. */
  | { readonly kind: 'OtherGrant'; readonly account: Account; readonly grant: Grant }
  | { readonly kind: 'TooManyGrants' }
  /** The limit would be above the largest of the platform. */
  | {
      readonly kind: 'AboveLargest';
      readonly measure: keyof Amount;
      readonly limit: number;
      readonly largest: number;
    };

/** The largest limits that grants may reach; null for none. */
export type LargestBudget = { readonly [measure in keyof Amount]: number | null };

export interface AccountRecords {
  /** The account of a period, opened with the policy's limits where it did not exist. */
  get(tenant: string, period: string, budget: BudgetPolicy): Promise<Account>;
  /**
   * Repeatable while the attempt is open, also in the next period.
   * @throws VarveError CONFLICT where the attempt was settled
   */
  reserve(request: ReserveRequest): Promise<ReserveResult>;
  /**
   * Repeatable; see `settle` in core/budget/budget-account.ts for what null means. An attempt
   * that was settled at its full reserve is corrected, once, by the usage of an answer that came
   * later.
   */
  settle(
    attempt: { tenant: string; attemptId: string },
    used: Amount | null,
    settlement: { outcome: LedgerEntry['outcome']; now: number },
  ): Promise<void>;
  /**
   * Writes the base limits of a period, as the policy of a generation declares them; a generation
   * that is not named is not compared. False where those of a later one stand, and stay.
   */
  setLimits(
    tenant: string,
    period: string,
    limits: BudgetPolicy & { readonly policyGeneration?: number },
  ): Promise<boolean>;
  /** Adds a grant to a period, once for its key. */
  grant(
    account: { tenant: string; period: string; budget: BudgetPolicy; largest?: LargestBudget },
    given: Grant,
  ): Promise<GrantOutcome>;
  /**
   * Of all tenants, what was reserved at or before `before` and is not settled, the oldest first:
   * settling it is pending. Also a settlement that its account does not have yet.
   */
  unsettled(query: { before: number; limit: number }): Promise<readonly LedgerEntry[]>;
  /** What the attempts of one purpose took of a period: spent, and reserved by those still open. */
  used(tenant: string, of: { period: string; purpose: LedgerEntry['purpose'] }): Promise<Amount>;
  /** The newest entries first. */
  entries(tenant: string, by: { batchId?: string; limit: number }): Promise<readonly LedgerEntry[]>;
}
