/** The suite of `AccountRecords`: the limit holds, and the ledger says why. */
import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import { openAccount, periodEnd, reservedOf } from '#core/budget.ts';
import type { BudgetPolicy } from '#core/policy.ts';
import type { Store } from '#core/ports/store.ts';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { HOUR_MS, NOW } from './samples.ts';

const PERIOD = '2026-11';
const BUDGET: BudgetPolicy = {
  limitTokens: 100,
  limitMicroDollars: null,
  onExhausted: 'Reject',
};
const PROPERTY_RUNS = 40;

export function accountSuite(open: Open): void {
  describe('accounts: reservations', () => {
    reservationSuite(open);
  });
  describe('accounts: settlements', () => {
    settlementSuite(open);
  });
  describe('accounts: limits under any order', () => {
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

  it('SUM-15: an account opens with the limits of the policy', async () => {
    const { store, tenant } = fixture();
    const account = await store.accounts.get(tenant, PERIOD, BUDGET);
    expect(account).toEqual(openAccount(tenant, PERIOD, BUDGET));
  });

  it('SUM-15: a reserve past the limit is refused with what is missing', async () => {
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

  it('TMP-02: the same attempt reserves once, in whatever month it is repeated', async () => {
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

  it('STORE-29: limits change alone, and reservations are measured by the new ones', async () => {
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

  it('SUM-15: settling spends what was used and frees the rest, once', async () => {
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
    ['an unknown outcome at the full reserve', 'UnknownOutcome', 60],
    ['an attempt that was not charged at nothing', 'NotCharged', 0],
  ] as const)('SUM-15: settles %s', async (_, outcome, spent) => {
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

  it('STORE-30: an attempt that never reserved settles nothing', async () => {
    const { store, tenant } = fixture();
    await store.accounts.settle({ tenant, attemptId: 'x' }, tokensOf(5), REAL_USAGE);
    const account = await store.accounts.get(tenant, PERIOD, BUDGET);
    expect(account.spent.tokens).toBe(0);
    expect(await store.accounts.entries(tenant, { limit: 10 })).toEqual([]);
  });

  it('STORE-31: a settled attempt is not reserved anew', async () => {
    const { store, tenant } = fixture();
    await store.accounts.reserve(requestOf(tenant, 'a', 60));
    await store.accounts.settle({ tenant, attemptId: 'a' }, tokensOf(1), REAL_USAGE);
    const again = store.accounts.reserve(requestOf(tenant, 'a', 60));
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('STORE-32: entries are the newest first, of a batch where one is named', async () => {
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

interface Step {
  readonly attempt: number;
  /** Share of the reserve that was used, in percent. */
  readonly used: number;
  readonly kind: 'reserve' | 'settle' | 'lose';
}

const step: fc.Arbitrary<Step> = fc.record({
  attempt: fc.integer({ min: 0, max: 7 }),
  used: fc.integer({ min: 0, max: 100 }),
  kind: fc.constantFrom('reserve', 'settle', 'lose'),
});

async function runSteps(store: Store, tenant: string, steps: readonly Step[]): Promise<void> {
  const limit = BUDGET.limitTokens ?? 0;
  const settled = new Set<string>();
  for (const { attempt, used, kind } of steps) {
    const attemptId = `attempt-${attempt}`;
    const tokens = 10 + 7 * attempt;
    if (kind !== 'reserve') {
      const amount = kind === 'lose' ? null : tokensOf(Math.floor((tokens * used) / 100));
      await store.accounts.settle({ tenant, attemptId }, amount, REAL_USAGE);
      settled.add(attemptId);
    } else if (!settled.has(attemptId)) {
      await store.accounts.reserve(requestOf(tenant, attemptId, tokens));
    }
    const account = await store.accounts.get(tenant, PERIOD, BUDGET);
    expect(account.spent.tokens + reservedOf(account).tokens).toBeLessThanOrEqual(limit);
  }
}

function propertySuite(open: Open): void {
  const fixture = sharedStore(open);

  it('SUM-15: no order of reserving, settling and repeating passes the limit', async () => {
    const { store } = fixture();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 24 }), async (steps) => {
        const tenant = newTenant();
        await runSteps(store, tenant, steps);
        const account = await store.accounts.get(tenant, PERIOD, BUDGET);
        const entries = await store.accounts.entries(tenant, { limit: 100 });
        const spent = entries.reduce((sum, entry) => sum + entry.spent.tokens, 0);
        const open = entries.filter(({ state }) => state === 'Reserved');
        expect(account.spent.tokens).toBe(spent);
        expect(account.open.map(({ attemptId }) => attemptId).toSorted()).toEqual(
          open.map(({ attemptId }) => attemptId).toSorted(),
        );
      }),
      { numRuns: PROPERTY_RUNS },
    );
  });
}
