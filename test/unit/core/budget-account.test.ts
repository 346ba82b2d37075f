import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  correctCharge,
  grant,
  limitOf,
  openAccount,
  periodAfter,
  periodBefore,
  periodEnd,
  periodOf,
  periodStart,
  reserve,
  reservedOf,
  settleReservation,
  withLimits,
} from '#core/budget/budget-account.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';
import {
  GRANTS_MAX,
  NOTHING,
  OPEN_RESERVATIONS_MAX,
  type Account,
  type Amount,
  type Grant,
} from '#core/records/account.ts';
import { NOW } from '#test/conformance/samples.ts';

const BUDGET: BudgetPolicy = { limitTokens: 100, limitMicroDollars: 50, onExhausted: 'Reject' };
const ACCOUNT = openAccount('acme', '2026-11', BUDGET);

const amountOf = (tokens: number, microDollars = 0): Amount => ({ tokens, microDollars });

function withLimit(account: Account, limitTokens: number): Account {
  return { ...account, limitTokens };
}

function reserved(account: Account, attemptId: string, amount: Amount): Account {
  const outcome = reserve(account, { attemptId, amount, now: NOW });
  if (outcome.kind !== 'Reserved') throw new Error(`It is ${outcome.kind}.`);
  return outcome.account;
}

