import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { EMPTY_SOURCE_HASH } from '#core/hash.ts';
import { ATTEMPTS_MAX } from '#core/refresh/scope-failure.ts';
import { requestDueRefreshes } from '#activities/request-due-refreshes.ts';
import { HOUR_MS, MINUTE_MS, NOW, SECOND_MS } from '#test/conformance/samples.ts';
import { openStand } from './refresh-stand.ts';

const TENANT = 'acme';

describe('a round', () => {
  test('a memory deleted during a commit is in no summary, however late', async () => {
    const during: (() => Promise<unknown>)[] = [];
    await using stand = await openStand({ beforeEmbedding: async () => during.pop()?.() });
    await stand.add(TENANT, 'Ann lives in Oslo with two cats.');
    const id = await stand.add(TENANT, 'Ann has a secret garden in Bergen.');
    // The facts are grounded by then, and the summary is not written yet.
    during.push(() => stand.remove(TENANT, id));
    expect(await stand.round(TENANT)).toMatchObject({ generated: 1 });
    const summary = await stand.summary(TENANT);
    expect(summary?.text).toBe('Ann lives in Oslo with two cats.');
    expect(JSON.stringify(summary)).not.toContain(id);
  });

  test('SUM-09: an embedder that fails costs the vector and not the summary', async () => {
    const down = () => Promise.reject(new VarveError('PROVIDER_ERROR', 'It is down.'));
    await using stand = await openStand({ beforeEmbedding: down });
    await stand.add(TENANT, 'Ann lives in Oslo with two cats.');
    expect(await stand.round(TENANT)).toMatchObject({ generated: 1 });
    const scope = { tenant: TENANT, layer: 'user', scopeId: 'ann' } as const;
    const summary = await stand.parts.store.summaries.get(scope, '');
    expect(summary?.depths.sentence?.text).toBe('Ann lives in Oslo with two cats.');
    expect(summary?.contextVector).toBeNull();
  });

  test('a write during a commit stays counted, and the summary stale', async () => {
    const during: (() => Promise<unknown>)[] = [];
    await using stand = await openStand({ beforeEmbedding: async () => during.pop()?.() });
    await stand.add(TENANT, 'Ann lives in Oslo with two cats.');
    during.push(() => stand.add(TENANT, 'Ann gardens.'));
    await stand.round(TENANT);
    expect((await stand.summary(TENANT))?.freshness).toMatchObject({
      reason: 'SourceChanged',
      changes: 1,
    });
    expect(await stand.round(TENANT)).toMatchObject({ generated: 1 });
    expect((await stand.summary(TENANT))?.freshness.stale).toBe(false);
  });

  test('a scope whose last source ended by itself is emptied for good', async () => {
    await using stand = await openStand();
    await stand.add(TENANT, 'Ann is in Bergen.', { expiresAt: NOW + HOUR_MS });
    await stand.round(TENANT);
    stand.advance(HOUR_MS);
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ emptied: 1 });
    expect(await stand.scope(TENANT)).toMatchObject({
      sourceCount: 0,
      sourceHash: EMPTY_SOURCE_HASH,
      nextExpiryAt: null,
      dueAt: null,
    });
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ emptied: 0, batches: 0 });
  });

  test('the end of a deleted source makes nothing due for ever', async () => {
    await using stand = await openStand();
    const id = await stand.add(TENANT, 'Ann is in Bergen.', { expiresAt: NOW + HOUR_MS });
    await stand.round(TENANT);
    await stand.remove(TENANT, id);
    stand.advance(2 * HOUR_MS);
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ emptied: 1 });
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ emptied: 0, batches: 0 });
  });

  test('SUM-04: an interval that ends with equal sources is a check, and no call', async () => {
    await using stand = await openStand();
    await stand.add(TENANT, 'Ann lives in Oslo.');
    await stand.round(TENANT);
    await stand.remove(TENANT, await stand.add(TENANT, 'Ann gardens.'));
    stand.advance(HOUR_MS);
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ unchanged: 1, batches: 0 });
    expect(await stand.scope(TENANT)).toMatchObject({ checkedAt: NOW + HOUR_MS, generatedAt: NOW });
    expect(await stand.events(TENANT)).toEqual([
      'memory_summary_created',
      'memory_summary_checked',
    ]);
  });

  test('SUM-04: without skipIfUnchanged it is made anew after every interval', async () => {
    await using stand = await openStand();
    await stand.declare(TENANT, ({ layers }) => ({
      layers: { ...layers, user: { ...layers.user, skipIfUnchanged: false } },
    }));
    await stand.add(TENANT, 'Ann lives in Oslo.');
    await stand.round(TENANT);
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ generated: 0 });
    stand.advance(30 * MINUTE_MS);
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ generated: 1, unchanged: 0 });
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ generated: 0 });
  });

  test('a summary that is too old is made anew, though nothing changed', async () => {
    await using stand = await openStand();
    await stand.add(TENANT, 'Ann lives in Oslo.');
    await stand.round(TENANT);
    stand.advance(24 * HOUR_MS);
    expect((await stand.summary(TENANT))?.freshness.reason).toBe('MaxAge');
    expect(await stand.round(TENANT, 'Due')).toMatchObject({ generated: 1 });
    expect((await stand.summary(TENANT))?.freshness.stale).toBe(false);
  });

  test('a claim that is made again under its id answers the plan it made', async () => {
    await using stand = await openStand();
    await stand.add(TENANT, 'Ann lives in Oslo.');
    await stand.add(TENANT, 'The shop grows.', {
      layer: 'project',
      identifiers: { projectId: 'p' },
    });
    const claim = (claimId: string) =>
      stand.activities.claimBatches({ tenant: TENANT, claimId, kind: 'Stale' });
    const first = await claim('claim-1');
    expect(first.batches).toHaveLength(2);
    expect(await claim('claim-1')).toEqual(first);
    expect(await claim('claim-2')).toMatchObject({ batches: [] });
  });

  test('of more scopes than a claim looks at, each gets its turn', async () => {
    await using stand = await openStand();
    const scopes = Array.from({ length: 110 }, (_, n) => `p-${String(n)}`);
    for (const projectId of scopes) {
      await stand.add(TENANT, 'The shop grows.', { layer: 'project', identifiers: { projectId } });
    }
    expect(await stand.round(TENANT)).toMatchObject({ batches: 8, generated: 96 });
    expect(await stand.round(TENANT)).toMatchObject({ batches: 2, generated: 14 });
    expect(await stand.round(TENANT)).toMatchObject({ batches: 0 });
  });

  test('TMP-05: a tenant that cannot be woken does not hold up the others', async () => {
    await using stand = await openStand();
    for (const tenant of ['one', 'two', 'three']) await stand.add(tenant, 'Ann lives in Oslo.');
    stand.advance(HOUR_MS);
    const woken: string[] = [];
    const wake = (tenant: string) => {
      if (tenant === 'one') return Promise.reject(new Error('Not reached.'));
      woken.push(tenant);
      return Promise.resolve();
    };
    expect(await requestDueRefreshes(stand.parts, { wake })).toBe(2);
    expect(woken.toSorted()).toEqual(['three', 'two']);
  });
});

