/** A correct budget, which a property test compares step by step with the one in a store. */
import * as fc from 'fast-check';
import { expect } from 'vitest';

import { periodEnd, periodOf, reservedOf } from '#core/budget/budget-account.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';
import type { AccountRecords } from '#core/ports/budget-account-records.ts';
import { VarveError } from '#core/errors.ts';
import type { LedgerEntry } from '#core/records/account.ts';

import { DAY_MS, HOUR_MS, NOW } from './samples.ts';

const ATTEMPTS_MAX = 12;
const ENTRIES_MAX = 100;
/** Longer than any call: what is older was left by a process that died. */
const LOST_AFTER_MS = HOUR_MS;

const attempt = fc.integer({ min: 0, max: ATTEMPTS_MAX - 1 });
const tokens = fc.integer({ min: 0, max: 60 });

/** What may happen to a budget, in any order. A crash is a reservation that nothing follows. */
export const budgetStep = fc.oneof(
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('reserve'), attempt, tokens }) },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('settle'), attempt, share: fc.nat({ max: 100 }) }),
  },
  fc.record({ kind: fc.constant('timeOut'), attempt }),
  fc.record({ kind: fc.constant('refuse'), attempt }),
  fc.record({ kind: fc.constant('wait'), days: fc.integer({ min: 0, max: 25 }) }),
  fc.record({ kind: fc.constant('grant'), key: fc.nat({ max: 3 }), tokens }),
  fc.record({ kind: fc.constant('limit'), tokens: fc.integer({ min: 0, max: 150 }) }),
  fc.record({ kind: fc.constant('sweep') }),
);
export type BudgetStep = typeof budgetStep extends fc.Arbitrary<infer T> ? T : never;

interface Period {
  limit: number;
  readonly grants: Map<number, number>;
  /** The most that limit and grants ever came to: what was reserved under it may still be spent. */
  allowedMost: number;
}

interface Attempt {
  readonly period: string;
  readonly reserved: number;
  readonly at: number;
  spent: number | null;
  /** Whether that is its full reserve, for want of an answer. */
  isUnknown?: boolean;
}

/** Runs the steps against a store's accounts and a model of them; fails where they differ. */
export async function runBudget(
  accounts: AccountRecords,
  tenant: string,
  steps: readonly BudgetStep[],
): Promise<void> {
  const model = newModel();
  for (const step of steps) {
    await takeStep(accounts, { tenant, model }, step);
    await compare(accounts, tenant, model);
  }
  model.now += LOST_AFTER_MS + 1;
  await takeStep(accounts, { tenant, model }, { kind: 'sweep' });
  await compare(accounts, tenant, model);
  expect([...model.attempts.values()].filter(({ spent }) => spent === null)).toEqual([]);
}

interface Model {
  now: number;
  limit: number;
  readonly periods: Map<string, Period>;
  readonly attempts: Map<string, Attempt>;
}

function newModel(): Model {
  return { now: NOW, limit: 100, periods: new Map(), attempts: new Map() };
}

async function takeStep(
  accounts: AccountRecords,
  { tenant, model }: { tenant: string; model: Model },
  step: BudgetStep,
): Promise<void> {
  const budget = budgetOf(model);
  const period = periodOf(model.now);
  switch (step.kind) {
    case 'reserve':
      return reserve(accounts, { tenant, model }, step);
    case 'settle':
    case 'timeOut':
    case 'refuse':
      return settle(accounts, { tenant, model }, step);
    case 'wait':
      model.now += step.days * DAY_MS + 1;
      return;
    case 'grant': {
      const of = currentPeriod(model);
      const earlier = of.grants.get(step.key);
      const given = grantOf(step, model.now);
      const { kind } = await accounts.grant({ tenant, period, budget }, given);
      if (earlier === undefined) {
        expect(kind).toBe('Granted');
        of.grants.set(step.key, step.tokens);
      } else expect(kind).toBe(earlier === step.tokens ? 'AlreadyGranted' : 'OtherGrant');
      return;
    }
    case 'limit':
      model.limit = step.tokens;
      currentPeriod(model).limit = step.tokens;
      await accounts.setLimits(tenant, period, budgetOf(model));
      return;
    default:
      return sweep(accounts, { tenant, model });
  }
}

async function reserve(
  accounts: AccountRecords,
  { tenant, model }: { tenant: string; model: Model },
  step: { attempt: number; tokens: number },
): Promise<void> {
  const attemptId = `attempt-${step.attempt}`;
  const whole = { tenant, batchId: 'batch-1', purpose: 'summary', model: 'small' } as const;
  const amount = { tokens: step.tokens, microDollars: 0 };
  const request = { attempt: { ...whole, attemptId }, amount, budget: budgetOf(model) };
  const outcome = await accounts
    .reserve({ ...request, now: model.now })
    .catch((error: unknown) => error);
  const known = model.attempts.get(attemptId);
  if (known !== undefined) {
    // Asked again: counted once while it is open, and a conflict once it was settled.
    if (known.spent === null) expect(outcome).toEqual({ kind: 'Reserved' });
    else expect(outcome).toBeInstanceOf(VarveError);
    return;
  }
  const period = periodOf(model.now);
  const fits = takenOf(model, period) + step.tokens <= allowedOf(currentPeriod(model));
  expect(outcome).toMatchObject({ kind: fits ? 'Reserved' : 'Exhausted' });
  if (!fits) return;
  model.attempts.set(attemptId, { period, reserved: step.tokens, at: model.now, spent: null });
}

