/** Operations on the budget of a tenant. */
import { getBudget, grantBudget } from '../budget.ts';
import { BudgetAnswer, GetBudget, GrantAnswer, GrantBudget } from '../schemas/budget.ts';
import { operation } from './operation.ts';

const ACCOUNT: BudgetAnswer = {
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
    summary: 'What a tenant may spend in a month, what it spent, and what is reserved.',
    input: GetBudget,
    output: BudgetAnswer,
    example: { input: { tenant: 'acme' }, output: ACCOUNT },
    role: 'operate',
    cost: 'none',
    errors: [],
    commands: ['budget show'],
    run: getBudget,
  }),
  grant: operation({
    name: 'budget.grant',
    kind: 'mutation',
    summary: 'Adds to the limits of one period; scopes that waited for budget are due at once.',
    input: GrantBudget,
    output: GrantAnswer,
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
    cost: 'none',
    errors: ['CONFLICT'],
    commands: ['budget grant'],
    run: grantBudget,
  }),
};
