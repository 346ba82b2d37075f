import { describe, expect, test } from 'vitest';
import { createActivities } from '#activities/create-activities.ts';
import { NO_REFRESH_TRIGGER } from '#cli/compose.ts';
import type { RefreshActivities } from '#core/refresh/refresh-contract.ts';
import { COMPANY_MS } from '#core/variants/variant.ts';
import type { Fixture } from './refresh-fixture.ts';
import { ANN, openShop, PROJECT, read, TENANT, variantOf } from './variant-fixture.ts';

describe('a variant in the moment of its commit', () => {
  /** Commits of variants wait for what a test lets happen first. */
  function interrupted({ parts }: Fixture, happening: () => Promise<unknown>): RefreshActivities {
    let isFirst = true;
    const { summaries } = parts.store;
    const commit: typeof summaries.commit = async (committed) => {
      if (committed.summary?.personalized === true && isFirst) {
        isFirst = false;
        await happening();
      }
      return summaries.commit(committed);
    };
    const store = { ...parts.store, summaries: { ...summaries, commit } };
    const { signal } = new AbortController();
    return createActivities({ ...parts, store }, NO_REFRESH_TRIGGER, () => ({ signal }));
  }

  async function made(activities: RefreshActivities): Promise<number> {
    const claim = { tenant: TENANT, claimId: 'mine', kind: 'Stale' } as const;
    const [batch] = (await activities.claimBatches(claim)).batches;
    const key = { tenant: TENANT, batchId: batch?.batchId ?? '' };
    await activities.summarizeBatch(key);
    return (await activities.commitBatch(key)).generated;
  }

  test('a new general summary comes first, and the variant is chosen anew', async () => {
    await using fixture = await openShop();
    await read(fixture, ANN);
    const activities = interrupted(fixture, async () => {
      await fixture.add(TENANT, 'The shop moved.', { layer: 'project', identifiers: ANN });
      await fixture.round(TENANT);
    });
    expect(await made(activities)).toBe(0);
    expect(await fixture.parts.store.summaries.get(PROJECT, 'user:ann')).toBeNull();
    expect(await variantOf(fixture)).toMatchObject({ lease: null });
    await fixture.round(TENANT);
    expect(await read(fixture, ANN)).toMatchObject({ personalized: true });
  });

  test('what is deleted then is in no answer', async () => {
    await using fixture = await openShop();
    const layer = { layer: 'project', identifiers: ANN };
    const id = await fixture.add(TENANT, 'The roses of the shop bloom in July.', layer);
    await fixture.round(TENANT);
    await read(fixture, ANN);
    await made(interrupted(fixture, () => fixture.remove(TENANT, id)));
    const shown = await read(fixture, ANN);
    expect(shown?.freshness).toMatchObject({ stale: true, reason: 'SourceDeleted' });
    expect(JSON.stringify(shown)).not.toContain('July');
  });

  test('one more write to the scope takes nothing away', async () => {
    await using fixture = await openShop();
    await read(fixture, ANN);
    const activities = interrupted(fixture, () =>
      fixture.add(TENANT, 'The shop moved.', { layer: 'project', identifiers: ANN }),
    );
    expect(await made(activities)).toBe(1);
    const shown = await read(fixture, ANN);
    expect(shown).toMatchObject({ personalized: true, freshness: { reason: 'SourceChanged' } });
  });
});

describe('a variant that was claimed in vain', () => {
  test('it is free again at once, and made after the general summary', async () => {
    await using fixture = await openShop();
    await read(fixture, ANN);
    const claim = { tenant: TENANT, claimId: 'mine', kind: 'Stale' } as const;
    const [batch] = (await fixture.activities.claimBatches(claim)).batches;
    const key = { tenant: TENANT, batchId: batch?.batchId ?? '' };
    for (let changes = 0; changes < 3; changes += 1) {
      const content = `The shop moved to house ${String(changes)}.`;
      await fixture.add(TENANT, content, { layer: 'project', identifiers: ANN });
    }
    expect(await fixture.activities.summarizeBatch(key)).toEqual({ kind: 'Gone' });
    expect(await variantOf(fixture)).toMatchObject({ lease: null, dueAt: null });
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    expect(await read(fixture, ANN)).toMatchObject({ personalized: true });
  });
});

const READER = { layer: 'user', scopeId: 'ann' } as const;

describe('the context of a variant', () => {
  test('what its reader deleted does not shape it, before any refresh', async () => {
    await using fixture = await openShop();
    const id = await fixture.add(TENANT, 'Ann is afraid of the xylophone.');
    await fixture.round(TENANT);
    await read(fixture, ANN);
    await fixture.remove(TENANT, id);
    fixture.advance(COMPANY_MS);
    const before = fixture.calls.length;
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1 });
    const asked = fixture.calls.slice(before).flatMap(({ items }) => items);
    expect(asked.map(({ audience }) => audience)).toEqual([
      'Ann grows tulips and roses in the greenhouse.',
    ]);
    const made = await fixture.parts.store.summaries.get(PROJECT, 'user:ann');
    const own = await fixture.parts.store.summaries.get({ ...PROJECT, ...READER }, '');
    expect(made?.personalizationContext).toBe(`summary ${own?.id ?? ''} of the user`);
  });
});
