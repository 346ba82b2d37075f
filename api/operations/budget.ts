/** Operations on the budget of a tenant. */
import * as schemas from '../schemas/budget.ts';
import { operation } from './operation.ts';
import {
  limitOf,
  periodAfter,
  periodBefore,
  periodEnd,
  periodOf,
  reservedOf,
} from '#core/budget/budget-account.ts';
import { VarveError } from '#core/errors.ts';
import type { GrantOutcome } from '#core/ports/budget-account-records.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';
import type { Account, Exhaustion, Grant } from '#core/records/account.ts';
import { applyFunds, waitsForBudget } from '#core/refresh/retries-and-dead-letters.ts';
import { policyInForce, policyToWriteBy } from '#core/policy/policy-in-force.ts';
import { changeScopes, chosenScopes } from '#memory/change-many-scopes.ts';
import type { ApiPorts } from '../api-ports.ts';
import type { Principal } from '../principal.ts';
import { requestTenantRefresh } from '../request-tenant-refresh.ts';

const ACCOUNT: schemas.BudgetAnswer = {
  tenant: 'acme',
  period: '2026-11',
  periodEndsAt: 1_796_083_200_000,
  onExhausted: 'Reject',
  tokens: { limit: 1_000_000, granted: 0, spent: 41_200, reserved: 0, left: 958_800 },
  microDollars: { limit: null, granted: 0, spent: 120_000, reserved: 0, left: null },
  callsUnderWay: 0,
  grants: [],
  waitingScopes: 0,
  exhaustion: null,
};

export const budget = {
  get: operation({
    name: 'budget.get',
    kind: 'query',
    summary: 'Returns what a tenant may spend in a month, what it has spent, and what is reserved.',
    input: schemas.GetBudget,
    output: schemas.BudgetAnswer,
    example: { input: { tenant: 'acme' }, output: ACCOUNT },
    role: 'operate',
    commands: ['budget show'],
    run: getBudget,
  }),
  grant: operation({
    name: 'budget.grant',
    kind: 'mutation',
    summary: 'Adds to the limits of one month; scopes that waited for budget are due at once.',
    input: schemas.GrantBudget,
    output: schemas.GrantAnswer,
    example: {
      input: { tenant: 'acme', tokens: 500_000, reason: 'The import of November.', key: 'nov-1' },
      output: {
        ...ACCOUNT,
        tokens: {
          limit: 1_500_000,
          granted: 500_000,
          spent: 41_200,
          reserved: 0,
          left: 1_458_800,
        },
        grants: [
          {
            id: '019aa5c2-7c1e-7b52-9f0e-0000000000aa',
            key: 'nov-1',
            amount: { tokens: 500_000, microDollars: 0 },
            principal: 'local',
            reason: 'The import of November.',
            at: 1_795_273_200_000,
          },
        ],
        added: true,
        freedScopes: 0,
      },
    },
    role: 'admin',
    errors: ['CONFLICT'],
    commands: ['budget grant'],
    /**
     * A grant counts once per key. If no period is named, a key counts once for the previous, the
     * current and the next period together. The next call with the key finishes one that crashed.
     */
    async run(ports, principal, asked) {
      const { store, platform } = ports;
      const { tenant, reason, tokens, microDollars } = asked;
      if (tokens + microDollars === 0) {
        throw new VarveError('INVALID_INPUT', 'Give `tokens`, `microDollars` or both, above 0.');
      }
      const now = platform.clock();
      const { budget, largestBudget } = await policyToWriteBy(store.policies, tenant);
      const period =
        asked.period === undefined
          ? await periodOfGrant(ports, { tenant, key: asked.key, budget }, now)
          : grantablePeriod(asked.period, now);
      const id = platform.newId();
      const amount = { tokens, microDollars };
      const by = { principal: principal.name, reason, at: now };
      const given: Grant = { id, key: asked.key ?? id, amount, ...by };
      const outcome = await store.accounts.grant(
        { tenant, period, budget, ...(largestBudget && { largest: largestBudget }) },
        given,
      );
      if (outcome.kind === 'AboveLargest') throw aboveLargest(outcome);
      if (outcome.kind === 'OtherGrant' || outcome.kind === 'TooManyGrants') throw refusal(outcome);
      await store.events.append(grantedEvent(tenant, period, outcome.grant));
      const current = await store.accounts.get(tenant, periodOf(now), budget);
      const freedScopes = await changeScopes(ports, { tenant }, (record) =>
        applyFunds(record, current),
      );
      await requestTenantRefresh(ports, tenant);
      const account = await describe(ports, outcome.account, budget);
      return { ...account, added: outcome.kind === 'Granted', freedScopes };
    },
  }),
};

