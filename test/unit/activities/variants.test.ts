import { describe, expect, test } from 'vitest';
import { COMPANY_MS, READ_WITHIN_MS } from '#core/variants/variant.ts';
import { MINUTE_MS } from '#test/conformance/samples.ts';
import {
  ANN,
  BOB,
  forVariants,
  KEEP_ALL,
  openShop,
  PROJECT,
  read,
  TENANT,
  variantOf,
} from './variant-fixture.ts';

describe('variants in a round', () => {
  test('those of one reader share a call, and nobody else is in it', async () => {
    await using fixture = await openShop();
    const before = fixture.calls.length;
    for (const identifiers of [ANN, BOB]) {
      for (const layer of ['project', 'company'] as const) await read(fixture, identifiers, layer);
    }
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 2, generated: 4, modelCalls: 2 });
    const calls = fixture.calls.slice(before);
    expect(calls.map(({ items }) => items.map(({ layer }) => layer).toSorted())).toEqual([
      ['company', 'project'],
      ['company', 'project'],
    ]);
    const readers = calls.map(({ items }) =>
      [...new Set(items.map(({ audience }) => audience))].join(),
    );
    expect(readers.toSorted()).toEqual([
      'Ann grows tulips and roses in the greenhouse.',
      'Bob pays invoices.',
    ]);
    expect(JSON.stringify(calls)).not.toMatch(/shop|user:|userId/u);
    expect(await read(fixture, ANN)).toMatchObject({ personalized: true, model: 'metered' });
  });

  test('it is made anew while it is read within seven days, and no longer', async () => {
    await using fixture = await openShop();
    await read(fixture, ANN);
    await fixture.round(TENANT);
    const renew = async (): Promise<string | undefined> => {
      await fixture.add(TENANT, 'The shop moved.', { layer: 'project', identifiers: ANN });
      await fixture.round(TENANT);
      await fixture.round(TENANT);
      return (await fixture.parts.store.summaries.get(PROJECT, 'user:ann'))?.id;
    };
    fixture.advance(READ_WITHIN_MS);
    const first = await renew();
    expect(first).toBeDefined();
    await read(fixture, ANN);
    fixture.advance(READ_WITHIN_MS);
    const second = await renew();
    expect([undefined, first]).not.toContain(second);
    fixture.advance(MINUTE_MS);
    expect(await renew()).toBeUndefined();
    expect(await read(fixture, ANN)).toMatchObject({ personalized: false });
    await fixture.round(TENANT);
    expect(await read(fixture, ANN)).toMatchObject({ personalized: true });
  });

  test('a read opens a window, in which the reader has its pause', async () => {
    await using fixture = await openShop();
    const window = () => fixture.activities.readWindow({ tenant: TENANT });
    expect(await window()).toMatchObject({ kind: 'Idle' });
    await read(fixture, ANN);
    const { wanted } = await fixture.parts.store.refreshRequests.get(TENANT);
    const open = { kind: 'Open', wanted, closesInMs: COMPANY_MS, pending: 1, layers: ['project'] };
    expect(await window()).toMatchObject(open);
    expect(await fixture.activities.acknowledge({ tenant: TENANT, seen: wanted })).toBe(false);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    fixture.advance(COMPANY_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 1, generated: 1 });
    expect(await window()).toMatchObject({ kind: 'Idle' });
    expect(await fixture.activities.acknowledge({ tenant: TENANT, seen: wanted })).toBe(true);
  });

  test('a claim, a call and a commit may be repeated without a second effect', async () => {
    await using fixture = await openShop();
    await read(fixture, ANN);
    const claim = { tenant: TENANT, claimId: 'claim', kind: 'Stale' } as const;
    const claimed = await fixture.activities.claimBatches(claim);
    expect(await fixture.activities.claimBatches(claim)).toEqual(claimed);
    const other = { ...claim, claimId: 'other' };
    expect((await fixture.activities.claimBatches(other)).batches).toEqual([]);
    const before = fixture.calls.length;
    const batch = { tenant: TENANT, batchId: claimed.batches[0]?.batchId ?? '' };
    const first = await fixture.activities.summarizeBatch(batch);
    const second = await fixture.activities.summarizeBatch(batch);
    expect([first, second]).toMatchObject([{ called: true }, { called: false }]);
    expect(fixture.calls).toHaveLength(before + 1);
    expect(await fixture.activities.commitBatch(batch)).toMatchObject({ generated: 1 });
    const made = await read(fixture, ANN);
    expect(await fixture.activities.commitBatch(batch)).toMatchObject({ generated: 0 });
    expect(await fixture.activities.summarizeBatch(batch)).toEqual({ kind: 'Gone' });
    expect(await read(fixture, ANN)).toEqual(made);
    expect(await variantOf(fixture)).toMatchObject({ dueAt: null, lease: null });
  });

  test('one chosen from facts that are no more is not written', async () => {
    const touched: { change: (() => Promise<unknown>) | null } = { change: null };
    await using fixture = await openShop({
      answer: forVariants(async (batch) => {
        await touched.change?.();
        touched.change = null;
        return KEEP_ALL(batch);
      }),
    });
    await read(fixture, ANN);
    touched.change = async () => {
      await fixture.add(TENANT, 'The shop moved.', { layer: 'project', identifiers: ANN });
      await fixture.round(TENANT);
    };
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 1, generated: 0 });
    expect(await read(fixture, ANN)).toMatchObject({ personalized: false });
    await fixture.round(TENANT);
    const made = await read(fixture, ANN);
    expect(made).toMatchObject({ personalized: true });
    expect(made?.facts.map(({ text }) => text).join(' ')).toContain('moved');
  });
});
