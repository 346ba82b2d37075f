import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { EMPTY_SOURCE_HASH } from '#core/hash.ts';
import { ATTEMPTS_MAX } from '#core/refresh/retries-and-dead-letters.ts';
import { requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { HOUR_MS, MINUTE_MS, NOW, SECOND_MS } from '#test/conformance/samples.ts';
import { openFixture } from './refresh-fixture.ts';

const TENANT = 'acme';

describe('a round', () => {
  test('a memory deleted during a commit is in no summary', async () => {
    const during: (() => Promise<unknown>)[] = [];
    await using fixture = await openFixture({ beforeEmbedding: async () => during.pop()?.() });
    await fixture.add(TENANT, 'Ann lives in Oslo with two cats.');
    const id = await fixture.add(TENANT, 'Ann has a secret garden in Bergen.');
    // The facts are grounded by then, and the summary is not written yet.
    during.push(() => fixture.remove(TENANT, id));
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    const summary = await fixture.summary(TENANT);
    expect(summary?.text).toBe('Ann lives in Oslo with two cats.');
    expect(JSON.stringify(summary)).not.toContain(id);
  });

  test('SUM-09: a failing embedder costs the vector but not the summary', async () => {
    const down = () => Promise.reject(new VarveError('PROVIDER_ERROR', 'It is down.'));
    await using fixture = await openFixture({ beforeEmbedding: down });
    await fixture.add(TENANT, 'Ann lives in Oslo with two cats.');
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    const scope = { tenant: TENANT, layer: 'user', scopeId: 'ann' } as const;
    const summary = await fixture.parts.store.summaries.get(scope, '');
    expect(summary?.depths.sentence?.text).toBe('Ann lives in Oslo with two cats.');
    expect(summary?.contextVector).toBeNull();
  });

  test('a write during a commit is counted and makes the summary stale', async () => {
    const during: (() => Promise<unknown>)[] = [];
    await using fixture = await openFixture({ beforeEmbedding: async () => during.pop()?.() });
    await fixture.add(TENANT, 'Ann lives in Oslo with two cats.');
    during.push(() => fixture.add(TENANT, 'Ann gardens.'));
    await fixture.round(TENANT);
    expect((await fixture.summary(TENANT))?.freshness).toMatchObject({
      reason: 'SourceChanged',
      changes: 1,
    });
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
    expect((await fixture.summary(TENANT))?.freshness.stale).toBe(false);
  });

  test('a scope whose last source expired is emptied once', async () => {
    await using fixture = await openFixture();
    await fixture.add(TENANT, 'Ann is in Bergen.', { expiresAt: NOW + HOUR_MS });
    await fixture.round(TENANT);
    fixture.advance(HOUR_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ emptied: 1 });
    expect(await fixture.scope(TENANT)).toMatchObject({
      sourceCount: 0,
      sourceHash: EMPTY_SOURCE_HASH,
      nextExpiryAt: null,
      dueAt: null,
    });
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ emptied: 0, batches: 0 });
  });

  test('the expiry of a deleted source makes the scope due only once', async () => {
    await using fixture = await openFixture();
    const id = await fixture.add(TENANT, 'Ann is in Bergen.', { expiresAt: NOW + HOUR_MS });
    await fixture.round(TENANT);
    await fixture.remove(TENANT, id);
    fixture.advance(2 * HOUR_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ emptied: 1 });
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ emptied: 0, batches: 0 });
  });

  test('SUM-04: an interval that ends with equal sources is a check without a call', async () => {
    await using fixture = await openFixture();
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    await fixture.round(TENANT);
    await fixture.remove(TENANT, await fixture.add(TENANT, 'Ann gardens.'));
    fixture.advance(HOUR_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ unchanged: 1, batches: 0 });
    expect(await fixture.scope(TENANT)).toMatchObject({
      checkedAt: NOW + HOUR_MS,
      generatedAt: NOW,
    });
    expect(await fixture.events(TENANT)).toEqual([
      'memory_summary_created',
      'memory_summary_checked',
    ]);
  });

  test('SUM-04: without skipIfUnchanged, a summary is made again after every interval', async () => {
    await using fixture = await openFixture();
    await fixture.declare(TENANT, ({ layers }) => ({
      layers: { ...layers, user: { ...layers.user, skipIfUnchanged: false } },
    }));
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    await fixture.round(TENANT);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 0 });
    fixture.advance(30 * MINUTE_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1, unchanged: 0 });
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 0 });
  });

  test('a summary past its maximum age is made again although nothing changed', async () => {
    await using fixture = await openFixture();
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    await fixture.round(TENANT);
    fixture.advance(24 * HOUR_MS);
    expect((await fixture.summary(TENANT))?.freshness.reason).toBe('MaxAge');
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1 });
    expect((await fixture.summary(TENANT))?.freshness.stale).toBe(false);
  });

  test('a repeated claim with the same id returns the same plan', async () => {
    await using fixture = await openFixture();
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    await fixture.add(TENANT, 'The shop grows.', {
      layer: 'project',
      identifiers: { projectId: 'p' },
    });
    const claim = (claimId: string) =>
      fixture.activities.claimBatches({ tenant: TENANT, claimId, kind: 'Stale' });
    const first = await claim('claim-1');
    expect(first.batches).toHaveLength(2);
    expect(await claim('claim-1')).toEqual(first);
    expect(await claim('claim-2')).toMatchObject({ batches: [] });
  });

  test('more scopes than one claim takes are all summarized by the next rounds', async () => {
    await using fixture = await openFixture();
    const scopes = Array.from({ length: 110 }, (_, n) => `p-${String(n)}`);
    for (const projectId of scopes) {
      await fixture.add(TENANT, 'The shop grows.', {
        layer: 'project',
        identifiers: { projectId },
      });
    }
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 8, generated: 96 });
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 2, generated: 14 });
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
  });

  test('TMP-05: a tenant that cannot be signaled does not hold up the others', async () => {
    await using fixture = await openFixture();
    for (const tenant of ['one', 'two', 'three']) await fixture.add(tenant, 'Ann lives in Oslo.');
    fixture.advance(HOUR_MS);
    const notified: string[] = [];
    const notify = (tenant: string) => {
      if (tenant === 'one') return Promise.reject(new Error('Not reached.'));
      notified.push(tenant);
      return Promise.resolve();
    };
    expect(await requestDueRefreshes(fixture.parts, { notify })).toBe(2);
    expect(notified.toSorted()).toEqual(['three', 'two']);
  });
});

