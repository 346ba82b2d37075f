/** Inputs and answers of operations on a tenant's budget. */
import { z } from 'zod';
import { BudgetPolicy } from '#core/records/policy.ts';
import { Exhaustion, Grant } from '#core/records/account.ts';
import { listOf, Tenant, Text, Time } from './shared-fields.ts';

/** More than any model has cost in a month; sums of grants stay exact integers. */
const GRANTED_MAX = 1_000_000_000_000;

const Period = z.string().regex(/^\d{4}-(?:0[1-9]|1[0-2])$/u, { error: 'expected YYYY-MM' });

export const GetBudget = z.strictObject({
  tenant: Tenant,
  period: Period.optional().describe(
    'A calendar month in UTC, such as `2026-11`; by default, the current one.',
  ),
});
export type GetBudget = z.output<typeof GetBudget>;

export const GrantBudget = z.strictObject({
  tenant: Tenant,
  period: Period.optional().describe(
    'The current month or the next one; by default, the current one.',
  ),
  tokens: z.int().min(0).max(GRANTED_MAX).default(0),
  microDollars: z.int().min(0).max(GRANTED_MAX).default(0),
  reason: Text.min(1).max(1_000).describe('The reason; stored with the grant.'),
  key: Text.min(1)
    .max(256)
    .optional()
    .describe('The same key grants once, also across a change of the month if you name no period.'),
});
/** The input as callers write it. */
export type AskedGrant = z.input<typeof GrantBudget>;

const BudgetMeasure = z
  .object({
    limit: z
      .number()
      .nullable()
      .describe('Limit of the policy plus grants; null if there is no limit.'),
    granted: z.int(),
    spent: z.int(),
    reserved: z.int().describe('Reserved for calls in progress, at their maximum price.'),
    left: z.int().nullable(),
  })
  .meta({ id: 'BudgetMeasure' });
/** One of the two amounts that a budget limits. */
export type BudgetMeasure = z.output<typeof BudgetMeasure>;

export const BudgetAnswer = z.object({
  tenant: z.string(),
  period: z.string(),
  periodEndsAt: Time,
  onExhausted: BudgetPolicy.shape.onExhausted,
  tokens: BudgetMeasure,
  microDollars: BudgetMeasure,
  callsUnderWay: z.int(),
  grants: listOf(Grant),
  waitingScopes: z.int().describe('Scopes that wait for budget.'),
  exhaustion: Exhaustion.nullable().describe(
    'What the last of them needed and the budget did not have.',
  ),
});
export type BudgetAnswer = z.output<typeof BudgetAnswer>;

export const GrantAnswer = BudgetAnswer.extend({
  added: z.boolean().describe('False if this key had already granted it.'),
  freedScopes: z.int().describe('Scopes that waited for budget and are due again.'),
});
