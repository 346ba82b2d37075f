import { expect, test } from 'vitest';
import { openAccount } from '#core/budget/budget.ts';
import type { Account } from '#core/records/account.ts';
import { forecastPeriod } from '#operator/forecast/forecast-period.ts';

const MIDDLE = Date.UTC(2026, 10, 16);
const BUDGET = { limitTokens: 1_000, limitMicroDollars: null, onExhausted: 'Reject' } as const;
const account = (differing: Partial<Account>): Account => ({
  ...openAccount('acme', '2026-11', BUDGET),
  ...differing,
});
const spent = (tokens: number) => ({ spent: { tokens, microDollars: 0 } });
const planned = (tokens: number) => ({ tokens, microDollars: 0 });

test.each([
  ['nothing spent and nothing planned', {}, 0, MIDDLE, { expected: 0, state: 'Within' }],
  [
    'half spent at half time',
    spent(500),
    0,
    MIDDLE,
    { usual: 500, expected: 1_000, state: 'Within' },
  ],
  ['one token more for the plan', spent(500), 1, MIDDLE, { expected: 1_001, state: 'Beyond' }],
  [
    'more than the limit at once',
    spent(0),
    1_001,
    MIDDLE,
    { usual: 0, expected: 1_001, state: 'Beyond', endsAt: MIDDLE },
  ],
  [
    'twice the rate that lasts',
    spent(800),
    0,
    MIDDLE,
    { usual: 800, state: 'Beyond', endsAt: MIDDLE + (15 * 86_400_000) / 4 },
  ],
  [
    'a grant',
    { ...spent(500), granted: { tokens: 1, microDollars: 0 } },
    1,
    MIDDLE,
    { limit: 1_001, state: 'Within' },
  ],
  [
    'a reservation',
    { ...spent(500), open: [{ attemptId: 'a', amount: planned(1), at: MIDDLE }] },
    0,
    MIDDLE,
    { reserved: 1, expected: 1_001, state: 'Beyond' },
  ],
  ['an hour of the month', spent(10), 0, Date.UTC(2026, 10, 1, 1), { usual: 300, state: 'Within' }],
])(
  'FORECAST-3: a plan says where the budget ends: %s',
  (...[, differing, extra, now, expected]) => {
    const [tokens, microDollars] = forecastPeriod(account(differing), planned(extra), now);
    expect(tokens).toMatchObject({ measure: 'tokens', planned: extra, ...expected });
    expect(microDollars).toMatchObject({ limit: null, state: 'NoLimit', endsAt: null });
  },
);
