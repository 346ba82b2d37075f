import { describe, expect, test } from 'vitest';
import { createActivities } from '#activities/create-activities.ts';
import { requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { refreshInProcess } from '#cli/in-process-work.ts';
import { freeLeases } from '#cli/stack/start-stack.ts';
import { periodEnd, periodOf } from '#core/budget/budget-account.ts';
import { VarveError } from '#core/errors.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import type { BudgetPolicy } from '#core/records/policy.ts';
import { HOUR_MS, MINUTE_MS, NOW, SECOND_MS } from '#test/conformance/samples.ts';
import { openFixture, PRICE, type Fixture } from './refresh-fixture.ts';

const TENANT = 'acme';
const TEXT = 'Ann signed the contract with Blue Harbour on 3 May 2026.';
const REASON = 'The launch.';

const limited = (
  fixture: Fixture,
  limitTokens: number,
  onExhausted: BudgetPolicy['onExhausted'] = 'Reject',
) => fixture.declare(TENANT, ({ budget }) => ({ budget: { ...budget, limitTokens, onExhausted } }));

const accountOf = ({ parts }: Fixture, period = periodOf(NOW)) =>
  parts.store.accounts.get(TENANT, period, defaultPolicy(TENANT).budget);

/** A tenant whose first summary the budget did not allow. */
async function exhausted(onExhausted: BudgetPolicy['onExhausted'] = 'Reject'): Promise<Fixture> {
  const fixture = await openFixture({ answer: (_, extractive) => extractive() });
  await limited(fixture, 10, onExhausted);
  for (const text of [TEXT, `${TEXT} Again.`, `${TEXT} Once more.`])
    await fixture.add(TENANT, text);
  await fixture.round(TENANT, 'Due');
  return fixture;
}

describe('a scope waiting for budget', () => {
  test('stays on hold despite writes and urgent marks until its pause ends', async () => {
    await using fixture = await exhausted();
    const id = await fixture.add(TENANT, 'Ann moved to Bergen.');
    await fixture.remove(TENANT, id);
    fixture.advance(5 * MINUTE_MS);
    await fixture.add(TENANT, 'Ann has a boat.');
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    expect(await fixture.scope(TENANT)).toMatchObject({ dueAt: NOW + 15 * MINUTE_MS });
    fixture.advance(10 * MINUTE_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 1, modelCalls: 0 });
    expect(fixture.calls).toEqual([]);
  });

  test('SUM-15: tells readers which budget limit holds it back', async () => {
    await using fixture = await exhausted();
    const identifiers = { userId: 'ann' };
    const asked = { tenant: TENANT, identifiers };
    const { summaries } = await OPERATIONS.summary.list.call(fixture.ports, LOCAL_OPERATOR, asked);
    const { freshness } = summaries.find(({ scope }) => scope.layer === 'user') ?? {};
    expect(freshness).toMatchObject({ stale: true, reason: 'NeverGenerated' });
    expect(freshness?.hold).toMatchObject({
      until: NOW + 15 * MINUTE_MS,
      code: 'BUDGET_EXHAUSTED',
      exhaustion: {
        measure: 'tokens',
        limit: 10,
        spent: 0,
        reserved: 0,
        periodEndsAt: periodEnd(periodOf(NOW)),
      },
    });
    const budget = await OPERATIONS.budget.get.call(fixture.ports, LOCAL_OPERATOR, {
      tenant: TENANT,
    });
    expect(budget).toMatchObject({ waitingScopes: 1, exhaustion: freshness?.hold?.exhaustion });
  });

  test('tells a user of the tenant that it waits, without amounts', async () => {
    await using fixture = await exhausted();
    const identifiers = { userId: 'ann' };
    const principal = { name: 'ann', tenants: [TENANT], bound: identifiers };
    const asked = { tenant: TENANT, identifiers };
    const { summaries } = await OPERATIONS.summary.list.call(fixture.ports, principal, asked);
    const { freshness } = summaries.find(({ scope }) => scope.layer === 'user') ?? {};
    const hold = { until: NOW + 15 * MINUTE_MS, code: 'BUDGET_EXHAUSTED', exhaustion: null };
    expect(freshness?.hold).toMatchObject(hold);
    const context = await OPERATIONS.context.assemble.call(fixture.ports, principal, {
      ...asked,
      query: 'contract',
    });
    expect(JSON.stringify([summaries, context])).not.toMatch(/"requested":[0-9]|"limit":10\b/);
  });

  test('SUM-15: is due when the next period starts with a full budget', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    const last = periodEnd(periodOf(NOW)) - MINUTE_MS;
    fixture.advance(last - NOW);
    await limited(fixture, 10);
    await fixture.add(TENANT, TEXT);
    await fixture.round(TENANT);
    await limited(fixture, 1_000_000);
    fixture.advance(MINUTE_MS - 1);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    fixture.advance(1);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1, modelCalls: 1 });
  });
});