/**
 * Returns the budget of one period and what was used.
 * @throws VarveError INVALID_INPUT, FORBIDDEN for a principal that is bound to identifiers
 */
export async function getBudget(
  ports: ApiPorts,
  principal: Principal,
  { tenant, period: asked }: schemas.GetBudget,
): Promise<schemas.BudgetAnswer> {
  const { store, platform } = ports;
  const period = asked ?? periodOf(platform.clock());
  const { budget } = await policyInForce(store.policies, tenant);
  return describe(ports, await store.accounts.get(tenant, period, budget), budget);
}

/**
 * Returns the current period, unless the key already granted in the previous or the next one: a
 * call repeated across the turn of a month must not grant in both.
 */
async function periodOfGrant(
  { store }: ApiPorts,
  { tenant, key, budget }: { tenant: string; key: string | undefined; budget: BudgetPolicy },
  now: number,
): Promise<string> {
  const current = periodOf(now);
  if (key === undefined) return current;
  for (const period of [periodBefore(current), periodAfter(current)]) {
    const { grants } = await store.accounts.get(tenant, period, budget);
    if (grants.some((each) => each.key === key)) return period;
  }
  return current;
}

/** A past period can't be spent, and limits of periods after the next may still change. */
function grantablePeriod(asked: string, now: number): string {
  const current = periodOf(now);
  const next = periodAfter(current);
  if (asked === current || asked === next) return asked;
  throw new VarveError(
    'INVALID_INPUT',
    `A grant is for ${current} or for ${next}, not for ${asked}.`,
  );
}

function aboveLargest(
  outcome: Extract<GrantOutcome, { readonly kind: 'AboveLargest' }>,
): VarveError {
  const { kind: _, ...details } = outcome;
  const left = String(Math.max(0, outcome.largest - outcome.limit));
  const message =
    `The largest budget of this platform leaves room to grant ${left} ${outcome.measure}. ` +
    'The platform administrator can raise it (platformLimits of the chart).';
  return new VarveError('FORBIDDEN', message, { details });
}

function refusal({ kind }: { kind: 'OtherGrant' | 'TooManyGrants' }): VarveError {
  return kind === 'OtherGrant'
    ? new VarveError('CONFLICT', 'This key granted another amount; use a new key.', {
        isSettled: true,
      })
    : new VarveError(
        'CONFLICT',
        'The month has too many grants. Raise the limit in the policy instead.',
      );
}

function grantedEvent(tenant: string, period: string, grant: Grant) {
  const { id, at, amount, principal } = grant;
  const attributes = { period, principal, ...amount };
  return { tenant, id, at, type: 'memory_budget_granted' as const, attributes };
}

async function describe(
  ports: ApiPorts,
  account: Account,
  { onExhausted }: BudgetPolicy,
): Promise<schemas.BudgetAnswer> {
  const { tenant, period, grants, open } = account;
  let waitingScopes = 0;
  let lacking: Exhaustion | null = null;
  for await (const record of chosenScopes(ports, { tenant })) {
    if (!waitsForBudget(record)) continue;
    waitingScopes += 1;
    lacking = record.hold?.exhaustion ?? null;
  }
  return {
    tenant,
    period,
    periodEndsAt: periodEnd(period),
    onExhausted,
    tokens: measureOf(account, 'tokens'),
    microDollars: measureOf(account, 'microDollars'),
    callsUnderWay: open.length,
    grants,
    waitingScopes,
    exhaustion: lacking,
  };
}

function measureOf(account: Account, measure: 'tokens' | 'microDollars'): schemas.BudgetMeasure {
  const limit = limitOf(account, measure);
  const granted = account.granted[measure];
  const spent = account.spent[measure];
  const reserved = reservedOf(account)[measure];
  const left = limit === null ? null : Math.max(0, limit - spent - reserved);
  return { limit, granted, spent, reserved, left };
}
