/** The provider's embeddings: when they are made, cached and retried, and when calls do without. */
import { describe, expect, it } from 'vitest';

import { VarveError } from '#core/errors.ts';
import type { Store } from '#core/ports/store.ts';

import { sharedStore, type Open } from './adapter.ts';
import {
  asking,
  CALL,
  contentsFound,
  passagesOf,
  RANDOM,
  stubEmbedder,
  toAdd,
  unreachable,
  harnessOver,
  WRITE,
} from './provider-harness.ts';

/** Attempts of a call that fails for a moment: the first and three more. */
const ATTEMPTS = 4;

export function providerEmbeddingSuite(open: Open): void {
  describe('embeddings: creation and reuse', () => {
    cacheSuite(open);
  });
  describe('embeddings: retries', () => {
    retrySuite(open);
  });
  describe('embeddings: without the embedder', () => {
    degradedSuite(open);
  });
  describe('embeddings: two generations', () => {
    generationSuite(open);
  });
}

function cacheSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-20: the configured embedder embeds new content, and the vector is stored', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    embedder.place('Tea.', 0);
    const { memory, embeddingGenerated } = await provider.add(tenant, toAdd('Tea.'), WRITE);
    expect(embeddingGenerated).toBe(true);
    expect(embedder.calls).toEqual([{ purpose: 'passage', texts: ['Tea.'] }]);
    expect(memory).toMatchObject({ embeddingGeneration: 'stub-1', vector: [1, 0] });
    const state = await store.embeddings.state(tenant);
    expect(state).toMatchObject({ active: 'stub-1', phase: 'Steady' });
  });

  it('MEM-08: updated content is embedded again and gets a new version and time', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder, pass } = await harnessOver(store);
    embedder.place('Coffee.', 180);
    const { memory } = await provider.add(tenant, toAdd('Tea.'), WRITE);
    pass(7);
    const key = { tenant, id: memory.id };
    const updated = await provider.update(key, { content: 'Coffee.' }, WRITE);
    expect(passagesOf(embedder)).toEqual(['Tea.', 'Coffee.']);
    expect(updated).toMatchObject({ embeddingGenerated: true });
    expect(updated.memory).toMatchObject({ version: 2, updatedAt: memory.updatedAt + 7 });
    expect(updated.memory.vector?.[0]).toBeCloseTo(-1, 5);
    expect(await provider.get(tenant, memory.id)).toEqual(updated.memory);
  });

  it('MEM-09: metadata and tags are updated without a call to the embedder', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder, pass } = await harnessOver(store);
    const metadata = { kept: 1, changed: 1, removed: 1 };
    const { memory } = await provider.add(tenant, toAdd('Tea.', { metadata }), WRITE);
    pass(7);
    const patch = { metadata: { changed: 2, removed: null }, tags: ['new'] };
    const updated = await provider.update({ tenant, id: memory.id }, patch, WRITE);
    expect(embedder.calls).toHaveLength(1);
    expect(updated.memory).toEqual({
      ...memory,
      metadata: { kept: 1, changed: 2 },
      tags: ['new'],
      version: 2,
      updatedAt: memory.updatedAt + 7,
    });
  });

  it('MEM-21: known content is not embedded again, even by another process', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    const first = await provider.add(tenant, toAdd('Tea.'), WRITE);
    const second = await provider.add(tenant, toAdd('Tea.', { scopeId: 'bob' }), WRITE);
    expect(passagesOf(embedder)).toEqual(['Tea.']);
    expect(second).toMatchObject({ embeddingGenerated: true, deduplicated: false });
    expect(second.memory.vector).toEqual(first.memory.vector);
    const elsewhere = await harnessOver(store);
    const third = await elsewhere.provider.add(tenant, toAdd('Tea.', { scopeId: 'eve' }), WRITE);
    expect(elsewhere.embedder.calls).toEqual([]);
    expect(third).toMatchObject({ embeddingGenerated: true });
    expect(third.memory.vector).toEqual(first.memory.vector);
  });

  it('MEM-21: concurrent adds of equal content share one call', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    const scopes = Array.from({ length: 20 }, (_, n) => `user-${n}`);
    const adds = scopes.map((scopeId) => provider.add(tenant, toAdd('Tea.', { scopeId }), WRITE));
    const written = await Promise.all(adds);
    expect(passagesOf(embedder)).toEqual(['Tea.']);
    expect(written.every(({ embeddingGenerated }) => embeddingGenerated)).toBe(true);
  });

  it('an embedding of one tenant is not reused for another', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    await provider.add(tenant, toAdd('Tea.'), WRITE);
    await provider.add(`${tenant}-other`, toAdd('Tea.'), WRITE);
    expect(passagesOf(embedder)).toEqual(['Tea.', 'Tea.']);
  });

  it('texts are sent in batches of the size that the embedder takes', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    const contents = Array.from({ length: 10 }, (_, n) => `text ${n}`);
    await provider.bulkAdd(
      tenant,
      contents.map((content) => toAdd(content)),
      WRITE,
    );
    expect(embedder.calls.map(({ texts }) => texts.length)).toEqual([4, 4, 2]);
    expect(passagesOf(embedder).toSorted()).toEqual(contents.toSorted());
  });

  it('a standalone embedding belongs to the active generation', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    embedder.place('Tea.', 90);
    const { generation, vector } = await provider.generateEmbedding(tenant, 'Tea.', CALL);
    expect(generation).toBe('stub-1');
    expect(vector[1]).toBeCloseTo(1, 5);
  });
}

function retrySuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-26: a call that fails with PROVIDER_ERROR is retried three times with doubling pauses', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder, pauses } = await harnessOver(store);
    embedder.failWith(...Array.from({ length: ATTEMPTS }, unreachable));
    const call = provider.generateEmbedding(tenant, 'Tea.', CALL);
    await expect(call).rejects.toMatchObject({ code: 'PROVIDER_ERROR', retryable: true });
    expect(embedder.calls).toHaveLength(ATTEMPTS);
    expect(pauses).toEqual([200, 400, 800].map((pause) => pause * RANDOM));
  });

  it('an attempt that succeeds after failures is the answer', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    embedder.failWith(unreachable(), unreachable(), unreachable());
    const { embeddingGenerated } = await provider.add(tenant, toAdd('Tea.'), WRITE);
    expect(embeddingGenerated).toBe(true);
    expect(embedder.calls).toHaveLength(ATTEMPTS);
  });

  it('a call to a store that fails temporarily is retried', async () => {
    const { store, tenant } = fixture();
    let failures = 2;
    const shaky: Store = {
      ...store,
      memories: {
        ...store.memories,
        get: async (...key) => {
          failures -= 1;
          if (failures >= 0) throw unreachable();
          return store.memories.get(...key);
        },
      },
    };
    const { provider, pauses } = await harnessOver(shaky);
    expect(await provider.get(tenant, 'unknown')).toBeNull();
    expect(pauses).toHaveLength(2);
  });

  it('an error that a retry cannot resolve is not retried', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder, pauses } = await harnessOver(store);
    embedder.failWith(new VarveError('PROVIDER_REJECTED', 'The key of the embedder is wrong.'));
    const call = provider.generateEmbedding(tenant, 'Tea.', CALL);
    await expect(call).rejects.toMatchObject({ code: 'PROVIDER_REJECTED' });
    expect(embedder.calls).toHaveLength(1);
    expect(pauses).toEqual([]);
  });

  it('MEM-27: RATE_LIMITED waits at least as long as the embedder asks', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder, pauses } = await harnessOver(store);
    const retryAfterMs = 1_500;
    const limited = new VarveError('RATE_LIMITED', 'Too many calls.', {
      details: { retryAfterMs },
    });
    embedder.failWith(limited);
    await provider.generateEmbedding(tenant, 'Tea.', CALL);
    expect(embedder.calls).toHaveLength(2);
    expect(pauses).toHaveLength(1);
    expect(pauses[0]).toBeGreaterThanOrEqual(retryAfterMs);
    expect(pauses[0]).toBeLessThan(retryAfterMs + 200);
  });

  it('MEM-27: a call that stays RATE_LIMITED fails with a retryable error', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    const limited = Array.from({ length: ATTEMPTS }, () => {
      return new VarveError('RATE_LIMITED', 'Too many calls.');
    });
    embedder.failWith(...limited);
    const call = provider.generateEmbedding(tenant, 'Tea.', CALL);
    await expect(call).rejects.toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    expect(embedder.calls).toHaveLength(ATTEMPTS);
  });
}

function degradedSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('without the embedder, a memory is found by its words and the answer says so', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    embedder.failWith(...Array.from({ length: ATTEMPTS }, unreachable));
    const written = await provider.add(tenant, toAdd('A zebra sleeps.'), WRITE);
    expect(written).toMatchObject({ embeddingGenerated: false, memory: { vector: null } });
    embedder.failWith(...Array.from({ length: ATTEMPTS }, unreachable));
    const request = asking('zebra', { mode: 'hybrid', threshold: 0 });
    const answer = await provider.search(tenant, request, CALL);
    expect(answer.hits.map(({ memory }) => memory.id)).toEqual([written.memory.id]);
    expect(answer.degraded).toBe(true);
    expect(answer.degradedReason).toContain('words');
  });

  it('a memory without a vector is embedded later', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    embedder.failWith(...Array.from({ length: ATTEMPTS }, unreachable));
    const { memory } = await provider.add(tenant, toAdd('Tea.'), WRITE);
    expect(await provider.backfill(tenant, CALL)).toEqual({ embedded: 1 });
    const after = await provider.get(tenant, memory.id);
    expect(after).toMatchObject({ embeddingGeneration: 'stub-1', content: 'Tea.' });
    expect(after?.vector).toHaveLength(2);
  });

  it('a keyword search does not call the embedder', async () => {
    const { store, tenant } = fixture();
    const harness = await harnessOver(store);
    await harness.provider.add(tenant, toAdd('A zebra sleeps.'), WRITE);
    const before = harness.embedder.calls.length;
    const request = asking('zebra', { mode: 'keyword', threshold: 0 });
    expect(await contentsFound(harness, tenant, request)).toEqual(['A zebra sleeps.']);
    expect(harness.embedder.calls).toHaveLength(before);
  });
}

function generationSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-61: memories of both generations are found while the model changes', async () => {
    const { store, tenant } = fixture();
    const old = stubEmbedder('stub-1');
    const next = stubEmbedder('stub-2');
    for (const embedder of [old, next]) {
      for (const [at, text] of ['query', 'before', 'after'].entries())
        embedder.place(text, at * 40);
    }
    const before = await harnessOver(store, { embedder: old });
    await before.provider.add(tenant, toAdd('before'), WRITE);
    const state = await store.embeddings.state(tenant);
    expect(state).not.toBeNull();
    if (state === null) return;
    const filling = { target: 'stub-2', phase: 'Filling', version: state.version + 1 } as const;
    expect(await store.embeddings.putState({ ...state, ...filling })).toBe(true);
    const after = await harnessOver(store, { embedder: next, others: [old] });
    const { memory } = await after.provider.add(tenant, toAdd('after'), WRITE);
    expect(passagesOf(next)).toEqual(['after']);
    const kept = { generation: 'stub-2', contentHashes: [memory.contentHash] };
    expect((await store.embeddings.cached(tenant, kept)).size).toBe(1);
    const request = asking('query', { threshold: 0 });
    const found = await contentsFound(after, tenant, request);
    expect(found).toEqual(['before', 'after']);
  });
}
