/** What happens to a scope whose model fails or whose tenant has no budget left. */
import { describe, expect, it } from 'vitest';
import { createActivities } from '#activities/create-activities.ts';
import { periodOf, reservedOf } from '#core/budget/budget-account.ts';
import { VarveError } from '#core/errors.ts';
import type { ErrorCode } from '#core/error-codes.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { ATTEMPTS_MAX } from '#core/refresh/retries-and-dead-letters.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';
import { HOUR_MS, userScope } from '#test/conformance/samples.ts';
import { eventually, openStack, PRICE, type Stack } from './fixture.ts';
import { mentions, stubbed } from './model-stub.ts';
import { ANN, ROSES } from './refresh-samples.ts';

const BOB = { identifiers: { userId: 'bob' } };
const POISON = 'Bob said the word nightshade, which this model refuses.';
const UNLIMITED: BudgetPolicy = {
  limitTokens: null,
  limitMicroDollars: null,
  onExhausted: 'Reject',
};

async function accountOf({ parts }: Stack, tenant: string, budget = UNLIMITED) {
  const account = await parts.store.accounts.get(tenant, periodOf(parts.platform.clock()), budget);
  return { spent: account.spent.microDollars, reserved: reservedOf(account).microDollars };
}

async function outcomesOf({ parts }: Stack, tenant: string): Promise<string[]> {
  const entries = await parts.store.accounts.entries(tenant, { limit: 100 });
  return entries.map(({ outcome }) => outcome).toReversed();
}

/** Lets the pause of a failure and any window pass, and makes the run look. */
async function passTime(stack: Stack, tenant: string): Promise<void> {
  stack.advance(2 * HOUR_MS);
  await stack.temporal.notify(tenant, { urgent: false });
}

describe('a failing model', () => {
  it('REFRESH-18: is asked again after the wait it asks for, and only the answer is paid', async () => {
    const { model, calls } = stubbed((_batch, call) => {
      if (call > 1) return;
      throw new VarveError('RATE_LIMITED', 'Slow down.', { details: { retryAfterMs: 20 } });
    });
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await stack.declare(tenant);
    await stack.add(tenant, { ...ANN, content: ROSES });
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1, modelCalls: 1 });
    expect(calls).toHaveLength(2);
    expect(await outcomesOf(stack, tenant)).toEqual(['NotCharged', 'Usage']);
    const summary = await stack.parts.store.summaries.get(userScope(tenant), '');
    const { inputTokens = 0, outputTokens = 0 } = summary?.usage ?? {};
    const { inputMicroDollarsPerMillion: input, outputMicroDollarsPerMillion: output } = PRICE;
    const price = Math.ceil((inputTokens * input + outputTokens * output) / 1_000_000);
    expect(await accountOf(stack, tenant)).toEqual({ spent: price, reserved: 0 });
  });

  it('is retried three times if it cannot be reached, and again later', async () => {
    const TRIES = 4;
    const { model, calls } = stubbed((_batch, call) => {
      if (call > TRIES) return;
      throw new VarveError('PROVIDER_ERROR', 'Away.', { details: { retryAfterMs: 20 } });
    });
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await stack.declare(tenant);
    await stack.add(tenant, { ...ANN, content: ROSES });
    const failed = await eventually('a failure', async () => {
      const { hold, lease, dueAt } = await stack.parts.store.scopes.get(userScope(tenant));
      return hold?.code === 'PROVIDER_ERROR' && lease === null ? { dueAt } : null;
    });
    expect(calls).toHaveLength(TRIES);
    expect(failed.dueAt).toBeGreaterThan(stack.parts.platform.clock());
    await passTime(stack, tenant);
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
    // Nobody knows whether a call without an answer is on the bill, so it is counted.
    const unknown = Array.from({ length: TRIES }, () => 'UnknownOutcome');
    expect(await outcomesOf(stack, tenant)).toEqual([...unknown, 'Usage']);
    expect(await accountOf(stack, tenant)).toMatchObject({ reserved: 0 });
  });

  it('REFRESH-14: leads to a dead letter after three refusals, while other scopes go on', async () => {
    const { model, calls } = stubbed((batch) => {
      if (mentions(batch, 'nightshade')) throw new VarveError('PROVIDER_REJECTED', 'Refused.');
    });
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await stack.declare(tenant, { layers: { batchWindowMs: HOUR_MS } });
    await stack.add(tenant, { ...ANN, content: ROSES });
    await stack.add(tenant, { ...BOB, content: POISON });
    for (let failures = 1; failures <= ATTEMPTS_MAX; failures += 1) {
      await passTime(stack, tenant);
      await eventually(`failure ${String(failures)}`, async () => {
        const { attempts, lease } = await stack.parts.store.scopes.get(userScope(tenant, 'bob'));
        return attempts === failures && lease === null;
      });
    }
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
    const record = await stack.parts.store.scopes.get(userScope(tenant, 'bob'));
    expect(record.deadLetter).toMatchObject({ code: 'PROVIDER_REJECTED' });
    expect(calls.filter((batch) => mentions(batch, 'nightshade'))).toHaveLength(ATTEMPTS_MAX);
    expect(await accountOf(stack, tenant)).toMatchObject({ reserved: 0 });
    // It rests for an hour before it is tried once more.
    expect(record.dueAt).toBeGreaterThan(stack.parts.platform.clock() + HOUR_MS / 2);
  });

  it('REFRESH-15: is asked again for a dead-lettered scope after a write', async () => {
    const state = { broken: true };
    const { model } = stubbed(() => {
      if (state.broken) throw new VarveError('PROVIDER_REJECTED', 'Refused.');
    });
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await stack.declare(tenant);
    await stack.add(tenant, { ...ANN, content: ROSES });
    await eventually('a dead letter', async () => {
      await passTime(stack, tenant);
      return (await stack.parts.store.scopes.get(userScope(tenant))).deadLetter;
    });
    await stack.settled(tenant);
    state.broken = false;
    await stack.add(tenant, { ...ANN, content: 'Ann sold her garden.' });
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
  });

  it('REFRESH-16: causes a failure at once with an invalid answer', async () => {
    const { model, calls } = stubbed();
    await using stack = await openStack({
      model: (extractive) => ({
        ...model(extractive),
        answer: async (batch, call) => {
          const answer = await model(extractive).answer(batch, call);
          return calls.length === 1 ? { ...answer, text: 'Sorry, I cannot help.' } : answer;
        },
      }),
    });
    const { tenant } = stack;
    await stack.declare(tenant);
    await stack.add(tenant, { ...ANN, content: ROSES });
    await eventually('a failure', async () => {
      const { attempts, lease } = await stack.parts.store.scopes.get(userScope(tenant));
      return attempts === 1 && lease === null;
    });
    await passTime(stack, tenant);
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1 });
    expect(await outcomesOf(stack, tenant)).toEqual(['Usage', 'Usage']);
  });
});

