/** What a change of model, prompt or price does to existing summaries. */
import { describe, expect, test } from 'vitest';
import { createActivities } from '#activities/create-activities.ts';
import { type RecipeChecks, requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { periodOf } from '#core/budget/budget-account.ts';
import type { SummaryModel } from '#core/ports/model.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { ClaimKind } from '#core/refresh/refresh-contract.ts';
import { refreshRound } from '#core/refresh/refresh-round.ts';
import { HOUR_MS, MINUTE_MS, NOW } from '../../conformance/samples.ts';
import { openFixture, type Fixture } from './refresh-fixture.ts';

const TENANT = 'acme';
const TEXT = 'Ann lives in Oslo.';
const SCOPE = { tenant: TENANT, layer: 'user', scopeId: 'ann' } as const;

/** A round by workers whose model differs. */
function roundWith(fixture: Fixture, differing: Partial<SummaryModel>, kind: ClaimKind) {
  const { parts } = fixture;
  const model = { ...parts.models.ofClass('standard'), ...differing };
  const { extractive } = parts.models;
  const byName = (name: string) => [model, extractive].find((each) => each.name === name);
  const models = { ...parts.models, ofClass: () => model, byName };
  const { signal } = new AbortController();
  const activities = createActivities({ ...parts, models }, NO_REFRESH_TRIGGER, () => ({ signal }));
  const claimId = parts.platform.newId();
  return refreshRound(activities, {
    tenant: TENANT,
    claimId,
    kind,
    codeOf: () => 'PROVIDER_ERROR',
  });
}

async function openSummarized() {
  const fixture = await openFixture({ answer: (_, extractive) => extractive() });
  await fixture.add(TENANT, TEXT);
  await fixture.round(TENANT);
  return fixture;
}

const limitTo = (fixture: Fixture, limitTokens: number) =>
  fixture.declare(TENANT, ({ budget }) => ({
    budget: { ...budget, limitTokens, onExhausted: 'Extractive' },
  }));

describe('recipes', () => {
  test('a price change regenerates nothing, now or later', async () => {
    await using fixture = await openSummarized();
    const price = { inputMicroDollarsPerMillion: 9, outputMicroDollarsPerMillion: 9 };
    expect(await roundWith(fixture, { price }, 'Stale')).toMatchObject({ batches: 0 });
    fixture.advance(HOUR_MS);
    expect(await roundWith(fixture, { price }, 'Due')).toMatchObject({ batches: 0 });
  });

  test('a new prompt is used only at the next due time', async () => {
    await using fixture = await openSummarized();
    const revision = 'next';
    expect(await roundWith(fixture, { revision }, 'Due')).toMatchObject({ batches: 0 });
    fixture.advance(HOUR_MS);
    expect(await roundWith(fixture, { revision }, 'Due')).toMatchObject({ batches: 0 });
    fixture.advance(23 * HOUR_MS);
    expect(await roundWith(fixture, { revision }, 'Due')).toMatchObject({ generated: 1 });
    expect(await roundWith(fixture, { revision }, 'Stale')).toMatchObject({ batches: 0 });
  });

  test('the end of an interval applies a new recipe even to equal sources', async () => {
    await using fixture = await openSummarized();
    await fixture.remove(TENANT, await fixture.add(TENANT, 'Ann gardens.'));
    fixture.advance(HOUR_MS);
    expect(await roundWith(fixture, { revision: 'next' }, 'Due')).toMatchObject({ generated: 1 });
  });

  test('a fallback text has the recipe of what actually made it', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await limitTo(fixture, 10);
    await fixture.add(TENANT, TEXT);
    await fixture.round(TENANT);
    expect(await fixture.summary(TENANT)).toMatchObject({
      text: TEXT,
      model: 'extractive',
      freshness: { stale: true, reason: 'RecipeChanged' },
    });
    const summary = await fixture.parts.store.summaries.get(SCOPE, '');
    expect((await fixture.scope(TENANT)).recipeHash).toBe(summary?.recipeHash);
  });

  test('a refresh until nothing is stale ends, with or without budget', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await limitTo(fixture, 10);
    await fixture.add(TENANT, TEXT);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
    fixture.advance(MINUTE_MS);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    await limitTo(fixture, 100_000);
    const { accounts } = fixture.parts.store;
    const budget = { ...defaultPolicy(TENANT).budget, limitTokens: 100_000 };
    await accounts.setLimits(TENANT, periodOf(NOW), budget);
    fixture.advance(MINUTE_MS);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1, modelCalls: 1 });
    expect((await fixture.summary(TENANT))?.freshness.stale).toBe(false);
  });
});

