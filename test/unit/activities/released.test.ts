/** A tenant that its owner let go of: readers are served, and nothing more is made or paid. */
import { describe, expect, test } from 'vitest';
import { backfillRecipes } from '#activities/backfill-recipes.ts';
import { wakeDueTenants } from '#activities/wake-due-tenants.ts';
import { wakeIfDue } from '#api/writes.ts';
import type { Waker } from '#core/ports/waker.ts';
import { HOUR_MS, NOW, ownerOf } from '#test/conformance/samples.ts';
import { openStand, type Stand } from './refresh-stand.ts';
import { ANN, openShop, read, TENANT as SHOP, variantOf } from './variant-stand.ts';

const TENANT = 'acme';
const NOTHING = { batches: 0, generated: 0, unchanged: 0, emptied: 0 };

function remembering(): Waker & { readonly woken: string[] } {
  const woken: string[] = [];
  return {
    woken,
    wake: async (tenant) => {
      woken.push(tenant);
    },
  };
}

const release = ({ parts }: Stand, tenant = TENANT) =>
  parts.store.policies.release(tenant, ownerOf('test'), { now: NOW });

async function openReleased(): Promise<Stand> {
  const stand = await openStand({ answer: (_, extractive) => extractive() });
  await stand.declare(TENANT, () => ({ onRecipeChange: 'Backfill' }));
  await stand.add(TENANT, 'Ann lives in Oslo.');
  await stand.round(TENANT);
  await release(stand);
  await stand.add(TENANT, 'Ann has a garden.');
  stand.advance(HOUR_MS);
  return stand;
}

describe('a released tenant', () => {
  test('K8S-04: its summary is served, with what is known of it', async () => {
    await using stand = await openReleased();
    const served = await stand.summary(TENANT);
    expect(JSON.stringify(served)).toContain('Oslo');
    expect(served?.freshness).toMatchObject({ stale: true, reason: 'SourceChanged' });
  });

  test.each(['Due', 'Stale'] as const)(
    'K8S-04: no round takes anything, asked for %s',
    async (kind) => {
      await using stand = await openReleased();
      expect(await stand.round(TENANT, kind)).toMatchObject(NOTHING);
      expect(await stand.activities.readWindow({ tenant: TENANT })).toMatchObject({ kind: 'Idle' });
      // The round after the claim of another owner takes what was owed all the time.
      await stand.declare(TENANT, () => ({}));
      expect(await stand.round(TENANT, kind)).toMatchObject({ generated: 1 });
    },
  );

  test('K8S-04: neither a write nor the tick wakes it', async () => {
    await using stand = await openReleased();
    const waker = remembering();
    const { ports, parts } = stand;
    const scope = await stand.scope(TENANT);
    expect(scope.dueAt).not.toBeNull();
    await wakeIfDue({ ...ports, waker }, scope);
    expect(await parts.store.wakes.get(TENANT)).toMatchObject({ wanted: 0 });
    expect(await wakeDueTenants(parts, waker)).toBe(0);
    expect(waker.woken).toEqual([]);
    await stand.declare(TENANT, () => ({}));
    await wakeIfDue({ ...ports, waker }, scope);
    await wakeDueTenants(parts, waker);
    expect(waker.woken).toEqual([TENANT, TENANT]);
  });

  test('K8S-04: no change of recipe makes it due', async () => {
    await using stand = await openReleased();
    await stand.declare(TENANT, () => ({ onRecipeChange: 'Backfill' }));
    await stand.round(TENANT);
    const { parts } = stand;
    const next = { ...parts.models.ofClass('standard'), name: 'another', revision: 'next' };
    const models = { ...parts.models, ofClass: () => next, byName: () => next };
    await release(stand);
    expect(await backfillRecipes({ ...parts, models })).toBe(0);
    await stand.declare(TENANT, () => ({ onRecipeChange: 'Backfill' }));
    expect(await backfillRecipes({ ...parts, models })).toBe(1);
  });

  test('K8S-04: nobody gets a summary of their own made', async () => {
    await using stand = await openShop();
    await read(stand, ANN);
    await release(stand, SHOP);
    expect(await stand.round(SHOP)).toMatchObject(NOTHING);
    expect(await variantOf(stand, 'user:ann')).toMatchObject({ lease: null });
  });
});