type Granted = Partial<Parameters<typeof OPERATIONS.budget.grant.call>[2]>;

/** What a grant of a test has in common with the others, and what it has of its own. */
const grantIn = ({ ports }: Fixture, differing: Granted) =>
  OPERATIONS.budget.grant.call(ports, LOCAL_OPERATOR, {
    tenant: TENANT,
    reason: REASON,
    ...differing,
  });

describe('a grant', () => {
  test('lets waiting scopes resume at once, without another batch window', async () => {
    await using fixture = await exhausted();
    const before = await fixture.parts.store.refreshRequests.get(TENANT);
    fixture.advance(5 * MINUTE_MS);
    const grant = { tokens: 1_000_000 };
    const answer = await grantIn(fixture, grant);
    expect(answer).toMatchObject({
      added: true,
      freedScopes: 1,
      waitingScopes: 0,
      tokens: { limit: 1_000_010, granted: 1_000_000, spent: 0, left: 1_000_010 },
      grants: [{ principal: 'local', reason: REASON, at: NOW + 5 * MINUTE_MS }],
    });
    expect((await fixture.parts.store.refreshRequests.get(TENANT)).wanted).toBe(before.wanted + 1);
    const window = await fixture.activities.readWindow({ tenant: TENANT });
    expect(window).toMatchObject({ kind: 'Open', closesInMs: 0 });
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1, modelCalls: 1 });
    expect(await fixture.events(TENANT)).toContain('memory_budget_granted');
  });

  test('is refused above the largest budget of the platform, and allowed up to it', async () => {
    await using fixture = await openFixture();
    await fixture.declare(TENANT, ({ budget }) => ({
      budget: { ...budget, limitTokens: 100 },
      largestBudget: { tokens: 150, microDollars: null },
    }));
    const grant = (tokens: number) => grantIn(fixture, { tokens });
    expect(await grant(30)).toMatchObject({ tokens: { limit: 130 } });
    await expect(grant(21)).rejects.toMatchObject({
      code: 'FORBIDDEN',
      details: { measure: 'tokens', limit: 130, largest: 150 },
    });
    expect(await grant(20)).toMatchObject({ tokens: { limit: 150 } });
  });

  test('counts once for its key and emits one event', async () => {
    await using fixture = await exhausted();
    const grant = { microDollars: 5, key: 'ticket-7' };
    await grantIn(fixture, grant);
    const again = await grantIn(fixture, grant);
    expect(again).toMatchObject({ added: false, microDollars: { granted: 5 } });
    expect(again.grants).toHaveLength(1);
    const other = grantIn(fixture, { ...grant, microDollars: 6 });
    await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
    const events = await fixture.events(TENANT);
    expect(events.filter((type) => type === 'memory_budget_granted')).toHaveLength(1);
  });

  test('counts once for its key even across the end of a month', async () => {
    await using fixture = await openFixture();
    await limited(fixture, 100);
    const turn = periodEnd(periodOf(NOW));
    fixture.advance(turn - NOW - SECOND_MS);
    const grant = { tokens: 7, key: 'ticket-7' };
    const first = await grantIn(fixture, grant);
    expect(first).toMatchObject({ added: true, period: '2026-11' });
    fixture.advance(2 * SECOND_MS);
    const again = await grantIn(fixture, grant);
    expect(again).toMatchObject({ added: false, period: '2026-11', tokens: { granted: 7 } });
    const other = grantIn(fixture, { ...grant, tokens: 8 });
    await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
    expect((await accountOf(fixture, '2026-12')).grants).toEqual([]);
    const named = { ...grant, key: 'ticket-8', period: '2027-01' };
    expect(await grantIn(fixture, named)).toMatchObject({
      added: true,
    });
    const unnamed = { ...named, period: undefined };
    const repeated = await grantIn(fixture, unnamed);
    expect(repeated).toMatchObject({ added: false, period: '2027-01' });
  });

  test('is accepted only for the current or the next period', async () => {
    await using fixture = await openFixture();
    await limited(fixture, 100);
    const grant = { tokens: 7 };
    const next = { ...grant, period: '2026-12' };
    const answer = await grantIn(fixture, next);
    expect(answer).toMatchObject({ period: '2026-12', tokens: { limit: 107 } });
    expect((await accountOf(fixture)).grants).toEqual([]);
    for (const period of ['2026-10', '2027-01']) {
      const refused = grantIn(fixture, { ...grant, period });
      await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    const nothing = grantIn(fixture, {});
    await expect(nothing).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  test.each([
    ['another tenant', { tenants: ['other'], bound: {} }],
    ['one user of the tenant', { tenants: [TENANT], bound: { userId: 'ann' } }],
  ])('is refused to a principal limited to %s', async (_, rights) => {
    await using fixture = await openFixture();
    const principal = { name: 'somebody', ...rights };
    const grant = OPERATIONS.budget.grant.call(fixture.ports, principal, {
      tenant: TENANT,
      tokens: 1,
      reason: REASON,
    });
    await expect(grant).rejects.toMatchObject({ code: 'FORBIDDEN' });
    const shown = OPERATIONS.budget.get.call(fixture.ports, principal, { tenant: TENANT });
    await expect(shown).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});

describe('a tenant with an exhausted budget', () => {
  test('with Reject, the caller of a refresh gets an error with the exhausted limit', async () => {
    await using fixture = await exhausted('Reject');
    const refresh = refreshInProcess(fixture.parts, TENANT, 'Stale');
    await expect(refresh).rejects.toMatchObject({
      code: 'BUDGET_EXHAUSTED',
      details: { measure: 'tokens', limit: 10, spent: 0, reserved: 0, generated: 0 },
    });
  });

  test('with ServeStale, keeps its last summary, marked stale, without an error', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await fixture.add(TENANT, TEXT);
    await fixture.round(TENANT);
    const before = await fixture.summary(TENANT);
    await limited(fixture, 10, 'ServeStale');
    const { budget } = defaultPolicy(TENANT);
    const limits = { ...budget, limitTokens: 10 };
    await fixture.parts.store.accounts.setLimits(TENANT, periodOf(NOW), limits);
    await fixture.add(TENANT, 'Ann moved to Bergen in June 2026.');
    const totals = await refreshInProcess(fixture.parts, TENANT, 'Stale');
    expect(totals).toMatchObject({ generated: 0, modelCalls: 0 });
    expect(await fixture.summary(TENANT)).toMatchObject({
      id: before?.id,
      text: `${before?.text ?? ''} Since then: Ann moved to Bergen in June 2026.`,
      freshness: { stale: true, reason: 'SourceChanged', hold: { code: 'BUDGET_EXHAUSTED' } },
    });
  });

  test('with Extractive, gets a summary made without a model and no hold', async () => {
    await using fixture = await exhausted('Extractive');
    expect(await fixture.summary(TENANT)).toMatchObject({ model: 'extractive' });
    expect((await fixture.scope(TENANT)).hold).toBeNull();
    expect(fixture.calls).toEqual([]);
  });
});

describe('an abandoned reservation', () => {
  /** A call whose process dies before it settles; nothing gives its batch back. */
  async function abandoned(fixture: Fixture): Promise<void> {
    await fixture.add(TENANT, TEXT);
    const { store } = fixture.parts;
    const settle = () => Promise.reject(new Error('It died.'));
    const parts = {
      ...fixture.parts,
      store: { ...store, accounts: { ...store.accounts, settle } },
    };
    const { signal } = new AbortController();
    const activities = createActivities(parts, NO_REFRESH_TRIGGER, () => ({ signal }));
    const claim = { tenant: TENANT, claimId: 'claim', kind: 'Stale' } as const;
    const [batch] = (await activities.claimBatches(claim)).batches;
    const asked = { tenant: TENANT, batchId: batch?.batchId ?? '' };
    await expect(activities.summarizeBatch(asked)).rejects.toThrow('It died.');
  }

  test('is settled in full by a tick once its call can no longer be running', async () => {
    await using fixture = await openFixture({
      answer: () => Promise.reject(new VarveError('CANCELLED', 'Nobody waits.')),
    });
    await abandoned(fixture);
    const [reserved] = (await accountOf(fixture)).open;
    fixture.advance(20 * MINUTE_MS - SECOND_MS);
    await requestDueRefreshes(fixture.parts, NO_REFRESH_TRIGGER);
    expect((await accountOf(fixture)).open).toHaveLength(1);
    fixture.advance(SECOND_MS);
    await requestDueRefreshes(fixture.parts, NO_REFRESH_TRIGGER);
    const account = await accountOf(fixture);
    expect(account).toMatchObject({ open: [], spent: reserved?.amount });
    const [entry] = await fixture.parts.store.accounts.entries(TENANT, { limit: 9 });
    expect(entry).toMatchObject({ state: 'Settled', outcome: 'UnknownOutcome' });
  });

  test('is settled at its actual usage if the answer was stored', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await abandoned(fixture);
    const [reserved] = (await accountOf(fixture)).open;
    fixture.advance(HOUR_MS);
    await requestDueRefreshes(fixture.parts, NO_REFRESH_TRIGGER);
    const { spent, open } = await accountOf(fixture);
    expect(open).toEqual([]);
    expect(spent.tokens).toBeGreaterThan(0);
    expect(spent.tokens).toBeLessThan(reserved?.amount.tokens ?? 0);
  });

  test('is settled at startup for a tenant without a declared policy', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await abandoned(fixture);
    expect(await fixture.parts.store.policies.get(TENANT)).toBeNull();
    expect(await freeLeases(fixture.parts)).toBe(1);
    expect((await accountOf(fixture)).open).toEqual([]);
    expect(await fixture.scope(TENANT)).toMatchObject({ lease: null, dueAt: NOW, hold: null });
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1 });
  });

  test('a price change regenerates nothing', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await fixture.add(TENANT, TEXT);
    await fixture.round(TENANT);
    const { models } = fixture.parts;
    const price = { ...PRICE, outputMicroDollarsPerMillion: 7_000_000 };
    const model = { ...models.ofClass('standard'), price };
    const byName = (name: string) => (name === model.name ? model : models.byName(name));
    const own = { ...models, ofClass: () => model, byName };
    const dearer = { ...fixture.parts, models: own };
    fixture.advance(HOUR_MS);
    await requestDueRefreshes(dearer, NO_REFRESH_TRIGGER);
    const totals = await refreshInProcess(dearer, TENANT, 'Stale');
    expect(totals).toMatchObject({ generated: 0, modelCalls: 0, unchanged: 0 });
    expect(fixture.calls).toHaveLength(1);
  });
});