/** A tenant with a fresh summary, whose policy then wants other depths. */
async function changed(onRecipeChange: TenantPolicy['onRecipeChange']): Promise<Fixture> {
  const fixture = await openFixture({ answer: (_, extractive) => extractive() });
  await fixture.add(TENANT, 'Ann signed the contract with Blue Harbour on 3 May 2026.');
  await fixture.round(TENANT);
  await fixture.declare(TENANT, ({ layers }) => ({
    onRecipeChange,
    layers: { ...layers, user: { ...layers.user, depths: ['sentence'] } },
  }));
  fixture.advance(HOUR_MS);
  await requestDueRefreshes(fixture.parts, NO_REFRESH_TRIGGER);
  return fixture;
}

describe('a changed recipe', () => {
  test('waits for the next due time with AtNextDue', async () => {
    await using fixture = await changed('AtNextDue');
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    expect(await fixture.summary(TENANT)).toMatchObject({
      freshness: { stale: true, reason: 'RecipeChanged' },
    });
    expect(fixture.calls).toHaveLength(1);
  });

  test('regenerates a summary once, without a write, with Backfill', async () => {
    await using fixture = await changed('Backfill');
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1, modelCalls: 1 });
    const { parts } = fixture;
    const user = { tenant: TENANT, layer: 'user', scopeId: 'ann' } as const;
    expect(await parts.store.summaries.get(user, '')).toMatchObject({ trigger: 'Recipe' });
    fixture.advance(HOUR_MS);
    await requestDueRefreshes(parts, NO_REFRESH_TRIGGER);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 0, unchanged: 0 });
    expect(fixture.calls).toHaveLength(2);
  });

  test('does not regenerate a fallback text at every tick', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await fixture.declare(TENANT, ({ budget }) => ({
      onRecipeChange: 'Backfill',
      budget: { ...budget, limitTokens: 100, onExhausted: 'Extractive' },
    }));
    await fixture.add(TENANT, 'Ann signed the contract with Blue Harbour on 3 May 2026.');
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    const made = await fixture.summary(TENANT);
    expect(made).toMatchObject({ model: 'extractive' });
    for (let tick = 0; tick < 3; tick += 1) {
      fixture.advance(HOUR_MS);
      await requestDueRefreshes(fixture.parts, NO_REFRESH_TRIGGER);
      expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    }
    expect((await fixture.summary(TENANT))?.id).toBe(made?.id);
  });

  test('is looked for once per recipe, after the due refreshes', async () => {
    await using fixture = await changed('Backfill');
    await fixture.round(TENANT, 'Due');
    const { store } = fixture.parts;
    const order: string[] = [];
    const scopes: typeof store.scopes = {
      ...store.scopes,
      dueTenants: (input) => {
        order.push('due');
        return store.scopes.dueTenants(input);
      },
      list: (tenant, limit) => {
        order.push('list');
        return store.scopes.list(tenant, limit);
      },
    };
    const parts = { ...fixture.parts, store: { ...store, scopes } };
    const checks: RecipeChecks = new Map();
    for (let tick = 0; tick < 3; tick += 1)
      await requestDueRefreshes(parts, NO_REFRESH_TRIGGER, checks);
    expect(order).toEqual(['due', 'list', 'due', 'due']);
    await fixture.declare(TENANT, ({ layers }) => ({
      onRecipeChange: 'Backfill',
      layers: { ...layers, user: { ...layers.user, depths: ['paragraph'] } },
    }));
    await requestDueRefreshes(parts, NO_REFRESH_TRIGGER, checks);
    expect(order.slice(4)).toEqual(['due', 'list']);
  });
});
