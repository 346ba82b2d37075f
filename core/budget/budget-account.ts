/**
 * The budget: reserve before a call, settle after it (design 6.22). Every function returns a new
 * account; a store writes it with one atomic update, so the limit holds under any concurrency.
 */
import type { GrantOutcome, LargestBudget } from '../ports/budget-account-records.ts';
import {
  GRANTS_MAX,
  NOTHING,
  OPEN_RESERVATIONS_MAX,
  type Account,
  type Amount,
  type Exhaustion,
  type Grant,
} from '../records/account.ts';
import type { BudgetPolicy } from '../records/policy.ts';

type ReserveOutcome =
  | { readonly kind: 'Reserved'; readonly account: Account }
  /** The same attempt reserved before: nothing changes and nothing is counted twice. */
  | { readonly kind: 'AlreadyReserved'; readonly account: Account }
  | { readonly kind: 'Exhausted'; readonly details: Exhaustion }
  | { readonly kind: 'TooManyOpen' };

/** Returns the period of a time: its calendar month in UTC, `2026-11`. */
export function periodOf(now: number): string {
  return new Date(now).toISOString().slice(0, 7);
}

/** Returns the first moment of a period, in milliseconds since the epoch. */
export function periodStart(period: string): number {
  const [year = 0, month = 1] = period.split('-').map(Number);
  return Date.UTC(year, month - 1, 1);
}

/** Returns the first moment after a period, in milliseconds since the epoch. */
export function periodEnd(period: string): number {
  const [year = 0, month = 1] = period.split('-').map(Number);
  return Date.UTC(year, month, 1);
}

/** Returns the next period. */
export function periodAfter(period: string): string {
  return periodOf(periodEnd(period));
}

/** Returns the previous period. */
export function periodBefore(period: string): string {
  return periodOf(periodStart(period) - 1);
}

/** Returns an account with nothing spent in its period. */
export function openAccount(tenant: string, period: string, budget: BudgetPolicy): Account {
  return {
    tenant,
    period,
    limitTokens: budget.limitTokens,
    limitMicroDollars: budget.limitMicroDollars,
    granted: NOTHING,
    grants: [],
    spent: NOTHING,
    open: [],
    policyGeneration: 0,
    version: 0,
  };
}

/**
 * Returns the account with the limits of a policy, unless it already has those of a later
 * generation. An absent generation is not compared.
 */
export function withLimits(
  account: Account,
  { limitTokens, limitMicroDollars }: BudgetPolicy,
  generation: number = account.policyGeneration,
): Account {
  if (generation < account.policyGeneration) return account;
  const version = account.version + 1;
  return { ...account, limitTokens, limitMicroDollars, policyGeneration: generation, version };
}

/** Returns the sum of the reservations that are not settled yet. */
export function reservedOf(account: Account): Amount {
  return account.open.reduce((sum, entry) => plus(sum, entry.amount), NOTHING);
}

/** Returns what may be spent of a measure in the period; null without a limit. */
export function limitOf(account: Account, measure: keyof Amount): number | null {
  const base = measure === 'tokens' ? account.limitTokens : account.limitMicroDollars;
  return base === null ? null : base + account.granted[measure];
}

/** Reserves `amount`, or reports by how much it exceeds what is left. */
export function reserve(
  account: Account,
  request: { attemptId: string; amount: Amount; now: number },
): ReserveOutcome {
  if (account.open.some((entry) => entry.attemptId === request.attemptId)) {
    return { kind: 'AlreadyReserved', account };
  }
  if (account.open.length >= OPEN_RESERVATIONS_MAX) return { kind: 'TooManyOpen' };
  const details = exhaustion(account, request.amount);
  if (details !== null) return { kind: 'Exhausted', details };
  const { attemptId, amount, now: at } = request;
  const open = [...account.open, { attemptId, amount, at }];
  return { kind: 'Reserved', account: { ...account, open, version: account.version + 1 } };
}

/**
 * Settles a reservation at the actual usage; `null` means an unknown outcome and settles the full
 * reservation, since the provider may have charged it. Settling an attempt that is not open
 * changes nothing, so the call can be repeated.
 */
export function settleReservation(
  account: Account,
  attemptId: string,
  used: Amount | null,
): { readonly account: Account; readonly spent: Amount | null } {
  const entry = account.open.find((candidate) => candidate.attemptId === attemptId);
  if (entry === undefined) return { account, spent: null };
  const spent = used ?? entry.amount;
  return {
    spent,
    account: {
      ...account,
      spent: plus(account.spent, spent),
      open: account.open.filter((candidate) => candidate !== entry),
      version: account.version + 1,
    },
  };
}

/**
 * Returns the account of an attempt that was charged its full reservation, once its real usage is
 * known. The caller ensures that this happens only once.
 */
export function correctCharge(account: Account, charged: Amount, used: Amount): Account {
  const spent = {
    tokens: Math.max(0, account.spent.tokens - charged.tokens + used.tokens),
    microDollars: Math.max(
      0,
      account.spent.microDollars - charged.microDollars + used.microDollars,
    ),
  };
  return { ...account, spent, version: account.version + 1 };
}

const UNCAPPED: LargestBudget = { tokens: null, microDollars: null };

/** Adds a grant to its period, once per key, up to the largest limit of the platform. */
export function grant(
  account: Account,
  given: Grant,
  largestOf: LargestBudget = UNCAPPED,
): GrantOutcome {
  const earlier = account.grants.find(({ key }) => key === given.key);
  if (earlier !== undefined) {
    const isSame =
      earlier.amount.tokens === given.amount.tokens &&
      earlier.amount.microDollars === given.amount.microDollars;
    const kind = isSame ? 'AlreadyGranted' : 'OtherGrant';
    return { kind, account, grant: earlier };
  }
  if (account.grants.length >= GRANTS_MAX) return { kind: 'TooManyGrants' };
  for (const measure of ['tokens', 'microDollars'] as const) {
    const [limit, largest] = [limitOf(account, measure), largestOf[measure]];
    const isAbove = largest !== null && limit !== null && limit + given.amount[measure] > largest;
    if (isAbove && given.amount[measure] > 0)
      return { kind: 'AboveLargest', measure, limit, largest };
  }
  return {
    kind: 'Granted',
    grant: given,
    account: {
      ...account,
      granted: plus(account.granted, given.amount),
      grants: [...account.grants, given],
      version: account.version + 1,
    },
  };
}

export function plus(a: Amount, b: Amount): Amount {
  return { tokens: a.tokens + b.tokens, microDollars: a.microDollars + b.microDollars };
}

function exhaustion(account: Account, requested: Amount): Exhaustion | null {
  const reserved = reservedOf(account);
  for (const measure of ['tokens', 'microDollars'] as const) {
    const limit = limitOf(account, measure);
    if (limit === null) continue;
    const spent = account.spent[measure];
    if (spent + reserved[measure] + requested[measure] <= limit) continue;
    return {
      measure,
      limit,
      spent,
      reserved: reserved[measure],
      requested: requested[measure],
      periodEndsAt: periodEnd(account.period),
    };
  }
  return null;
}
