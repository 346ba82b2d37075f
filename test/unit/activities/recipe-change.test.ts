import { describe, expect, test } from 'vitest';
import type { RecipeLooks } from '#activities/backfill-recipes.ts';
import { requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { NO_REFRESH_TRIGGER } from '#cli/compose.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { HOUR_MS } from '#test/conformance/samples.ts';
import { openFixture, type Fixture } from './refresh-fixture.ts';

const TENANT = 'acme';

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
  test('waits for the next due time where nothing else is said', async () => {
    await using fixture = await changed('AtNextDue');
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    expect(await fixture.summary(TENANT)).toMatchObject({
      freshness: { stale: true, reason: 'RecipeChanged' },
    });
    expect(fixture.calls).toHaveLength(1);
  });

  test('is remade by itself with Backfill, once', async () => {
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

  test('does not remake a text that stands in, tick after tick', async () => {
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

  test('refreshRequests before the tick looks, and looks again only for another recipe', async () => {
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
    const looks: RecipeLooks = new Map();
    for (let tick = 0; tick < 3; tick += 1)
      await requestDueRefreshes(parts, NO_REFRESH_TRIGGER, looks);
    expect(order).toEqual(['due', 'list', 'due', 'due']);
    await fixture.declare(TENANT, ({ layers }) => ({
      onRecipeChange: 'Backfill',
      layers: { ...layers, user: { ...layers.user, depths: ['paragraph'] } },
    }));
    await requestDueRefreshes(parts, NO_REFRESH_TRIGGER, looks);
    expect(order.slice(4)).toEqual(['due', 'list']);
  });
});
