import { describe, expect, test } from 'vitest';
import { createActivities } from '#activities/create-activities.ts';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { VarveError } from '#core/errors.ts';
import type { ModelBatch } from '#core/ports/model.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import type { RefreshActivities } from '#core/refresh/refresh-contract.ts';
import { VARIANT_BUDGET_SHARE } from '#core/variants/plan-variants.ts';
import {
  JOIN_CALL_PAUSE_MS,
  READ_WITHIN_MS,
  FAILURE_HOLD_MS,
} from '#core/variants/variant-rules.ts';
import { MINUTE_MS, HOUR_MS } from '../../conformance/samples.ts';
import type { Fixture } from './refresh-fixture.ts';
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
  declare,
  NO_LIMIT,
  PERIOD,
  USAGE,
} from './variant-fixture.ts';

describe('variants in a round', () => {
  test('the variants of one reader share a call with nobody else', async () => {
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

  test('a variant is renewed while it is read within seven days, and no longer', async () => {
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

  test('a read opens a batch window and waits for its end', async () => {
    await using fixture = await openShop();
    const window = () => fixture.activities.readWindow({ tenant: TENANT });
    expect(await window()).toMatchObject({ kind: 'Idle' });
    await read(fixture, ANN);
    const { wanted } = await fixture.parts.store.refreshRequests.get(TENANT);
    const open = {
      kind: 'Open',
      wanted,
      closesInMs: JOIN_CALL_PAUSE_MS,
      pending: 1,
      layers: ['project'],
    };
    expect(await window()).toMatchObject(open);
    expect(await fixture.activities.acknowledge({ tenant: TENANT, seen: wanted })).toBe(false);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    fixture.advance(JOIN_CALL_PAUSE_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 1, generated: 1 });
    expect(await window()).toMatchObject({ kind: 'Idle' });
    expect(await fixture.activities.acknowledge({ tenant: TENANT, seen: wanted })).toBe(true);
  });

  test('repeating a claim, a call or a commit has no second effect', async () => {
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

  test('a variant chosen from outdated facts is not written', async () => {
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

describe('a variant that cannot be made', () => {
  test.each([
    ['names unknown facts', (batch: ModelBatch) => KEEP_ALL(batch).replaceAll('/', '+')],
    ['names mostly unknown facts', (batch: ModelBatch) => mostlyUnknown(batch)],
    ['states facts instead', (batch: ModelBatch) => stated(batch)],
    ['is not valid', () => 'I would rather not.'],
  ])('leaves the general summary in place if an answer %s', async (_, answer) => {
    await using fixture = await openShop({ answer: forVariants(answer) });
    const general = await read(fixture, { projectId: 'shop' });
    await read(fixture, ANN);
    const before = fixture.calls.length;
    for (let attempts = 1; attempts <= 3; attempts += 1) {
      expect(await fixture.round(TENANT, 'Stale')).toMatchObject({ refused: 1, generated: 0 });
      expect(fixture.calls).toHaveLength(before + attempts);
    }
    expect(await read(fixture, ANN)).toEqual(general);
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
    fixture.advance(FAILURE_HOLD_MS);
    await read(fixture, ANN);
    expect(await variantOf(fixture)).toMatchObject({ heldUntil: null, attempts: 0 });
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 1 });
  });

  test('does not fail a read that cannot be recorded', async () => {
    await using stack = await openShop();
    const broken = () => Promise.reject(new VarveError('TIMEOUT', 'The store is busy.'));
    const { store } = stack.ports;
    const ports = {
      ...stack.ports,
      store: { ...store, variants: { ...store.variants, get: broken } },
    };
    const asked = { tenant: TENANT, layer: 'project', identifiers: ANN } as const;
    const answer = await OPERATIONS.summary.get.call(ports, LOCAL_OPERATOR, asked);
    expect(answer).toEqual(await read(stack, { projectId: 'shop' }));
    expect(await variantOf(stack)).toBeNull();
  });

  test('waits after a failed call and is made once the model is back', async () => {
    let isDown = true;
    await using fixture = await openShop({
      answer: forVariants((batch) => {
        if (isDown) throw new VarveError('MODEL_OUTPUT_INVALID', 'The model answered nothing.');
        return KEEP_ALL(batch);
      }),
    });
    await read(fixture, ANN);
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 1, generated: 0 });
    expect(await variantOf(fixture)).toMatchObject({ attempts: 1, lease: null });
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    isDown = false;
    fixture.advance(MINUTE_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 1, generated: 1 });
    expect(await read(fixture, ANN)).toMatchObject({ personalized: true });
  });

  test('leaves the budget to general summaries once the share of variants is used', async () => {
    await using fixture = await openShop({ answer: forVariants(KEEP_ALL) });
    await declare(fixture, { ...NO_LIMIT, limitTokens: 100_000 });
    await read(fixture, ANN);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    const used = await fixture.parts.store.accounts.used(TENANT, {
      period: PERIOD,
      purpose: 'variant',
    });
    expect(used.tokens).toBe(USAGE.inputTokens + USAGE.outputTokens);
    const limitTokens = used.tokens / VARIANT_BUDGET_SHARE;
    const { accounts } = fixture.parts.store;
    await accounts.setLimits(TENANT, PERIOD, { ...NO_LIMIT, limitTokens });
    await read(fixture, BOB);
    await fixture.add(TENANT, 'The shop moved.', { layer: 'project', identifiers: ANN });
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 1, generated: 1 });
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
    expect(await read(fixture, ANN)).toMatchObject({ personalized: false });
    fixture.advance(HOUR_MS);
    await accounts.setLimits(TENANT, PERIOD, { ...NO_LIMIT, limitTokens: limitTokens + 1 });
    await read(fixture, ANN);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
  });

  test.each([
    ['Reject', false],
    ['Extractive', true],
  ] as const)(
    'without budget and with %s is served as personalized: %s',
    async (onExhausted, own) => {
      await using fixture = await openShop();
      await declare(fixture, { ...NO_LIMIT, limitTokens: 100_000, onExhausted });
      await read(fixture, ANN);
      await declare(fixture, { ...NO_LIMIT, limitTokens: 300, onExhausted });
      const { accounts } = fixture.parts.store;
      await accounts.setLimits(TENANT, PERIOD, { ...NO_LIMIT, limitTokens: 300 });
      const before = fixture.calls.length;
      await fixture.round(TENANT);
      expect(fixture.calls).toHaveLength(before);
      expect(await read(fixture, ANN)).toMatchObject({ personalized: own });
      expect(await variantOf(fixture)).toMatchObject({ lease: null, dueAt: null });
    },
  );
});

/** One of the offered facts, and two that were not offered. */
function mostlyUnknown({ items }: ModelBatch): string {
  return JSON.stringify({
    items: items.map(({ item, sources }) => ({
      item,
      kept: [...sources.slice(0, 1).map(({ id }) => id), 'unknown-1', 'unknown-2'],
    })),
  });
}

/** Facts of its own where a choice was asked for. */
function stated({ items }: ModelBatch): string {
  const facts = [{ text: 'Ann owns the bank.', sources: [] }];
  return JSON.stringify({ items: items.map(({ item }) => ({ item, facts })) });
}

describe('a variant at the moment of its commit', () => {
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

  test('gives way to a new general summary and is chosen again', async () => {
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

  test('does not show a source deleted at that moment', async () => {
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

  test('is committed despite one more write to the scope', async () => {
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
  test('is released at once and made after the general summary', async () => {
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
  test('omits what its reader deleted, even before any refresh', async () => {
    await using fixture = await openShop();
    const id = await fixture.add(TENANT, 'Ann is afraid of the xylophone.');
    await fixture.round(TENANT);
    await read(fixture, ANN);
    await fixture.remove(TENANT, id);
    fixture.advance(JOIN_CALL_PAUSE_MS);
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