describe('an exhausted budget', () => {
  it('releases the scopes for later and spends nothing above the limit', async () => {
    const budget: BudgetPolicy = { ...UNLIMITED, limitMicroDollars: 1_500 };
    const { model, calls } = stubbed();
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await stack.declare(tenant, { tenant: { budget }, layers: { batchWindowMs: HOUR_MS } });
    for (let n = 0; n < 12; n += 1) {
      await stack.add(tenant, { identifiers: { userId: `user-${String(n)}` }, content: ROSES });
    }
    await passTime(stack, tenant);
    const { generated } = await stack.settled(tenant);
    const { spent, reserved } = await accountOf(stack, tenant, budget);
    expect(spent).toBeGreaterThan(0);
    expect(spent).toBeLessThanOrEqual(budget.limitMicroDollars ?? 0);
    expect(reserved).toBe(0);
    expect(calls).toHaveLength(generated);
    const now = stack.parts.platform.clock();
    const waiting = (await stack.scopes(tenant)).filter(({ generatedAt }) => generatedAt === null);
    expect(waiting).toHaveLength(12 - generated);
    for (const { dueAt, lease, attempts } of waiting) {
      expect({ lease, attempts, later: (dueAt ?? 0) > now }).toEqual({
        lease: null,
        attempts: 0,
        later: true,
      });
    }

    await stack.declare(tenant, { tenant: { budget: UNLIMITED } });
    await stack.parts.store.accounts.setLimits(tenant, periodOf(now), UNLIMITED);
    await passTime(stack, tenant);
    expect(await stack.settled(tenant)).toMatchObject({ generated: waiting.length });
  });

  it('lets summaries go on without a model with Extractive', async () => {
    const budget: BudgetPolicy = { ...UNLIMITED, limitTokens: 1, onExhausted: 'Extractive' };
    const { model, calls } = stubbed();
    await using stack = await openStack({ model });
    const { tenant } = stack;
    await stack.declare(tenant, { tenant: { budget } });
    await stack.add(tenant, { ...ANN, content: ROSES });
    expect(await stack.settled(tenant)).toMatchObject({ generated: 1, modelCalls: 0 });
    expect(calls).toHaveLength(0);
    const summary = await stack.parts.store.summaries.get(userScope(tenant), '');
    expect(summary).toMatchObject({ model: 'extractive', priceMicroDollars: 0 });
  });
});

describe('a lost call', () => {
  const CODES: readonly ErrorCode[] = ['TIMEOUT', 'BUDGET_EXHAUSTED'];
  it.each(CODES)('REFRESH-17: is settled when its batch is released (%s)', async (code) => {
    await using stack = await openStack();
    const { tenant, parts } = stack;
    await stack.declare(tenant);
    await stack.add(tenant, { ...ANN, content: ROSES }, NO_REFRESH_TRIGGER);
    const call = { signal: new AbortController().signal };
    const activities = createActivities(parts, NO_REFRESH_TRIGGER, () => call);
    const claim = await activities.claimBatches({ tenant, claimId: 'claim', kind: 'Due' });
    const batchId = claim.batches[0]?.batchId ?? '';
    // As a worker leaves it that dies within the call.
    await parts.store.accounts.reserve({
      attempt: { tenant, attemptId: `${batchId}/1`, batchId, purpose: 'summary', model: 'metered' },
      amount: { tokens: 10, microDollars: 70 },
      budget: UNLIMITED,
      now: parts.platform.clock(),
    });
    await activities.releaseBatch({ tenant, batchId, code });
    expect(await accountOf(stack, tenant)).toEqual({ spent: 70, reserved: 0 });
    expect(await outcomesOf(stack, tenant)).toEqual(['UnknownOutcome']);
  });
});
