/** Operations on the budget of a tenant. */
import { z } from 'zod';
import { BudgetPolicy } from '#core/records/policy.ts';
import { Exhaustion, Grant } from '#core/records/account.ts';
import { getBudget, grantBudget } from '../budget.ts';
import { listOf, Tenant, Text, Time } from './fields.ts';
import { operation } from './operation.ts';

/**
 * More than any model has cost in a month, and low enough that sums of grants stay exact integers.
 */
const GRANTED_MAX = 1_000_000_000_000;

const Period = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/u, { error: 'expected YYYY-MM' });

const GetBudget = z.strictObject({
  tenant: Tenant,
  period: Period.optional().describe('A calendar month in UTC, `2026-11`; now where absent.'),
});
export type GetBudget = z.output<typeof GetBudget>;

const GrantBudget = z.strictObject({
  tenant: Tenant,
  period: Period.optional().describe('The current period or the next one.'),
  tokens: z.int().min(0).max(GRANTED_MAX).default(0),
  microDollars: z.int().min(0).max(GRANTED_MAX).default(0),
  reason: Text.min(1).max(1_000).describe('Why; kept with the grant.'),
  key: Text.min(1)
    .max(256)
    .optional()
    .describe('The same key grants once; without a period also across the turn of a month.'),
});
export type GrantBudget = z.output<typeof GrantBudget>;
/** The input as callers write it. */
export type AskedGrant = z.input<typeof GrantBudget>;

const BudgetMeasure = z
  .object({
    limit: z
      .number()
      .nullable()
      .describe('What the policy allows, with what was granted; null without a limit.'),
    granted: z.number(),
    spent: z.number(),
    reserved: z.number().describe('Of calls under way, at their largest price.'),
    left: z.number().nullable(),
  })
  .meta({ id: 'BudgetMeasure' });
/** One of the two amounts that a budget limits. */
export type BudgetMeasure = z.output<typeof BudgetMeasure>;

const BudgetAnswer = z.object({
  tenant: z.string(),
  period: z.string(),
  periodEndsAt: Time,
  onExhausted: BudgetPolicy.shape.onExhausted,
  tokens: BudgetMeasure,
  microDollars: BudgetMeasure,
  callsUnderWay: z.number(),
  grants: listOf(Grant),
  waitingScopes: z.number().describe('Scopes that wait for budget.'),
  exhaustion: Exhaustion.nullable().describe('What the last of them lacked.'),
});
export type BudgetAnswer = z.output<typeof BudgetAnswer>;

const GrantAnswer = BudgetAnswer.extend({
  added: z.boolean().describe('False where the same key had granted it before.'),
  freedScopes: z.number().describe('Scopes that waited for budget and are due again.'),
});
export type GrantAnswer = z.output<typeof GrantAnswer>;

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