describe('budget', () => {
  test('a reservation that does not fit is refused, and the outcome lists all amounts', () => {
    const account = settleReservation(
      reserved(ACCOUNT, 'a', amountOf(60)),
      'a',
      amountOf(55),
    ).account;
    const busy = reserved(account, 'b', amountOf(30));
    const outcome = reserve(busy, { attemptId: 'c', amount: amountOf(16), now: NOW });
    expect(outcome).toEqual({
      kind: 'Exhausted',
      details: {
        measure: 'tokens',
        limit: 100,
        spent: 55,
        reserved: 30,
        requested: 16,
        periodEndsAt: Date.UTC(2026, 11, 1),
      },
    });
    expect(reserve(busy, { attemptId: 'c', amount: amountOf(15), now: NOW }).kind).toBe('Reserved');
  });

  test('each measure has its own limit, and null means no limit', () => {
    const dollars = reserve(ACCOUNT, { attemptId: 'a', amount: amountOf(1, 51), now: NOW });
    expect(dollars).toMatchObject({ kind: 'Exhausted', details: { measure: 'microDollars' } });
    const free = openAccount('acme', '2026-11', { ...BUDGET, limitTokens: null });
    const huge = { attemptId: 'a', amount: amountOf(Number.MAX_SAFE_INTEGER, 50), now: NOW };
    expect(reserve(free, huge).kind).toBe('Reserved');
  });

  test('a grant adds to the limit of its period', () => {
    const granted = { ...ACCOUNT, granted: amountOf(5) };
    const ask = (tokens: number) => ({ attemptId: 'a', amount: amountOf(tokens), now: NOW });
    expect(reserve(granted, ask(105)).kind).toBe('Reserved');
    expect(reserve(granted, ask(106))).toMatchObject({ details: { limit: 105 } });
  });

  const grantOf = (key: string, tokens: number): Grant => {
    const by = { principal: 'local', reason: 'The launch.', at: NOW };
    return { id: `grant of ${key}`, key, amount: amountOf(tokens), ...by };
  };

  test('a grant counts once per key, and records who gave it and why', () => {
    const first = grant(ACCOUNT, grantOf('a', 5));
    const granted = { granted: amountOf(5), grants: [grantOf('a', 5)], version: 1 };
    expect(first).toMatchObject({ kind: 'Granted', account: granted });
    const { account } = 'account' in first ? first : { account: ACCOUNT };
    const again = grant(account, { ...grantOf('a', 5), id: 'another', at: NOW + 1 });
    expect(again).toEqual({ kind: 'AlreadyGranted', account, grant: grantOf('a', 5) });
    expect(grant(account, grantOf('a', 6))).toMatchObject({ kind: 'OtherGrant', account });
    expect(grant(account, grantOf('b', 6))).toMatchObject({
      account: { granted: amountOf(11), version: 2 },
    });
  });

  test('an account has a bounded number of grants', () => {
    const grants = Array.from({ length: GRANTS_MAX }, (_, n) => grantOf(String(n), 1));
    const outcome = grant({ ...ACCOUNT, grants }, grantOf('one more', 1));
    expect(outcome).toEqual({ kind: 'TooManyGrants' });
  });

  test.each<[string, number | null, number | null, number, string]>([
    ['up to the largest budget', 100, 110, 10, 'Granted'],
    ['past the largest budget', 100, 110, 11, 'AboveLargest'],
    ['if the platform sets no largest budget', 100, null, 1_000, 'Granted'],
    ['if the tenant has no limit', null, 110, 1_000, 'Granted'],
    ['of nothing, if an earlier limit exceeds the largest', 100, 90, 0, 'Granted'],
    ['if an earlier limit exceeds the largest', 100, 90, 1, 'AboveLargest'],
  ])('a grant %s (limit %s, largest %s, %d tokens) is %s', (_, limit, tokens, given, kind) => {
    const account = openAccount('acme', '2026-11', { ...BUDGET, limitTokens: limit });
    const outcome = grant(account, grantOf('a', given), { tokens, microDollars: null });
    expect(outcome.kind).toBe(kind);
    if (kind === 'AboveLargest') {
      expect(outcome).toEqual({ kind, measure: 'tokens', limit, largest: tokens });
    }
  });

  test('earlier grants count toward the largest budget, for money as for tokens', () => {
    const granted = { ...ACCOUNT, granted: amountOf(5, 5) };
    const given = { ...grantOf('b', 0), amount: amountOf(0, 6) };
    expect(grant(granted, given, { tokens: null, microDollars: 60 })).toEqual({
      kind: 'AboveLargest',
      measure: 'microDollars',
      limit: 55,
      largest: 60,
    });
  });

  test('a grant with the same key and tokens but other money is another grant', () => {
    const first = { ...grantOf('a', 5), amount: amountOf(5, 1) };
    const account = { ...ACCOUNT, grants: [grantOf('z', 5), first] };
    expect(grant(account, first)).toMatchObject({ kind: 'AlreadyGranted', grant: first });
    expect(grant(account, { ...first, amount: amountOf(5, 2) }).kind).toBe('OtherGrant');
  });

  test.each([
    ['a later policy sets', 4, 7, 4],
    ['the same policy sets again', 3, 7, 3],
    ['a caller without a generation sets', undefined, 7, 3],
    ['an earlier policy tries to set', 2, 100, 3],
  ])('limits that %s (generation %s) are %d', (_, generation, limitTokens, kept) => {
    const account = { ...ACCOUNT, policyGeneration: 3, version: 5 };
    const limits = { ...BUDGET, limitTokens: 7, limitMicroDollars: 8 };
    const isSet = limitTokens === 7;
    expect(withLimits(account, limits, generation)).toEqual({
      ...account,
      limitTokens,
      limitMicroDollars: isSet ? 8 : 50,
      policyGeneration: kept,
      version: isSet ? 6 : 5,
    });
  });

  test('usage that becomes known later replaces the full reserve that was charged', () => {
    const spent = amountOf(70, 20);
    const account = correctCharge(
      { ...ACCOUNT, spent, version: 5 },
      amountOf(60, 9),
      amountOf(20, 3),
    );
    expect(account).toEqual({ ...ACCOUNT, spent: amountOf(30, 14), version: 6 });
    // Whatever was charged, an account never has less than nothing spent.
    expect(correctCharge(ACCOUNT, amountOf(60, 9), amountOf(20, 3)).spent).toEqual(NOTHING);
  });

  const orders = fc.array(
    fc.oneof(
      fc.record({
        kind: fc.constant('reserve' as const),
        n: fc.nat({ max: 9 }),
        tokens: fc.nat({ max: 60 }),
      }),
      fc.record({
        kind: fc.constant('settle' as const),
        n: fc.nat({ max: 9 }),
        tokens: fc.nat({ max: 60 }),
      }),
      fc.record({
        kind: fc.constant('grant' as const),
        n: fc.nat({ max: 3 }),
        tokens: fc.nat({ max: 30 }),
      }),
      fc.record({
        kind: fc.constant('limit' as const),
        n: fc.constant(0),
        tokens: fc.nat({ max: 150 }),
      }),
    ),
    { maxLength: 60 },
  );

  test('no reservation exceeds the limit, whatever grants and limit changes come between', () => {
    fc.assert(
      fc.property(orders, (all) => {
        let account = ACCOUNT;
        for (const { kind, n, tokens } of all) {
          const attemptId = String(n);
          if (kind === 'limit') account = withLimit(account, tokens);
          if (kind === 'settle') account = settleReservation(account, attemptId, null).account;
          if (kind === 'grant') {
            const outcome = grant(account, grantOf(attemptId, tokens));
            if (outcome.kind === 'Granted') account = outcome.account;
          }
          if (kind !== 'reserve') continue;
          const outcome = reserve(account, { attemptId, amount: amountOf(tokens), now: NOW });
          if (outcome.kind !== 'Reserved') continue;
          ({ account } = outcome);
          const taken = account.spent.tokens + reservedOf(account).tokens;
          expect(taken).toBeLessThanOrEqual(limitOf(account, 'tokens') ?? 0);
        }
        const granted = account.grants.reduce((sum, { amount }) => sum + amount.tokens, 0);
        expect(account.granted.tokens).toBe(granted);
        expect(new Set(account.grants.map(({ key }) => key)).size).toBe(account.grants.length);
      }),
    );
  });

  test('an attempt that reserves again changes nothing', () => {
    const account = reserved(ACCOUNT, 'a', amountOf(60));
    const again = reserve(account, { attemptId: 'a', amount: amountOf(60), now: NOW + 1 });
    expect(again).toEqual({ kind: 'AlreadyReserved', account });
  });

  test('settling one attempt leaves the others open, and each step makes a new version', () => {
    const both = reserved(reserved(ACCOUNT, 'a', amountOf(60)), 'b', amountOf(30));
    expect(settleReservation(both, 'b', amountOf(25, 2))).toEqual({
      spent: amountOf(25, 2),
      account: {
        ...ACCOUNT,
        spent: amountOf(25, 2),
        grants: [],
        open: [{ attemptId: 'a', amount: amountOf(60), at: NOW }],
        version: 3,
      },
    });
  });

  test('an unknown outcome costs the full reserve, and a repeated settlement costs nothing', () => {
    const first = settleReservation(reserved(ACCOUNT, 'a', amountOf(60, 7)), 'a', null);
    expect(first.spent).toEqual(amountOf(60, 7));
    expect(first.account).toMatchObject({ spent: amountOf(60, 7), open: [] });
    expect(settleReservation(first.account, 'a', amountOf(1))).toEqual({
      account: first.account,
      spent: null,
    });
  });

  test('an account has a bounded number of open reservations', () => {
    let account = openAccount('acme', '2026-11', { ...BUDGET, limitTokens: null });
    for (let n = 0; n < OPEN_RESERVATIONS_MAX; n += 1) {
      account = reserved(account, `a-${String(n)}`, amountOf(1));
    }
    const outcome = reserve(account, { attemptId: 'one more', amount: amountOf(0), now: NOW });
    expect(outcome).toEqual({ kind: 'TooManyOpen' });
  });

  test.each([
    ['2026-11-01T00:00:00.000Z', '2026-11', '2026-12-01T00:00:00.000Z'],
    ['2026-11-30T23:59:59.999Z', '2026-11', '2026-12-01T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', '2026-12', '2027-01-01T00:00:00.000Z'],
    ['2028-02-29T12:00:00.000Z', '2028-02', '2028-03-01T00:00:00.000Z'],
  ])('%s belongs to the period %s, which ends at %s', (at, period, end) => {
    expect(periodOf(Date.parse(at))).toBe(period);
    expect(new Date(periodEnd(period)).toISOString()).toBe(end);
    expect(periodAfter(period)).toBe(end.slice(0, 7));
    expect(periodBefore(periodAfter(period))).toBe(period);
    expect(periodStart(periodAfter(period))).toBe(periodEnd(period));
  });

  const steps = fc.array(
    fc.record({
      kind: fc.constantFrom('reserve' as const, 'settle' as const, 'lose' as const),
      attempt: fc.integer({ min: 0, max: 12 }),
      tokens: fc.integer({ min: 0, max: 60 }),
      microDollars: fc.integer({ min: 0, max: 30 }),
      usedShare: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
    { maxLength: 80 },
  );

  test('no order of reserving, settling and repeating exceeds the limit', () => {
    fc.assert(
      fc.property(steps, (all) => {
        let account = ACCOUNT;
        for (const { kind, attempt, tokens, microDollars, usedShare } of all) {
          const attemptId = `attempt-${String(attempt)}`;
          if (kind === 'reserve') {
            const amount = amountOf(tokens, microDollars);
            const outcome = reserve(account, { attemptId, amount, now: NOW });
            if (outcome.kind === 'Reserved') account = outcome.account;
          } else {
            const entry = account.open.find((each) => each.attemptId === attemptId);
            const part = (whole = 0) => Math.floor(whole * usedShare);
            const { tokens: most, microDollars: dearest } = entry?.amount ?? {};
            const used = kind === 'lose' ? null : amountOf(part(most), part(dearest));
            account = settleReservation(account, attemptId, used).account;
          }
          const held = reservedOf(account);
          expect(account.spent.tokens + held.tokens).toBeLessThanOrEqual(100);
          expect(account.spent.microDollars + held.microDollars).toBeLessThanOrEqual(50);
        }
      }),
    );
  });

  test('every reservation ends in one settlement, and the total equals what was reserved', () => {
    fc.assert(
      fc.property(fc.array(fc.nat({ max: 9 }), { maxLength: 10 }), (amounts) => {
        let account = ACCOUNT;
        for (const [n, tokens] of amounts.entries()) {
          account = reserved(account, `a-${String(n)}`, amountOf(tokens));
        }
        for (const n of [...amounts.keys(), ...amounts.keys()].toReversed()) {
          account = settleReservation(account, `a-${String(n)}`, null).account;
        }
        expect(account.open).toEqual([]);
        expect(account.spent.tokens).toBe(amounts.reduce((sum, each) => sum + each, 0));
      }),
    );
  });
});
