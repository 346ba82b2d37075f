import { describe, expect, test } from 'vitest';
import { periodOf } from '#core/budget/budget-account.ts';
import { VarveError, type ErrorDetails } from '#core/errors.ts';
import { type ErrorCode } from '#core/error-codes.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { HOUR_MS, MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import { openFixture, type Fixture } from './refresh-fixture.ts';

const TENANT = 'acme';
const TEXT = 'Ann lives in Oslo.';

const limited = (
  fixture: Fixture,
  limitTokens: number,
  onExhausted: 'Reject' | 'Extractive' = 'Reject',
) => fixture.declare(TENANT, ({ budget }) => ({ budget: { ...budget, limitTokens, onExhausted } }));

const accountOf = ({ parts }: Fixture) =>
  parts.store.accounts.get(TENANT, periodOf(NOW), defaultPolicy(TENANT).budget);

const entriesOf = ({ parts }: Fixture) => parts.store.accounts.entries(TENANT, { limit: 50 });

async function claimed({ activities }: Fixture): Promise<{ tenant: string; batchId: string }> {
  const claim = { tenant: TENANT, claimId: 'claim', kind: 'Stale' } as const;
  const [batch] = (await activities.claimBatches(claim)).batches;
  return { tenant: TENANT, batchId: batch?.batchId ?? '' };
}