describe('a failing model', () => {
  const facts = (batch: { items: readonly { item: string }[] }, text: string, id = 'nobody') => ({
    text: JSON.stringify({
      items: batch.items.map(({ item }) => ({ item, facts: [{ text, sources: [id] }] })),
    }),
    usage: { inputTokens: 1, outputTokens: 1 },
  });

  test('an unproven answer is refused, and the previous summary stays (LowGrounding)', async () => {
    let proven = true;
    await using fixture = await openFixture({
      answer: (batch, extractive) =>
        proven ? extractive() : Promise.resolve(facts(batch, 'Lies.')),
    });
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    await fixture.round(TENANT);
    proven = false;
    await fixture.add(TENANT, 'Ann gardens.');
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      expect(await fixture.round(TENANT)).toMatchObject({ refused: 1, generated: 0 });
      fixture.advance(2 * MINUTE_MS);
    }
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
    expect(await fixture.summary(TENANT)).toMatchObject({
      text: 'Ann lives in Oslo. Since then: Ann gardens.',
      freshness: { stale: true, reason: 'LowGrounding' },
    });
    proven = true;
    await fixture.add(TENANT, 'Ann has two cats.');
    expect((await fixture.summary(TENANT))?.freshness.reason).toBe('SourceChanged');
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 1 });
  });

  test('an invalid answer releases the batch, and its text is discarded', async () => {
    const lines: unknown[] = [];
    const note = (fields: unknown, message: string) => void lines.push([String(fields), message]);
    const log = { debug: note, info: note, warn: note, error: note };
    const text = 'Sure! Ann has a secret garden.';
    const usage = { inputTokens: 1, outputTokens: 1 };
    await using fixture = await openFixture({
      log,
      answer: () => Promise.resolve({ text, usage }),
    });
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    expect(await fixture.round(TENANT)).toMatchObject({ generated: 0, batches: 1 });
    expect(await fixture.scope(TENANT)).toMatchObject({ attempts: 1, lease: null });
    const [entry] = await fixture.parts.store.accounts.entries(TENANT, { limit: 9 });
    const answers = await fixture.parts.store.answers.ofBatch(TENANT, entry?.batchId ?? '');
    expect(answers).toMatchObject([{ state: 'committed', text: null }]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('a scope that breaks its calls does not dead-letter its siblings', async () => {
    await using fixture = await openFixture({
      answer: (batch, extractive) =>
        batch.items.some(({ sources }) => sources.some(({ text }) => text.includes('poison')))
          ? Promise.reject(new TypeError('The model choked.'))
          : extractive(),
    });
    const project = (projectId: string) => ({ layer: 'project', identifiers: { projectId } });
    await fixture.add(TENANT, 'The shop sells poison.', project('bad'));
    for (const id of ['a', 'b', 'c']) await fixture.add(TENANT, 'The shop grows.', project(id));
    const { activities, parts } = fixture;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const claim = { tenant: TENANT, claimId: `claim-${String(attempt)}`, kind: 'Stale' } as const;
      for (const { batchId } of (await activities.claimBatches(claim)).batches) {
        const batch = { tenant: TENANT, batchId };
        try {
          await activities.summarizeBatch(batch);
          await activities.commitBatch(batch);
        } catch {
          await activities.releaseBatch({ ...batch, code: 'CORRUPT' });
        }
      }
      fixture.advance(2 * MINUTE_MS);
    }
    const scopes = await parts.store.scopes.list(TENANT, 9);
    const dead = scopes.filter(({ deadLetter }) => deadLetter !== null);
    expect(dead.map(({ scopeId }) => scopeId)).toEqual(['bad']);
    expect(scopes.filter(({ generatedAt }) => generatedAt !== null)).toHaveLength(3);
    expect(await fixture.events(TENANT)).toContain('memory_batch_dead_lettered');
  });

  test('a scope is tried three times, then not until it changes again', async () => {
    await using fixture = await openFixture({
      answer: () => Promise.reject(new TypeError('The model choked.')),
    });
    await fixture.add(TENANT, 'Ann lives in Oslo.');
    const { activities } = fixture;
    const pauses: number[] = [];
    let now = NOW;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      const claim = { tenant: TENANT, claimId: `claim-${String(attempt)}`, kind: 'Stale' } as const;
      const [batch] = (await activities.claimBatches(claim)).batches;
      await activities.releaseBatch({
        tenant: TENANT,
        batchId: batch?.batchId ?? '',
        code: 'CORRUPT',
      });
      const { dueAt } = await fixture.scope(TENANT);
      if (dueAt === null) break;
      pauses.push(dueAt - now);
      // Not before its end, though every stale scope is asked for.
      expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
      fixture.advance(dueAt - now);
      now = dueAt;
    }
    expect(pauses).toEqual([30 * SECOND_MS, 60 * SECOND_MS, HOUR_MS]);
    expect((await fixture.scope(TENANT)).deadLetter).toMatchObject({
      code: 'CORRUPT',
      at: now - HOUR_MS,
    });
    fixture.advance(-1);
    expect(await fixture.round(TENANT)).toMatchObject({ batches: 0 });
    await fixture.add(TENANT, 'Ann gardens.');
    expect(await fixture.scope(TENANT)).toMatchObject({ deadLetter: null, attempts: 0 });
  });
});
