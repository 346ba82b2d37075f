/** The suite of `AccountRecords`: the limit holds, and the ledger says why. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import {
  openAccount,
  periodAfter,
  periodBefore,
  periodEnd,
  periodStart,
  reservedOf,
} from '#core/budget/budget-account.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { budgetStep, runBudget } from './budget-model.ts';
import { HOUR_MS, NOW } from './samples.ts';

const PERIOD = '2026-11';
const BUDGET: BudgetPolicy = {
  limitTokens: 100,
  limitMicroDollars: null,
  onExhausted: 'Reject',
};
const PROPERTY_RUNS = 40;
/** A server answers each of some thousand calls in a millisecond or two. */
const PROPERTY_MS_MAX = 180_000;

export function accountSuite(open: Open): void {
  describe('accounts: reservations', () => {
    reservationSuite(open);
  });
  describe('accounts: settlements', () => {
    settlementSuite(open);
  });
  describe('accounts: grants', () => {
    grantSuite(open);
  });
  describe('accounts: unsettled attempts', () => {
    unsettledSuite(open);
  });
  describe('accounts: usage by purpose', () => {
    purposeSuite(open);
    monthSuite(open);
  });
  describe('accounts: limits under random steps', () => {
    propertySuite(open);
  });
}

function requestOf(tenant: string, attemptId: string, tokens: number) {
  const attempt = {
    tenant,
    attemptId,
    batchId: 'batch-1',
    purpose: 'summary',
    model: 'small',
  } as const;
  return { attempt, amount: { tokens, microDollars: 0 }, budget: BUDGET, now: NOW };
}

function tokensOf(tokens: number) {
  return { tokens, microDollars: 0 };
}

const REAL_USAGE = { outcome: 'Usage', now: NOW + HOUR_MS } as const;

function reservationSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('an account opens with the limits of the policy', async () => {
    const { store, tenant } = fixture();
    const account = await store.accounts.get(tenant, PERIOD, BUDGET);
    expect(account).toEqual(openAccount(tenant, PERIOD, BUDGET));
  });

  it('SUM-15: a reservation past the limit is refused with the state of the budget', async () => {
    const { store, tenant } = fixture();
    const first = await store.accounts.reserve(requestOf(tenant, 'a', 60));
    expect(first).toEqual({ kind: 'Reserved' });
    const second = await store.accounts.reserve(requestOf(tenant, 'b', 41));
    expect(second).toEqual({
      kind: 'Exhausted',
      details: {
        measure: 'tokens',
        limit: 100,
        spent: 0,
        reserved: 60,
        requested: 41,
        periodEndsAt: periodEnd(PERIOD),
      },
    });
    expect(await store.accounts.entries(tenant, { limit: 10 })).toHaveLength(1);
    expect(await store.accounts.reserve(requestOf(tenant, 'c', 40))).toEqual({ kind: 'Reserved' });
  });

  it('a repeated attempt reserves once, even in the next month', async () => {
    const { store, tenant } = fixture();
    const request = requestOf(tenant, 'a', 60);
    await store.accounts.reserve(request);
    const nextMonth = { ...request, now: periodEnd(PERIOD) };
    expect(await store.accounts.reserve(request)).toEqual({ kind: 'Reserved' });
    expect(await store.accounts.reserve(nextMonth)).toEqual({ kind: 'Reserved' });
    const account = await store.accounts.get(tenant, PERIOD, BUDGET);
    expect(reservedOf(account).tokens).toBe(60);
    const next = await store.accounts.get(tenant, '2026-12', BUDGET);
    expect(reservedOf(next).tokens).toBe(0);
  });

  it('STORE-29: new limits keep open reservations and apply to later ones', async () => {
    const { store, tenant } = fixture();
    await store.accounts.reserve(requestOf(tenant, 'a', 60));
    await store.accounts.setLimits(tenant, PERIOD, { ...BUDGET, limitTokens: 70 });
    const account = await store.accounts.get(tenant, PERIOD, BUDGET);
    expect(account).toMatchObject({ limitTokens: 70, open: [{ attemptId: 'a' }] });
    const result = await store.accounts.reserve(requestOf(tenant, 'b', 11));
    expect(result.kind).toBe('Exhausted');
  });
}

function settlementSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a settlement charges the actual usage and frees the rest, once', async () => {
    const { store, tenant } = fixture();
    const attempt = { tenant, attemptId: 'a' };
    await store.accounts.reserve(requestOf(tenant, 'a', 60));
    await store.accounts.settle(attempt, tokensOf(20), REAL_USAGE);
    await store.accounts.settle(attempt, tokensOf(35), REAL_USAGE);
    const account = await store.accounts.get(tenant, PERIOD, BUDGET);
    expect(account).toMatchObject({ spent: { tokens: 20 }, open: [] });
    expect(await store.accounts.entries(tenant, { limit: 10 })).toEqual([
      {
        ...requestOf(tenant, 'a', 60).attempt,
        period: PERIOD,
        state: 'Settled',
        outcome: 'Usage',
        reserved: tokensOf(60),
        spent: tokensOf(20),
        reservedAt: NOW,
        settledAt: NOW + HOUR_MS,
      },
    ]);
  });

  it.each([
    ['an unknown outcome at the full reservation', 'UnknownOutcome', 60],
    ['an uncharged attempt at zero', 'NotCharged', 0],
  ] as const)('settles %s', async (_, outcome, spent) => {
    const [used, state] =
      outcome === 'NotCharged' ? [tokensOf(0), 'Released'] : ([null, 'Settled'] as const);
    const { store, tenant } = fixture();
    await store.accounts.reserve(requestOf(tenant, 'a', 60));
    await store.accounts.settle({ tenant, attemptId: 'a' }, used, { outcome, now: NOW });
    const [entry] = await store.accounts.entries(tenant, { limit: 10 });
    expect(entry).toMatchObject({ state, outcome, spent: { tokens: spent } });
    const account = await store.accounts.get(tenant, PERIOD, BUDGET);
    expect(account.spent.tokens).toBe(spent);
  });

  it('a later settlement corrects an unknown outcome once, and never a known usage', async () => {
    const { store, tenant } = fixture();
    const attempt = { tenant, attemptId: 'a' };
    await store.accounts.reserve(requestOf(tenant, 'a', 60));
    await store.accounts.settle(attempt, null, { outcome: 'UnknownOutcome', now: NOW });
    for (const used of [25, 40]) {
      await store.accounts.settle(attempt, tokensOf(used), REAL_USAGE);
      const account = await store.accounts.get(tenant, PERIOD, BUDGET);
      expect(account).toMatchObject({ spent: { tokens: 25 }, open: [] });
    }
    await store.accounts.settle(attempt, null, { outcome: 'UnknownOutcome', now: NOW });
    const [entry] = await store.accounts.entries(tenant, { limit: 10 });
    const spent = tokensOf(25);
    expect(entry).toMatchObject({ state: 'Settled', outcome: 'Usage', spent });
  });

  it('STORE-30: settling an attempt without a reservation changes nothing', async () => {
    const { store, tenant } = fixture();
    await store.accounts.settle({ tenant, attemptId: 'x' }, tokensOf(5), REAL_USAGE);
    const account = await store.accounts.get(tenant, PERIOD, BUDGET);
    expect(account.spent.tokens).toBe(0);
    expect(await store.accounts.entries(tenant, { limit: 10 })).toEqual([]);
  });

  it('STORE-31: a settled attempt cannot be reserved again', async () => {
    const { store, tenant } = fixture();
    await store.accounts.reserve(requestOf(tenant, 'a', 60));
    await store.accounts.settle({ tenant, attemptId: 'a' }, tokensOf(1), REAL_USAGE);
    const again = store.accounts.reserve(requestOf(tenant, 'a', 60));
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('STORE-32: entries are listed newest first, and can be limited to a batch', async () => {
    const { store, tenant } = fixture();
    for (const [at, attemptId] of ['a', 'b', 'c'].entries()) {
      const request = { ...requestOf(tenant, attemptId, 1), now: NOW + at };
      const batchId = attemptId === 'b' ? 'batch-2' : 'batch-1';
      await store.accounts.reserve({ ...request, attempt: { ...request.attempt, batchId } });
    }
    const ids = async (by: { batchId?: string; limit: number }) =>
      (await store.accounts.entries(tenant, by)).map(({ attemptId }) => attemptId);
    expect(await ids({ limit: 2 })).toEqual(['c', 'b']);
    expect(await ids({ batchId: 'batch-1', limit: 10 })).toEqual(['c', 'a']);
  });
}

function grantSuite(open: Open): void {
  const fixture = sharedStore(open);
  const grant = {
    id: 'grant-1',
    key: 'key-1',
    amount: tokensOf(50),
    principal: 'tester',
    reason: 'A launch.',
    at: NOW,
  };

  it('a grant raises the limit of its period only, and records who, when, and why', async () => {
    const { store, tenant } = fixture();
    await store.accounts.reserve(requestOf(tenant, 'a', 60));
    const place = { tenant, period: PERIOD, budget: BUDGET };
    expect(await store.accounts.grant(place, grant)).toMatchObject({ kind: 'Granted', grant });
    const account = await store.accounts.get(tenant, PERIOD, BUDGET);
    expect(account).toMatchObject({ limitTokens: 100, granted: tokensOf(50), grants: [grant] });
    expect(await store.accounts.reserve(requestOf(tenant, 'b', 90))).toEqual({ kind: 'Reserved' });
    const next = await store.accounts.get(tenant, '2026-12', BUDGET);
    expect(next).toMatchObject({ granted: tokensOf(0), grants: [] });
  });

  it('a grant key applies once, and a different amount under it is refused', async () => {
    const { store, tenant } = fixture();
    const place = { tenant, period: PERIOD, budget: BUDGET };
    await store.accounts.grant(place, grant);
    const again = { ...grant, id: 'grant-2', at: NOW + 1 };
    const repeated = await store.accounts.grant(place, again);
    expect(repeated).toMatchObject({ kind: 'AlreadyGranted', grant });
    const other = await store.accounts.grant(place, { ...again, amount: tokensOf(51) });
    expect(other).toMatchObject({ kind: 'OtherGrant', grant });
    const account = await store.accounts.get(tenant, PERIOD, BUDGET);
    expect(account).toMatchObject({ granted: tokensOf(50), grants: [grant] });
  });
}

function unsettledSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('unsettled attempts of every tenant are found, oldest first', async () => {
    const { store, tenant } = fixture();
    const other = newTenant();
    const past = -HOUR_MS * 1_000;
    for (const [of, attemptId, at] of [
      [tenant, 'b', past + 2],
      [other, 'a', past + 1],
      [tenant, 'settled', past],
      [tenant, 'young', past + 9],
    ] as const) {
      await store.accounts.reserve({ ...requestOf(of, attemptId, 1), now: NOW + at });
    }
    await store.accounts.settle({ tenant, attemptId: 'settled' }, null, REAL_USAGE);
    const before = NOW + past + 2;
    const found = await store.accounts.unsettled({ before, limit: 10 });
    expect(found.map(({ tenant: of, attemptId }) => [of, attemptId])).toEqual([
      [other, 'a'],
      [tenant, 'b'],
    ]);
    expect(await store.accounts.unsettled({ before, limit: 1 })).toHaveLength(1);
  });
}

function purposeSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('the usage of a purpose counts spent and reserved amounts of its period only', async () => {
    const { store, tenant } = fixture();
    const used = (purpose: 'summary' | 'variant', period = PERIOD) =>
      store.accounts.used(tenant, { period, purpose });
    expect(await used('variant')).toEqual(tokensOf(0));
    for (const [attemptId, tokens] of [
      ['a', 10],
      ['b', 20],
      ['c', 40],
    ] as const) {
      const request = requestOf(tenant, attemptId, tokens);
      const purpose = attemptId === 'c' ? 'summary' : 'variant';
      await store.accounts.reserve({ ...request, attempt: { ...request.attempt, purpose } });
    }
    expect(await used('variant')).toEqual(tokensOf(30));
    const spent = { tokens: 4, microDollars: 7 };
    await store.accounts.settle({ tenant, attemptId: 'a' }, spent, REAL_USAGE);
    expect(await used('variant')).toEqual({ tokens: 24, microDollars: 7 });
    expect(await used('summary')).toEqual(tokensOf(40));
    expect(await used('variant', '2026-12')).toEqual(tokensOf(0));
    const other = { period: PERIOD, purpose: 'variant' } as const;
    expect(await store.accounts.used(newTenant(), other)).toEqual(tokensOf(0));
  });
}

function monthSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a reservation counts in the month in which it is made', async () => {
    const { store, tenant } = fixture();
    const turns = [
      ['before', periodStart(PERIOD) - 1, 1],
      ['first', periodStart(PERIOD), 2],
      ['last', periodEnd(PERIOD) - 1, 4],
      ['after', periodEnd(PERIOD), 8],
    ] as const;
    for (const [attemptId, now, tokens] of turns) {
      await store.accounts.reserve({ ...requestOf(tenant, attemptId, tokens), now });
    }
    const used = (period: string) => store.accounts.used(tenant, { period, purpose: 'summary' });
    expect(await used(periodBefore(PERIOD))).toEqual(tokensOf(1));
    expect(await used(PERIOD)).toEqual(tokensOf(6));
    expect(await used(periodAfter(PERIOD))).toEqual(tokensOf(8));
  });
}

function propertySuite(open: Open): void {
  const fixture = sharedStore(open);

  it(
    'after random steps, the limit holds and every reservation ends',
    async () => {
      const { store } = fixture();
      await fc.assert(
        fc.asyncProperty(fc.array(budgetStep, { maxLength: 30 }), async (steps) => {
          await runBudget(store.accounts, newTenant(), steps);
        }),
        { numRuns: PROPERTY_RUNS },
      );
    },
    PROPERTY_MS_MAX,
  );
}