async function settle(
  accounts: AccountRecords,
  { tenant, model }: { tenant: string; model: Model },
  step: { kind: string; attempt: number; share?: number },
): Promise<void> {
  const attemptId = `attempt-${step.attempt}`;
  const known = model.attempts.get(attemptId);
  const share = step.kind === 'refuse' ? 0 : (step.share ?? 0);
  const tokens = Math.floor(((known?.reserved ?? 0) * share) / 100);
  const used = step.kind === 'timeOut' ? null : { tokens, microDollars: 0 };
  const outcome = OUTCOMES[step.kind] ?? 'Usage';
  await accounts.settle({ tenant, attemptId }, used, { outcome, now: model.now });
  if (known === undefined) return;
  // What a later answer used stands above the full reserve, once.
  if (known.isUnknown === true && outcome === 'Usage') known.spent = null;
  else if (known.spent !== null) return;
  known.spent = used === null ? known.reserved : tokens;
  known.isUnknown = used === null;
}

const OUTCOMES: Readonly<Record<string, LedgerEntry['outcome']>> = {
  timeOut: 'UnknownOutcome',
  refuse: 'NotCharged',
};

/** As the tick does: what is older than any call is settled at its full reserve. */
async function sweep(
  accounts: AccountRecords,
  { tenant, model }: { tenant: string; model: Model },
): Promise<void> {
  const before = model.now - LOST_AFTER_MS;
  const lost = await accounts.unsettled({ before, limit: ENTRIES_MAX });
  // A store is shared by many tenants, whose lost reservations are found as well.
  const own = lost.filter((entry) => entry.tenant === tenant);
  const expected = [...model.attempts].filter(
    ([, { spent, at }]) => spent === null && at <= before,
  );
  expect(own.map(({ attemptId }) => attemptId).toSorted()).toEqual(
    expected.map(([attemptId]) => attemptId).toSorted(),
  );
  for (const { attemptId } of lost.filter((entry) => entry.tenant === tenant)) {
    const settlement = { outcome: 'UnknownOutcome', now: model.now } as const;
    await accounts.settle({ tenant, attemptId }, null, settlement);
  }
  for (const [, known] of expected)
    Object.assign(known, { spent: known.reserved, isUnknown: true });
}

async function compare(accounts: AccountRecords, tenant: string, model: Model): Promise<void> {
  const entries = await accounts.entries(tenant, { limit: ENTRIES_MAX });
  expect(entries).toHaveLength(model.attempts.size);
  for (const [period, of] of model.periods) {
    of.allowedMost = Math.max(of.allowedMost, allowedOf(of));
    const account = await accounts.get(tenant, period, budgetOf(model));
    const spent = account.spent.tokens;
    const reserved = reservedOf(account).tokens;
    expect(spent + reserved).toBe(takenOf(model, period));
    expect(spent + reserved).toBeLessThanOrEqual(of.allowedMost);
    const inLedger = entries.filter((entry) => entry.period === period);
    expect(inLedger.reduce((sum, entry) => sum + entry.spent.tokens, 0)).toBe(spent);
    expect(account.open).toHaveLength(inLedger.filter(isOpen).length);
    expect(account.granted.tokens).toBe(sum(of.grants.values()));
    expect(account.grants.map(({ key }) => key)).toEqual([...of.grants.keys()].map(String));
  }
}

function isOpen({ state }: LedgerEntry): boolean {
  return state === 'Reserved';
}

function currentPeriod(model: Model): Period {
  const name = periodOf(model.now);
  const made = { limit: model.limit, grants: new Map(), allowedMost: model.limit };
  const found = model.periods.get(name) ?? made;
  model.periods.set(name, found);
  expect(periodEnd(name)).toBeGreaterThan(model.now);
  return found;
}

function takenOf({ attempts }: Model, period: string): number {
  const of = [...attempts.values()].filter((each) => each.period === period);
  return sum(of.map(({ spent, reserved }) => spent ?? reserved));
}

function allowedOf({ limit, grants }: Period): number {
  return limit + sum(grants.values());
}

function budgetOf({ limit }: Model): BudgetPolicy {
  return { limitTokens: limit, limitMicroDollars: null, onExhausted: 'Reject' };
}

function grantOf({ key, tokens: granted }: { key: number; tokens: number }, at: number) {
  const by = { principal: 'tester', reason: 'more', at };
  const amount = { tokens: granted, microDollars: 0 };
  return { id: `grant-${key}-${at}`, key: String(key), amount, ...by };
}

function sum(numbers: Iterable<number>): number {
  return [...numbers].reduce((total, each) => total + each, 0);
}
