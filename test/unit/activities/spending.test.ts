import { describe, expect, test } from 'vitest';
import { periodOf } from '#core/budget/budget.ts';
import { VarveError, type ErrorCode, type ErrorDetails } from '#core/errors.ts';
import { defaultPolicy } from '#core/records/policy.ts';
import { HOUR_MS, MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import { openStand, type Stand } from './refresh-stand.ts';

const TENANT = 'acme';
const TEXT = 'Ann lives in Oslo.';

const limited = (
  stand: Stand,
  limitTokens: number,
  onExhausted: 'Reject' | 'Extractive' = 'Reject',
) => stand.declare(TENANT, ({ budget }) => ({ budget: { ...budget, limitTokens, onExhausted } }));

const accountOf = ({ parts }: Stand) =>
  parts.store.accounts.get(TENANT, periodOf(NOW), defaultPolicy(TENANT).budget);

const entriesOf = ({ parts }: Stand) => parts.store.accounts.entries(TENANT, { limit: 50 });

async function claimed({ activities }: Stand): Promise<{ tenant: string; batchId: string }> {
  const claim = { tenant: TENANT, claimId: 'claim', kind: 'Stale' } as const;
  const [batch] = (await activities.claimBatches(claim)).batches;
  return { tenant: TENANT, batchId: batch?.batchId ?? '' };
}

describe('spending', () => {
  test('a call reserves before, and settles with what it used', async () => {
    let reserved = 0;
    await using stand = await openStand({
      answer: async (_, extractive) => {
        const { open } = await accountOf(stand);
        reserved = open[0]?.amount.tokens ?? 0;
        return extractive();
      },
    });
    await stand.add(TENANT, TEXT);
    const totals = await stand.round(TENANT);
    expect(totals).toMatchObject({ modelCalls: 1, generated: 1 });
    const { spent, open } = await accountOf(stand);
    expect(spent.tokens).toBe(totals.inputTokens + totals.outputTokens);
    expect(reserved).toBeGreaterThanOrEqual(spent.tokens);
    expect(open).toEqual([]);
    expect(await entriesOf(stand)).toMatchObject([{ state: 'Settled', outcome: 'Usage', spent }]);
    expect(await stand.summary(TENANT)).toMatchObject({
      model: 'metered',
      usage: { inputTokens: totals.inputTokens, outputTokens: totals.outputTokens },
      priceMicroDollars: totals.inputTokens,
    });
  });

  test('past the limit nothing is called for a quarter of an hour', async () => {
    await using stand = await openStand({ answer: (_, extractive) => extractive() });
    await limited(stand, 10);
    await stand.add(TENANT, TEXT);
    expect(await stand.round(TENANT)).toMatchObject({ batches: 1, generated: 0, modelCalls: 0 });
    expect(stand.calls).toHaveLength(0);
    expect(await stand.scope(TENANT)).toMatchObject({
      lease: null,
      attempts: 0,
      dueAt: NOW + 15 * MINUTE_MS,
    });
    expect(await entriesOf(stand)).toEqual([]);
  });

  test('an ended source lets an exhausted tenant have its pause', async () => {
    await using stand = await openStand({ answer: (_, extractive) => extractive() });
    await stand.add(TENANT, TEXT);
    await stand.add(TENANT, 'Ann is in Bergen.', { expiresAt: NOW + HOUR_MS });
    await stand.round(TENANT);
    await limited(stand, 10);
    await stand.parts.store.accounts.setLimits(TENANT, periodOf(NOW), {
      ...defaultPolicy(TENANT).budget,
      limitTokens: 10,
    });
    stand.advance(HOUR_MS);
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ batches: 1, generated: 0 });
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ batches: 0 });
    const window = await stand.activities.readWindow({ tenant: TENANT });
    expect(window.kind).toBe('Idle');
    stand.advance(15 * MINUTE_MS);
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ batches: 1 });
  });

  test('who chose so is summarised without a model, and pays nothing', async () => {
    await using stand = await openStand({ answer: (_, extractive) => extractive() });
    await limited(stand, 10, 'Extractive');
    await stand.add(TENANT, TEXT);
    expect(await stand.round(TENANT)).toMatchObject({ generated: 1, modelCalls: 0 });
    expect(await stand.summary(TENANT)).toMatchObject({
      model: 'extractive',
      priceMicroDollars: 0,
    });
    expect((await accountOf(stand)).spent.tokens).toBe(0);
  });

  test('TMP-02: an answer that was stored is not paid for again', async () => {
    await using stand = await openStand({ answer: (_, extractive) => extractive() });
    await stand.add(TENANT, TEXT);
    const batch = await claimed(stand);
    expect(await stand.activities.summarizeBatch(batch)).toMatchObject({ called: true });
    const { spent } = await accountOf(stand);
    // As after a death between the activity's return and the server's hearing of it.
    expect(await stand.activities.summarizeBatch(batch)).toMatchObject({ called: false });
    expect(await accountOf(stand)).toMatchObject({ spent, open: [] });
    expect(stand.calls).toHaveLength(1);
    expect(await stand.activities.commitBatch(batch)).toMatchObject({ generated: 1 });
    expect(await stand.activities.commitBatch(batch)).toMatchObject({ generated: 0, lost: 0 });
    expect(await stand.activities.summarizeBatch(batch)).toEqual({ kind: 'Gone' });
  });

  test('changed sources are another question, whose answer is paid for', async () => {
    await using stand = await openStand({ answer: (_, extractive) => extractive() });
    await stand.add(TENANT, TEXT);
    const batch = await claimed(stand);
    await stand.activities.summarizeBatch(batch);
    await stand.add(TENANT, 'Ann gardens.');
    expect(await stand.activities.summarizeBatch(batch)).toMatchObject({ called: true });
    expect(await stand.activities.commitBatch(batch)).toMatchObject({ generated: 1 });
    expect(await stand.summary(TENANT)).toMatchObject({ sourceCount: 2 });
  });

  test.each<[ErrorCode, 'NotCharged' | 'UnknownOutcome']>([
    ['RATE_LIMITED', 'NotCharged'],
    ['PROVIDER_REJECTED', 'NotCharged'],
    ['PROVIDER_ERROR', 'UnknownOutcome'],
    ['TIMEOUT', 'UnknownOutcome'],
    ['CANCELLED', 'UnknownOutcome'],
  ])('a call that ends with %s is settled as %s', async (code, outcome) => {
    await using stand = await openStand({
      answer: () => Promise.reject(new VarveError(code, 'It failed.')),
    });
    await stand.add(TENANT, TEXT);
    const batch = await claimed(stand);
    const failing = stand.activities.summarizeBatch(batch);
    await expect(failing).rejects.toMatchObject({ code });
    const [entry] = await entriesOf(stand);
    expect(entry).toMatchObject({ outcome });
    const { spent, open } = await accountOf(stand);
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
    ['ended at a gateway that waited in vain', { status: 504 }, 'UnknownOutcome'],
  ])('a call that %s is settled by what is known of it', async (_, details, outcome) => {
    await using stand = await openStand({
      answer: () => Promise.reject(new VarveError('PROVIDER_ERROR', 'It failed.', { details })),
    });
    await stand.add(TENANT, TEXT);
    await expect(stand.activities.summarizeBatch(await claimed(stand))).rejects.toThrow('failed');
    expect((await entriesOf(stand))[0]).toMatchObject({ outcome });
  });

  test('a model is shown no identifier of a person or of a tenant', async () => {
    await using stand = await openStand({ answer: (_, extractive) => extractive() });
    const identifiers = { userId: 'ann@example.org' };
    await stand.add('secret-tenant', TEXT, { identifiers });
    await stand.round('secret-tenant');
    expect(stand.calls).toHaveLength(1);
    expect(JSON.stringify(stand.calls)).not.toMatch(/ann@example|secret-tenant/);
  });
});
