import { describe, expect, test } from 'vitest';
import type { RecipeLooks } from '#activities/backfill-recipes.ts';
import { requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { NO_REFRESH_TRIGGER } from '#cli/compose.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { HOUR_MS } from '#test/conformance/samples.ts';
import { openStand, type Stand } from './refresh-stand.ts';

const TENANT = 'acme';

/** A tenant with a fresh summary, whose policy then wants other depths. */
async function changed(onRecipeChange: TenantPolicy['onRecipeChange']): Promise<Stand> {
  const stand = await openStand({ answer: (_, extractive) => extractive() });
  await stand.add(TENANT, 'Ann signed the contract with Blue Harbour on 3 May 2026.');
  await stand.round(TENANT);
  await stand.declare(TENANT, ({ layers }) => ({
    onRecipeChange,
    layers: { ...layers, user: { ...layers.user, depths: ['sentence'] } },
  }));
  stand.advance(HOUR_MS);
  await requestDueRefreshes(stand.parts, NO_REFRESH_TRIGGER);
  return stand;
}

describe('a changed recipe', () => {
  test('waits for the next due time where nothing else is said', async () => {
    await using stand = await changed('AtNextDue');
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    expect(await stand.summary(TENANT)).toMatchObject({
      freshness: { stale: true, reason: 'RecipeChanged' },
    });
    expect(stand.calls).toHaveLength(1);
  });

  test('is remade by itself with Backfill, once', async () => {
    await using stand = await changed('Backfill');
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ generated: 1, modelCalls: 1 });
    const { parts } = stand;
    const user = { tenant: TENANT, layer: 'user', scopeId: 'ann' } as const;
    expect(await parts.store.summaries.get(user, '')).toMatchObject({ trigger: 'Recipe' });
    stand.advance(HOUR_MS);
    await requestDueRefreshes(parts, NO_REFRESH_TRIGGER);
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ batches: 0, unchanged: 0 });
    expect(stand.calls).toHaveLength(2);
  });

  test('does not remake a text that stands in, tick after tick', async () => {
    await using stand = await openStand({ answer: (_, extractive) => extractive() });
    await stand.declare(TENANT, ({ budget }) => ({
      onRecipeChange: 'Backfill',
      budget: { ...budget, limitTokens: 100, onExhausted: 'Extractive' },
    }));
    await stand.add(TENANT, 'Ann signed the contract with Blue Harbour on 3 May 2026.');
    expect(await stand.round(TENANT)).toMatchObject({ generated: 1 });
    const made = await stand.summary(TENANT);
    expect(made).toMatchObject({ model: 'extractive' });
    for (let tick = 0; tick < 3; tick += 1) {
      stand.advance(HOUR_MS);
      await requestDueRefreshes(stand.parts, NO_REFRESH_TRIGGER);
      expect(await stand.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    }
    expect((await stand.summary(TENANT))?.id).toBe(made?.id);
  });

  test('refreshRequests before the tick looks, and looks again only for another recipe', async () => {
    await using stand = await changed('Backfill');
    await stand.round(TENANT, 'Due');
    const { store } = stand.parts;
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
    const parts = { ...stand.parts, store: { ...store, scopes } };
    const looks: RecipeLooks = new Map();
    for (let tick = 0; tick < 3; tick += 1)
      await requestDueRefreshes(parts, NO_REFRESH_TRIGGER, looks);
    expect(order).toEqual(['due', 'list', 'due', 'due']);
    await stand.declare(TENANT, ({ layers }) => ({
      onRecipeChange: 'Backfill',
      layers: { ...layers, user: { ...layers.user, depths: ['paragraph'] } },
    }));
    await requestDueRefreshes(parts, NO_REFRESH_TRIGGER, looks);
    expect(order.slice(4)).toEqual(['due', 'list']);
  });
});
