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
  /** The same grant was made before: nothing changes. */
  | { readonly kind: 'AlreadyGranted'; readonly account: Account; readonly grant: Grant }
  /** The key belongs to a grant of another amount. */
  | { readonly kind: 'OtherGrant'; readonly account: Account; readonly grant: Grant }
  | { readonly kind: 'TooManyGrants' }
  /** The limit would exceed the platform's largest. */
  | {
      readonly kind: 'AboveLargest';
      readonly measure: keyof Amount;
      readonly limit: number;
      readonly largest: number;
    };

/** The largest limits that grants may reach; null for none. */
export type LargestBudget = { readonly [measure in keyof Amount]: number | null };

export interface AccountRecords {
  /** Returns the account of a period; opens it with the policy's limits if it does not exist. */
  get(tenant: string, period: string, budget: BudgetPolicy): Promise<Account>;
  /**
   * Can be repeated while the attempt is open, also in the next period.
   * @throws VarveError CONFLICT if the attempt was settled
   */
  reserve(request: ReserveRequest): Promise<ReserveResult>;
  /**
   * Can be repeated. `settle` in core/budget/budget-account.ts explains what null means. If an
   * attempt was settled at its full reserve and its answer arrives later, the usage of that answer
   * corrects it once.
   */
  settle(
    attempt: { tenant: string; attemptId: string },
    used: Amount | null,
    settlement: { outcome: LedgerEntry['outcome']; now: number },
  ): Promise<void>;
  /**
   * Writes the base limits of a period, as one generation of the policy declares them. Without a
   * generation, nothing is compared. Returns false, and changes nothing, if the limits of a later
   * generation are there.
   */
  setLimits(
    tenant: string,
    period: string,
    limits: BudgetPolicy & { readonly policyGeneration?: number },
  ): Promise<boolean>;
  /** Adds a grant to a period; a key counts once. */
  grant(
    account: { tenant: string; period: string; budget: BudgetPolicy; largest?: LargestBudget },
    given: Grant,
  ): Promise<GrantOutcome>;
  /**
   * Lists what was reserved at or before `before` and is not settled, of all tenants, oldest first.
   * Includes settlements that their account does not have yet.
   */
  unsettled(query: { before: number; limit: number }): Promise<readonly LedgerEntry[]>;
  /**
   * Returns what the attempts of one purpose used in a period: spent, and reserved by open ones.
   */
  used(tenant: string, of: { period: string; purpose: LedgerEntry['purpose'] }): Promise<Amount>;
  /** Newest first. */
  entries(tenant: string, by: { batchId?: string; limit: number }): Promise<readonly LedgerEntry[]>;
}
