/** A tenant that its owner let go of: readers are served, and nothing is written, made or paid. */
import { describe, expect, test } from 'vitest';
import { backfillRecipes } from '#activities/backfill-recipes.ts';
import { requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { requestRefreshIfDue } from '#api/writes.ts';
import { VarveError } from '#core/errors.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import { HOUR_MS, NOW, ownerOf } from '#test/conformance/samples.ts';
import { openStand, type Stand } from './refresh-stand.ts';
import {
  ANN,
  forVariants,
  KEEP_ALL,
  openShop,
  read,
  TENANT as SHOP,
  variantOf,
} from './variant-stand.ts';

const TENANT = 'acme';
const NOTHING = { batches: 0, generated: 0, unchanged: 0, emptied: 0 };

function remembering(): RefreshTrigger & { readonly woken: string[] } {
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
  await stand.add(TENANT, 'Ann has a garden.');
  await release(stand);
  stand.advance(HOUR_MS);
  return stand;
}

describe('a released tenant', () => {
  test('its summary is served, with what is known of it', async () => {
    await using stand = await openReleased();
    const served = await stand.summary(TENANT);
    expect(JSON.stringify(served)).toContain('Oslo');
    expect(served?.freshness).toMatchObject({ stale: true, reason: 'SourceChanged' });
  });

  test.each(['Due', 'Stale'] as const)('no round takes anything, asked for %s', async (kind) => {
    await using stand = await openReleased();
    expect(await stand.round(TENANT, kind)).toMatchObject(NOTHING);
    expect(await stand.activities.readWindow({ tenant: TENANT })).toMatchObject({ kind: 'Idle' });
    // The round after the claim of another owner takes what was owed all the time.
    await stand.declare(TENANT, () => ({}));
    expect(await stand.round(TENANT, kind)).toMatchObject({ generated: 1 });
  });

  test('neither a write nor the tick refreshRequests it', async () => {
    await using stand = await openReleased();
    const refreshTrigger = remembering();
    const { ports, parts } = stand;
    const scope = await stand.scope(TENANT);
    expect(scope.dueAt).not.toBeNull();
    await requestRefreshIfDue({ ...ports, refreshTrigger }, scope);
    expect(await parts.store.refreshRequests.get(TENANT)).toMatchObject({ wanted: 0 });
    expect(await requestDueRefreshes(parts, refreshTrigger)).toBe(0);
    expect(refreshTrigger.woken).toEqual([]);
    await stand.declare(TENANT, () => ({}));
    await requestRefreshIfDue({ ...ports, refreshTrigger }, scope);
    await requestDueRefreshes(parts, refreshTrigger);
    expect(refreshTrigger.woken).toEqual([TENANT, TENANT]);
  });

  test('no change of recipe makes it due', async () => {
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

  test('nobody gets a summary of their own made', async () => {
    await using stand = await openShop();
    await read(stand, ANN);
    await release(stand, SHOP);
    expect(await stand.round(SHOP)).toMatchObject(NOTHING);
    expect(await variantOf(stand, 'user:ann')).toMatchObject({ lease: null });
  });
});

/** A batch that is claimed and not asked yet. */
async function openClaimed(during: (stand: Stand) => Promise<unknown>): Promise<Claimed> {
  const stand: Stand = await openStand({
    answer: async (_, extractive) => {
      await during(stand);
      return extractive();
    },
  });
  await stand.declare(TENANT, () => ({}));
  await stand.add(TENANT, 'Ann lives in Oslo.');
  const claim = { tenant: TENANT, claimId: 'claim-1', kind: 'Stale' } as const;
  const { batches } = await stand.activities.claimBatches(claim);
  return { stand, batch: { tenant: TENANT, batchId: batches[0]?.batchId ?? '' } };
}

interface Claimed {
  readonly stand: Stand;
  readonly batch: { readonly tenant: string; readonly batchId: string };
}

const eraseAll = async ({ parts: { store } }: Stand): Promise<void> => {
  const step = { limit: 1_000, now: NOW + HOUR_MS, keepsPolicy: true };
  while (!(await store.eraseTenant(TENANT, step)).isDone);
};

const leftOf = async ({ parts: { store } }: Stand, batchId: string) => ({
  answers: await store.answers.ofBatch(TENANT, batchId),
  entries: await store.accounts.entries(TENANT, { batchId, limit: 9 }),
  scopes: await store.scopes.list(TENANT, 9),
});

describe('a batch under way', () => {
  test('is not asked where the tenant was let go of before, and is given back', async () => {
    const { stand, batch } = await openClaimed(() => Promise.resolve());
    await using _ = stand;
    await release(stand);
    expect(await stand.activities.summarizeBatch(batch)).toEqual({ kind: 'Gone' });
    expect(stand.calls).toEqual([]);
    expect(await stand.scope(TENANT)).toMatchObject({ lease: null, attempts: 0, deadLetter: null });
  });

  test('keeps nothing of a call in which the tenant was let go of, and pays it', async () => {
    const { stand, batch } = await openClaimed(release);
    await using _ = stand;
    expect(await stand.activities.summarizeBatch(batch)).toEqual({ kind: 'Gone' });
    const { answers, entries } = await leftOf(stand, batch.batchId);
    expect(answers).toEqual([]);
    expect(entries).toMatchObject([{ state: 'Settled', outcome: 'Usage' }]);
    expect(await stand.scope(TENANT)).toMatchObject({ lease: null, attempts: 0, deadLetter: null });
  });

  test('writes nothing of a tenant that was erased during a call', async () => {
    const { stand, batch } = await openClaimed(async (erased) => {
      await release(erased);
      await eraseAll(erased);
    });
    await using _ = stand;
    expect(await stand.activities.summarizeBatch(batch)).toEqual({ kind: 'Gone' });
    await stand.activities.commitBatch(batch);
    const nothing = { answers: [], entries: [], scopes: [] };
    expect(await leftOf(stand, batch.batchId)).toEqual(nothing);
    expect(await stand.events(TENANT)).toEqual([]);
  });

  test('is not committed once the tenant was let go of', async () => {
    const { stand, batch } = await openClaimed(() => Promise.resolve());
    await using _ = stand;
    expect(await stand.activities.summarizeBatch(batch)).toMatchObject({ kind: 'Answered' });
    await release(stand);
    expect(await stand.activities.commitBatch(batch)).toMatchObject({ generated: 0, lost: 1 });
    expect(await stand.scope(TENANT)).toMatchObject({ lease: null, generatedAt: null });
  });

  test.each(['before', 'during', 'after'])(
    'of variants ends where the tenant is let go of %s its call',
    async (when) => {
      await using stand: Stand = await openShop({
        answer: forVariants(async (batch) => {
          if (when === 'during') await release(stand, SHOP);
          return KEEP_ALL(batch);
        }),
      });
      await read(stand, ANN);
      const claim = { tenant: SHOP, claimId: 'claim-9', kind: 'Stale' } as const;
      const { batches } = await stand.activities.claimBatches(claim);
      const batch = { tenant: SHOP, batchId: batches[0]?.batchId ?? '' };
      expect(await variantOf(stand)).toMatchObject({ lease: { batchId: batch.batchId } });
      if (when === 'before') await release(stand, SHOP);
      const report = await stand.activities.summarizeBatch(batch);
      if (when === 'after') {
        await release(stand, SHOP);
        expect(await stand.activities.commitBatch(batch)).toMatchObject({ generated: 0, lost: 1 });
      } else expect(report).toEqual({ kind: 'Gone' });
      const answers = await stand.parts.store.answers.ofBatch(SHOP, batch.batchId);
      expect(answers.filter(({ text }) => text !== null)).toEqual([]);
      expect(await variantOf(stand)).toMatchObject({ lease: null });
    },
  );
});

describe('a write of a released tenant', () => {
  const refused = { code: 'FORBIDDEN' };

  test.each<[string, (stand: Stand, id: string) => Promise<unknown>]>([
    ['a memory', (stand) => stand.add(TENANT, 'Ann has a boat.')],
    [
      'a memory under a key',
      (stand) => stand.add(TENANT, 'Ann has a boat.', { idempotencyKey: 'k' }),
    ],
    [
      'a change of a memory',
      ({ ports }, id) =>
        OPERATIONS.memory.update.call(ports, LOCAL_OPERATOR, {
          tenant: TENANT,
          id,
          tags: ['house'],
        }),
    ],
    [
      'turns',
      ({ ports }) =>
        OPERATIONS.conversation.append.call(ports, LOCAL_OPERATOR, {
          tenant: TENANT,
          sessionId: 'monday',
          turns: [{ role: 'user', content: 'Hello.' }],
        }),
    ],
    [
      'a grant',
      ({ ports }) =>
        OPERATIONS.budget.grant.call(ports, LOCAL_OPERATOR, {
          tenant: TENANT,
          tokens: 5,
          reason: 'More.',
        }),
    ],
  ])('%s is refused, and brings nothing of an erased one back', async (_, write) => {
    await using stand = await openStand();
    await stand.declare(TENANT, () => ({}));
    const id = await stand.add(TENANT, 'Ann lives in Oslo.');
    const memory = await stand.parts.store.memories.get(TENANT, id);
    await release(stand);
    await expect(write(stand, id)).rejects.toMatchObject(refused);
    expect(await stand.parts.store.memories.get(TENANT, id)).toEqual(memory);
    await eraseAll(stand);
    await expect(write(stand, id)).rejects.toBeInstanceOf(VarveError);
    // Only the policy.
    const last = await stand.parts.store.eraseTenant(TENANT, { limit: 9, now: NOW + HOUR_MS });
    expect(last).toEqual({ deleted: 1, isDone: true });
  });
});
