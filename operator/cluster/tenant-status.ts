/** The status of a MemoryTenant: pure, from its view. Unknown fields are left out. */
import type { PolicyRecord } from '#core/records/policy-record.ts';
import { limitOf } from '#core/budget/budget.ts';
import type { Account } from '#core/records/account.ts';
import type { Condition, MemoryTenantStatus } from '#crds/status.ts';
import { conditionsOf, timeText } from '../tenant/conditions.ts';
import type { TenantFacts } from './tenant-facts.ts';
import { tenantConditions, type TenantView } from './tenant-conditions.ts';

export interface StatusMoment {
  readonly generation: number;
  readonly now: number;
  readonly before: readonly Condition[];
}

/** @param record of the tenant, where it is this resource's */
export function tenantStatus(
  view: TenantView,
  record: Pick<PolicyRecord, 'generation' | 'hash'> | null,
  { generation, now, before }: StatusMoment,
): MemoryTenantStatus & { readonly conditions: readonly Condition[] } {
  const conditions = conditionsOf(tenantConditions(view), before, { generation, now });
  return {
    observedGeneration: generation,
    conditions,
    tenantId: view.tenant,
    ...(record === null ? {} : { policy: { generation: record.generation, hash: record.hash } }),
    ...(view.facts === null ? {} : factFields(view.facts)),
  };
}

function factFields(facts: TenantFacts): Omit<MemoryTenantStatus, 'conditions' | 'tenantId'> {
  const { fresh, stale, account, lastRefreshAt, nextRefreshAt, lastError } = facts;
  return {
    freshness: { fresh, stale, summary: freshnessText(facts) },
    budget: {
      period: account.period,
      usedTokens: account.spent.tokens,
      usedDollars: cents(account.spent.microDollars),
      summary: budgetText(account),
    },
    ...(lastRefreshAt === null ? {} : { lastRefreshTime: timeText(lastRefreshAt) }),
    ...(nextRefreshAt === null ? {} : { nextRefreshTime: timeText(nextRefreshAt) }),
    ...(lastError === null ? {} : { lastError }),
  };
}

/** `12/14`; a `+` says that there are more, which were not counted yet. */
function freshnessText({ fresh, stale, isComplete }: TenantFacts): string {
  return `${String(fresh)}/${String(fresh + stale)}${isComplete ? '' : '+'}`;
}

/** `$3.20 of $25.00, 12000 of 500000 tokens`: whatever is limited, since either may end first. */
function budgetText(account: Account): string {
  const [dollars, tokens] = [limitOf(account, 'microDollars'), limitOf(account, 'tokens')];
  const { spent } = account;
  const parts = [
    ...(dollars === null ? [] : [`$${cents(spent.microDollars)} of $${cents(dollars)}`]),
    ...(tokens === null ? [] : [`${spent.tokens} of ${tokens} tokens`]),
  ];
  return parts.length === 0 ? `$${cents(spent.microDollars)}, no limit` : parts.join(', ');
}

const MICRO_DOLLARS_PER_CENT = 10_000;
const MICRO_DOLLARS_PER_DOLLAR = 1_000_000;

/** To the cent, half a cent up: what a person reads, and no accounting. */
function cents(microDollars: number): string {
  const whole = Math.round(microDollars / MICRO_DOLLARS_PER_CENT);
  return ((whole * MICRO_DOLLARS_PER_CENT) / MICRO_DOLLARS_PER_DOLLAR).toFixed(2);
}