describe('a model that fails', () => {
  const facts = (batch: { items: readonly { item: string }[] }, text: string, id = 'nobody') => ({
    text: JSON.stringify({
      items: batch.items.map(({ item }) => ({ item, facts: [{ text, sources: [id] }] })),
    }),
    usage: { inputTokens: 1, outputTokens: 1 },
  });

  test('what is unproven is refused; the summary before stays (LowGrounding)', async () => {
    let proven = true;
    await using stand = await openStand({
      answer: (batch, extractive) =>
        proven ? extractive() : Promise.resolve(facts(batch, 'Lies.')),
    });
    await stand.add(TENANT, 'Ann lives in Oslo.');
    await stand.round(TENANT);
    proven = false;
    await stand.add(TENANT, 'Ann gardens.');
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt += 1) {
      expect(await stand.round(TENANT)).toMatchObject({ refused: 1, generated: 0 });
      stand.advance(2 * MINUTE_MS);
    }
    expect(await stand.round(TENANT)).toMatchObject({ batches: 0 });
    expect(await stand.summary(TENANT)).toMatchObject({
      text: 'Ann lives in Oslo. Since then: Ann gardens.',
      freshness: { stale: true, reason: 'LowGrounding' },
    });
    proven = true;
    await stand.add(TENANT, 'Ann has two cats.');
    expect((await stand.summary(TENANT))?.freshness.reason).toBe('SourceChanged');
    expect(await stand.round(TENANT)).toMatchObject({ generated: 1 });
  });

  test('an answer that is none is given back, and its text forgotten', async () => {
    const lines: unknown[] = [];
    const note = (fields: unknown, message: string) => void lines.push([String(fields), message]);
    const log = { debug: note, info: note, warn: note, error: note };
    const text = 'Sure! Ann has a secret garden.';
    const usage = { inputTokens: 1, outputTokens: 1 };
    await using stand = await openStand({ log, answer: () => Promise.resolve({ text, usage }) });
    await stand.add(TENANT, 'Ann lives in Oslo.');
    expect(await stand.round(TENANT)).toMatchObject({ generated: 0, batches: 1 });
    expect(await stand.scope(TENANT)).toMatchObject({ attempts: 1, lease: null });
    const [entry] = await stand.parts.store.accounts.entries(TENANT, { limit: 9 });
    const answers = await stand.parts.store.answers.ofBatch(TENANT, entry?.batchId ?? '');
    expect(answers).toMatchObject([{ state: 'committed', text: null }]);
    expect(JSON.stringify(lines)).not.toContain('secret');
  });

  test('one scope that breaks its calls takes no sibling along', async () => {
    await using stand = await openStand({
      answer: (batch, extractive) =>
        batch.items.some(({ sources }) => sources.some(({ text }) => text.includes('poison')))
          ? Promise.reject(new TypeError('The model choked.'))
          : extractive(),
    });
    const project = (projectId: string) => ({ layer: 'project', identifiers: { projectId } });
    await stand.add(TENANT, 'The shop sells poison.', project('bad'));
    for (const id of ['a', 'b', 'c']) await stand.add(TENANT, 'The shop grows.', project(id));
    const { activities, parts } = stand;
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
      stand.advance(2 * MINUTE_MS);
    }
    const scopes = await parts.store.scopes.list(TENANT, 9);
    const dead = scopes.filter(({ deadLetter }) => deadLetter !== null);
    expect(dead.map(({ scopeId }) => scopeId)).toEqual(['bad']);
    expect(scopes.filter(({ generatedAt }) => generatedAt !== null)).toHaveLength(3);
    expect(await stand.events(TENANT)).toContain('memory_batch_dead_lettered');
  });

  test('a scope is tried three times, then not before it changes again', async () => {
    await using stand = await openStand({
      answer: () => Promise.reject(new TypeError('The model choked.')),
    });
    await stand.add(TENANT, 'Ann lives in Oslo.');
    const { activities } = stand;
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
      const { dueAt } = await stand.scope(TENANT);
      if (dueAt === null) break;
      pauses.push(dueAt - now);
      // Not before its end, though every stale scope is asked for.
      expect(await stand.round(TENANT)).toMatchObject({ batches: 0 });
      stand.advance(dueAt - now);
      now = dueAt;
    }
    expect(pauses).toEqual([30 * SECOND_MS, 60 * SECOND_MS, HOUR_MS]);
    expect((await stand.scope(TENANT)).deadLetter).toMatchObject({
      code: 'CORRUPT',
      at: now - HOUR_MS,
    });
    stand.advance(-1);
    expect(await stand.round(TENANT)).toMatchObject({ batches: 0 });
    await stand.add(TENANT, 'Ann gardens.');
    expect(await stand.scope(TENANT)).toMatchObject({ deadLetter: null, attempts: 0 });
  });
});