describe('spending', () => {
  test('a call reserves tokens in advance and settles with what it used', async () => {
    let reserved = 0;
    await using fixture = await openFixture({
      answer: async (_, extractive) => {
        const { open } = await accountOf(fixture);
        reserved = open[0]?.amount.tokens ?? 0;
        return extractive();
      },
    });
    await fixture.add(TENANT, TEXT);
    const totals = await fixture.round(TENANT);
    expect(totals).toMatchObject({ modelCalls: 1, generated: 1 });
    const { spent, open } = await accountOf(fixture);
    expect(spent.tokens).toBe(totals.inputTokens + totals.outputTokens);
    expect(reserved).toBeGreaterThanOrEqual(spent.tokens);
    expect(open).toEqual([]);
    expect(await entriesOf(fixture)).toMatchObject([{ state: 'Settled', outcome: 'Usage', spent }]);
    expect(await fixture.summary(TENANT)).toMatchObject({
      model: 'metered',
      usage: { inputTokens: totals.inputTokens, outputTokens: totals.outputTokens },
      priceMicroDollars: totals.inputTokens,
    });
  });

  test('a tenant past its limit makes no call for a quarter of an hour', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await limited(fixture, 10);
    await fixture.add(TENANT, TEXT);
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 1, generated: 0, modelCalls: 0 });
    expect(fixture.calls).toHaveLength(0);
    expect(await fixture.scope(TENANT)).toMatchObject({
      lease: null,
      attempts: 0,
      dueAt: NOW + 15 * MINUTE_MS,
    });
    expect(await entriesOf(fixture)).toEqual([]);
  });

  test('an expired source does not end the pause of an exhausted tenant', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await fixture.add(TENANT, TEXT);
    await fixture.add(TENANT, 'Ann is in Bergen.', { expiresAt: NOW + HOUR_MS });
    await fixture.round(TENANT);
    await limited(fixture, 10);
    await fixture.parts.store.accounts.setLimits(TENANT, periodOf(NOW), {
      ...defaultPolicy(TENANT).budget,
      limitTokens: 10,
    });
    fixture.advance(HOUR_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 1, generated: 0 });
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    const window = await fixture.activities.readWindow({ tenant: TENANT });
    expect(window.kind).toBe('Idle');
    fixture.advance(15 * MINUTE_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ batches: 1 });
  });

  test('a tenant that chose Extractive is summarized without a model and pays nothing', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await limited(fixture, 10, 'Extractive');
    await fixture.add(TENANT, TEXT);
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1, modelCalls: 0 });
    expect(await fixture.summary(TENANT)).toMatchObject({
      model: 'extractive',
      priceMicroDollars: 0,
    });
    expect((await accountOf(fixture)).spent.tokens).toBe(0);
  });

  test('TMP-02: a stored answer is not paid for again', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await fixture.add(TENANT, TEXT);
    const batch = await claimed(fixture);
    expect(await fixture.activities.summarizeBatch(batch)).toMatchObject({ called: true });
    const { spent } = await accountOf(fixture);
    // As after a death between the activity's return and the server's hearing of it.
    expect(await fixture.activities.summarizeBatch(batch)).toMatchObject({ called: false });
    expect(await accountOf(fixture)).toMatchObject({ spent, open: [] });
    expect(fixture.calls).toHaveLength(1);
    expect(await fixture.activities.commitBatch(batch)).toMatchObject({ generated: 1 });
    expect(await fixture.activities.commitBatch(batch)).toMatchObject({ generated: 0, lost: 0 });
    expect(await fixture.activities.summarizeBatch(batch)).toEqual({ kind: 'Gone' });
  });

  test('changed sources make a new question, whose answer is paid for', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    await fixture.add(TENANT, TEXT);
    const batch = await claimed(fixture);
    await fixture.activities.summarizeBatch(batch);
    await fixture.add(TENANT, 'Ann gardens.');
    expect(await fixture.activities.summarizeBatch(batch)).toMatchObject({ called: true });
    expect(await fixture.activities.commitBatch(batch)).toMatchObject({ generated: 1 });
    expect(await fixture.summary(TENANT)).toMatchObject({ sourceCount: 2 });
  });

  test.each<[ErrorCode, 'NotCharged' | 'UnknownOutcome']>([
    ['RATE_LIMITED', 'NotCharged'],
    ['PROVIDER_REJECTED', 'NotCharged'],
    ['PROVIDER_ERROR', 'UnknownOutcome'],
    ['TIMEOUT', 'UnknownOutcome'],
    ['CANCELLED', 'UnknownOutcome'],
  ])('a call that ends with %s is settled as %s', async (code, outcome) => {
    await using fixture = await openFixture({
      answer: () => Promise.reject(new VarveError(code, 'It failed.')),
    });
    await fixture.add(TENANT, TEXT);
    const batch = await claimed(fixture);
    const failing = fixture.activities.summarizeBatch(batch);
    await expect(failing).rejects.toMatchObject({ code });
    const [entry] = await entriesOf(fixture);
    expect(entry).toMatchObject({ outcome });
    const { spent, open } = await accountOf(fixture);
    expect(open).toEqual([]);
    expect(spent).toEqual(
      outcome === 'NotCharged' ? { tokens: 0, microDollars: 0 } : entry?.reserved,
    );
  });

  test.each<[string, ErrorDetails, 'NotCharged' | 'UnknownOutcome']>([
    ['was not sent', { sent: false }, 'NotCharged'],
    ['was sent and broke off', { sent: true }, 'UnknownOutcome'],
    ['was refused with 500', { status: 500 }, 'NotCharged'],
    ['was refused with 503', { status: 503 }, 'NotCharged'],
    ['timed out at a gateway', { status: 504 }, 'UnknownOutcome'],
  ])('a call that %s is settled by what is known about it', async (_, details, outcome) => {
    await using fixture = await openFixture({
      answer: () => Promise.reject(new VarveError('PROVIDER_ERROR', 'It failed.', { details })),
    });
    await fixture.add(TENANT, TEXT);
    await expect(fixture.activities.summarizeBatch(await claimed(fixture))).rejects.toThrow(
      'failed',
    );
    expect((await entriesOf(fixture))[0]).toMatchObject({ outcome });
  });

  test('a model is asked only for the needed depths, or for all if readers may choose', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    for (const [tenant, depths, personalized] of [
      ['short', ['sentence'], false],
      ['whole', ['paragraph', 'detailed'], false],
      ['chosen', ['sentence'], true],
    ] as const) {
      await fixture.declare(tenant, ({ layers }) => ({
        layers: { ...layers, user: { ...layers.user, depths: [...depths], personalized } },
      }));
      await fixture.add(tenant, TEXT);
      await fixture.round(tenant);
    }
    const asked = fixture.calls.map(({ items }) => items.map((item) => item.tokensMax));
    expect(asked).toEqual([[50], [500], [500]]);
  });

  test('a model never sees the identifier of a person or a tenant', async () => {
    await using fixture = await openFixture({ answer: (_, extractive) => extractive() });
    const identifiers = { userId: 'ann@example.org' };
    await fixture.add('secret-tenant', TEXT, { identifiers });
    await fixture.round('secret-tenant');
    expect(fixture.calls).toHaveLength(1);
    expect(JSON.stringify(fixture.calls)).not.toMatch(/ann@example|secret-tenant/);
  });
});
