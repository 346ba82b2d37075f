/** Two accounts claim one attempt at the turn of a month: the first one gets it. */
import { expect, it } from 'vitest';

import { reservedOf } from '#core/budget/budget-account.ts';
import type { Store } from '#core/ports/store.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { newTenant } from './adapter.ts';
import { dyingAfter, interrupting } from './mongodb-faults.ts';
import { mongodbFixture } from './mongodb-fixture.ts';
import { NOW } from './samples.ts';

const BUDGET = { limitTokens: 100, limitMicroDollars: null, onExhausted: 'Reject' } as const;
const AMOUNT = { tokens: 60, microDollars: 0 };
/** In the month after that of `NOW`. */
const LATER = Date.UTC(2026, 11, 1);
const PERIODS = ['2026-11', '2026-12'];
const ATTEMPT = 'b/1';

const { open } = mongodbFixture();

const reserveAt = (store: Store, tenant: string, now: number) => {
  const whole = { tenant, batchId: 'b', purpose: 'summary', model: 'm' } as const;
  const attempt = { ...whole, attemptId: ATTEMPT };
  return store.accounts.reserve({ attempt, amount: AMOUNT, budget: BUDGET, now });
};

/** One account has it, and nothing stays of it once the attempt is settled. */
async function expectOne(store: Store, tenant: string): Promise<void> {
  const reserved = async () => {
    const accounts = PERIODS.map((period) => store.accounts.get(tenant, period, BUDGET));
    return (await Promise.all(accounts)).map((account) => reservedOf(account).tokens);
  };
  expect((await reserved()).toSorted((a, b) => a - b)).toEqual([0, AMOUNT.tokens]);
  const settlement = { outcome: 'Usage', now: LATER } as const;
  await store.accounts.settle({ tenant, attemptId: ATTEMPT }, AMOUNT, settlement);
  expect(await reserved()).toEqual([0, 0]);
}

describeUnless(await missingForMongodb())('an attempt reserved in two months at once', () => {
  it.each(['ledger.claim', 'accounts.commit', 'ledger.apply'])(
    'is reserved in one month if another try comes before its %s',
    async (command) => {
      const tenant = newTenant();
      await using faster = await open();
      const ends: PromiseSettledResult<unknown>[] = [];
      const faults = interrupting(command, 1, async () => {
        ends.push(...(await Promise.allSettled([reserveAt(faster, tenant, LATER)])));
      });
      await using slow = await open({ faults });
      ends.push(...(await Promise.allSettled([reserveAt(slow, tenant, NOW)])));
      expect(ends.some(({ status }) => status === 'fulfilled')).toBe(true);
      await expectOne(slow, tenant);
    },
  );

  it('is reserved if a try crashed after its commit and before its application', async () => {
    const tenant = newTenant();
    await using dying = await open({ faults: dyingAfter('accounts.commit') });
    await expect(reserveAt(dying, tenant, NOW)).rejects.toThrow('died');
    await using store = await open();
    expect(await reserveAt(store, tenant, LATER)).toEqual({ kind: 'Reserved' });
    await expectOne(store, tenant);
  });

  it('is refused in the other month after a try that crashed before its commit', async () => {
    const tenant = newTenant();
    await using dying = await open({ faults: dyingAfter('ledger.claim') });
    await expect(reserveAt(dying, tenant, NOW)).rejects.toThrow('died');
    await using store = await open();
    await expect(reserveAt(store, tenant, LATER)).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await reserveAt(store, tenant, NOW)).toEqual({ kind: 'Reserved' });
    await expectOne(store, tenant);
  });
});
