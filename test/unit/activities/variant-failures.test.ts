import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { VarveError } from '#core/errors.ts';
import type { ModelBatch } from '#core/ports/model.ts';
import { HELD_MS } from '#core/variants/variant.ts';
import { VARIANT_BUDGET_SHARE } from '#core/variants/plan-variants.ts';
import { HOUR_MS, MINUTE_MS } from '#test/conformance/samples.ts';
import {
  ANN,
  BOB,
  declare,
  forVariants,
  KEEP_ALL,
  NO_LIMIT,
  openShop,
  PERIOD,
  read,
  TENANT,
  USAGE,
  variantOf,
} from './variant-fixture.ts';

describe('a variant that is not made', () => {
  test.each([
    ['names facts of nobody', (batch: ModelBatch) => KEEP_ALL(batch).replaceAll('/', '+')],
    ['names more of nobody than of its own', (batch: ModelBatch) => mostlyUnknown(batch)],
    ['states facts instead', (batch: ModelBatch) => stated(batch)],
    ['is no answer', () => 'I would rather not.'],
  ])('the general summary stays where an answer %s', async (_, answer) => {
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
    fixture.advance(HELD_MS);
    await read(fixture, ANN);
    expect(await variantOf(fixture)).toMatchObject({ heldUntil: null, attempts: 0 });
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 1 });
  });

  test('a read that can not be noted is answered', async () => {
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

  test('after a failed call it waits, and is made when the model is back', async () => {
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

  test('with their share of the budget used, general summaries go on alone', async () => {
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
  ] as const)('without budget and %s, personalized: %s', async (onExhausted, own) => {
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
  });
});

/** One of the facts that were offered, and two that nobody offered. */
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
