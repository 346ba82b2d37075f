/** A tenant that its owner released: reads work, and Varve writes, makes and pays for nothing. */
import { describe, expect, test } from 'vitest';
import { backfillRecipes, requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { requestRefreshIfDue } from '#memory/request-refresh.ts';
import { VarveError } from '#core/errors.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import { HOUR_MS, NOW, ownerOf } from '#test/conformance/samples.ts';
import { openFixture, type Fixture } from './refresh-fixture.ts';
import {
  ANN,
  forVariants,
  KEEP_ALL,
  openShop,
  read,
  TENANT as SHOP,
  variantOf,
} from './variant-fixture.ts';

const TENANT = 'acme';
const NOTHING = { batches: 0, generated: 0, unchanged: 0, emptied: 0 };

function remembering(): RefreshTrigger & { readonly notified: string[] } {
  const notified: string[] = [];
  return {
    notified,
    notify: async (tenant) => {
      notified.push(tenant);
    },
  };
}

const release = ({ parts }: Fixture, tenant = TENANT) =>
  parts.store.policies.release(tenant, ownerOf('test'), { now: NOW });

async function openReleased(): Promise<Fixture> {
  const fixture = await openFixture({ answer: (_, extractive) => extractive() });
  await fixture.declare(TENANT, () => ({ onRecipeChange: 'Backfill' }));
  await fixture.add(TENANT, 'Ann lives in Oslo.');
  await fixture.round(TENANT);
  await fixture.add(TENANT, 'Ann has a garden.');
  await release(fixture);
  fixture.advance(HOUR_MS);
  return fixture;
}

describe('a released tenant', () => {
  test('still serves its summary, with its freshness', async () => {
    await using fixture = await openReleased();
    const served = await fixture.summary(TENANT);
    expect(JSON.stringify(served)).toContain('Oslo');
    expect(served?.freshness).toMatchObject({ stale: true, reason: 'SourceChanged' });
  });

  test.each(['Due', 'Stale'] as const)('has no work for a round that asks for %s', async (kind) => {
    await using fixture = await openReleased();
    expect(await fixture.round(TENANT, kind)).toMatchObject(NOTHING);
    expect(await fixture.activities.readWindow({ tenant: TENANT })).toMatchObject({ kind: 'Idle' });
    // The round after the claim of another owner takes what was pending all the time.
    await fixture.declare(TENANT, () => ({}));
    expect(await fixture.round(TENANT, kind)).toMatchObject({ generated: 1 });
  });

  test('gets no refresh requests from writes or the tick', async () => {
    await using fixture = await openReleased();
    const refreshTrigger = remembering();
    const { ports, parts } = fixture;
    const scope = await fixture.scope(TENANT);
    expect(scope.dueAt).not.toBeNull();
    await requestRefreshIfDue({ ...ports, refreshTrigger }, scope);
    expect(await parts.store.refreshRequests.get(TENANT)).toMatchObject({ wanted: 0 });
    expect(await requestDueRefreshes(parts, refreshTrigger)).toBe(0);
    expect(refreshTrigger.notified).toEqual([]);
    await fixture.declare(TENANT, () => ({}));
    await requestRefreshIfDue({ ...ports, refreshTrigger }, scope);
    await requestDueRefreshes(parts, refreshTrigger);
    expect(refreshTrigger.notified).toEqual([TENANT, TENANT]);
  });

  test('is not made due by a change of recipe', async () => {
    await using fixture = await openReleased();
    await fixture.declare(TENANT, () => ({ onRecipeChange: 'Backfill' }));
    await fixture.round(TENANT);
    const { parts } = fixture;
    const next = { ...parts.models.ofClass('standard'), name: 'another', revision: 'next' };
    const models = { ...parts.models, ofClass: () => next, byName: () => next };
    await release(fixture);
    expect(await backfillRecipes({ ...parts, models })).toBe(0);
    await fixture.declare(TENANT, () => ({ onRecipeChange: 'Backfill' }));
    expect(await backfillRecipes({ ...parts, models })).toBe(1);
  });

  test('gets no variants for its readers', async () => {
    await using fixture = await openShop();
    await read(fixture, ANN);
    await release(fixture, SHOP);
    expect(await fixture.round(SHOP)).toMatchObject(NOTHING);
    expect(await variantOf(fixture, 'user:ann')).toMatchObject({ lease: null });
  });
});

/** A batch that is claimed and not asked yet. */
async function openClaimed(during: (fixture: Fixture) => Promise<unknown>): Promise<Claimed> {
  const fixture: Fixture = await openFixture({
    answer: async (_, extractive) => {
      await during(fixture);
      return extractive();
    },
  });
  await fixture.declare(TENANT, () => ({}));
  await fixture.add(TENANT, 'Ann lives in Oslo.');
  const claim = { tenant: TENANT, claimId: 'claim-1', kind: 'Stale' } as const;
  const { batches } = await fixture.activities.claimBatches(claim);
  return { fixture, batch: { tenant: TENANT, batchId: batches[0]?.batchId ?? '' } };
}

interface Claimed {
  readonly fixture: Fixture;
  readonly batch: { readonly tenant: string; readonly batchId: string };
}

const eraseAll = async ({ parts: { store } }: Fixture): Promise<void> => {
  const step = { limit: 1_000, now: NOW + HOUR_MS, keepsPolicy: true };
  while (!(await store.eraseTenant(TENANT, step)).isDone);
};

const leftOf = async ({ parts: { store } }: Fixture, batchId: string) => ({
  answers: await store.answers.ofBatch(TENANT, batchId),
  entries: await store.accounts.entries(TENANT, { batchId, limit: 9 }),
  scopes: await store.scopes.list(TENANT, 9),
});

describe('a batch in progress', () => {
  test('calls no model and is given back if the tenant was released before', async () => {
    const { fixture, batch } = await openClaimed(() => Promise.resolve());
    await using _ = fixture;
    await release(fixture);
    expect(await fixture.activities.summarizeBatch(batch)).toEqual({ kind: 'Gone' });
    expect(fixture.calls).toEqual([]);
    expect(await fixture.scope(TENANT)).toMatchObject({
      lease: null,
      attempts: 0,
      deadLetter: null,
    });
  });

  test('keeps no answer of a call during which the tenant was released, but pays for it', async () => {
    const { fixture, batch } = await openClaimed(release);
    await using _ = fixture;
    expect(await fixture.activities.summarizeBatch(batch)).toEqual({ kind: 'Gone' });
    const { answers, entries } = await leftOf(fixture, batch.batchId);
    expect(answers).toEqual([]);
    expect(entries).toMatchObject([{ state: 'Settled', outcome: 'Usage' }]);
    expect(await fixture.scope(TENANT)).toMatchObject({
      lease: null,
      attempts: 0,
      deadLetter: null,
    });
  });

  test('writes nothing for a tenant erased during a call', async () => {
    const { fixture, batch } = await openClaimed(async (erased) => {
      await release(erased);
      await eraseAll(erased);
    });
    await using _ = fixture;
    expect(await fixture.activities.summarizeBatch(batch)).toEqual({ kind: 'Gone' });
    await fixture.activities.commitBatch(batch);
    const nothing = { answers: [], entries: [], scopes: [] };
    expect(await leftOf(fixture, batch.batchId)).toEqual(nothing);
    expect(await fixture.events(TENANT)).toEqual([]);
  });

  test('is not committed after the tenant was released', async () => {
    const { fixture, batch } = await openClaimed(() => Promise.resolve());
    await using _ = fixture;
    expect(await fixture.activities.summarizeBatch(batch)).toMatchObject({ kind: 'Answered' });
    await release(fixture);
    expect(await fixture.activities.commitBatch(batch)).toMatchObject({ generated: 0, lost: 1 });
    expect(await fixture.scope(TENANT)).toMatchObject({ lease: null, generatedAt: null });
  });

  test.each(['before', 'during', 'after'])(
    'of variants ends if the tenant is released %s its call',
    async (when) => {
      await using fixture: Fixture = await openShop({
        answer: forVariants(async (batch) => {
          if (when === 'during') await release(fixture, SHOP);
          return KEEP_ALL(batch);
        }),
      });
      await read(fixture, ANN);
      const claim = { tenant: SHOP, claimId: 'claim-9', kind: 'Stale' } as const;
      const { batches } = await fixture.activities.claimBatches(claim);
      const batch = { tenant: SHOP, batchId: batches[0]?.batchId ?? '' };
      expect(await variantOf(fixture)).toMatchObject({ lease: { batchId: batch.batchId } });
      if (when === 'before') await release(fixture, SHOP);
      const report = await fixture.activities.summarizeBatch(batch);
      if (when === 'after') {
        await release(fixture, SHOP);
        expect(await fixture.activities.commitBatch(batch)).toMatchObject({
          generated: 0,
          lost: 1,
        });
      } else expect(report).toEqual({ kind: 'Gone' });
      const answers = await fixture.parts.store.answers.ofBatch(SHOP, batch.batchId);
      expect(answers.filter(({ text }) => text !== null)).toEqual([]);
      expect(await variantOf(fixture)).toMatchObject({ lease: null });
    },
  );
});

describe('a write to a released tenant', () => {
  const refused = { code: 'FORBIDDEN' };

  test.each<[string, (fixture: Fixture, id: string) => Promise<unknown>]>([
    ['a memory', (fixture) => fixture.add(TENANT, 'Ann has a boat.')],
    [
      'a memory under a key',
      (fixture) => fixture.add(TENANT, 'Ann has a boat.', { idempotencyKey: 'k' }),
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
  ])('%s is refused, and restores nothing of an erased tenant', async (_, write) => {
    await using fixture = await openFixture();
    await fixture.declare(TENANT, () => ({}));
    const id = await fixture.add(TENANT, 'Ann lives in Oslo.');
    const memory = await fixture.parts.store.memories.get(TENANT, id);
    await release(fixture);
    await expect(write(fixture, id)).rejects.toMatchObject(refused);
    expect(await fixture.parts.store.memories.get(TENANT, id)).toEqual(memory);
    await eraseAll(fixture);
    await expect(write(fixture, id)).rejects.toBeInstanceOf(VarveError);
    // Only the policy.
    const last = await fixture.parts.store.eraseTenant(TENANT, { limit: 9, now: NOW + HOUR_MS });
    expect(last).toEqual({ deleted: 1, isDone: true });
  });
});
