/**
 * The conformance suite of the memory provider, by the scenarios of its specification; it runs over
 * every store.
 */
import { describe, expect, it } from 'vitest';

import { BULK_ITEMS_MAX } from '#core/ports/memory-provider.ts';
import { BULK_CHUNK_MAX } from '#core/ports/write-rules-and-outcomes.ts';
import { MEMORY_LENGTH_MAX } from '#core/records/memory.ts';

import { sharedStore, type Open } from './adapter.ts';
import { providerEmbeddingSuite } from './provider-embedding-suite.ts';
import { providerMergeSuite } from './provider-merge-suite.ts';
import { providerMetricsSuite } from './provider-metrics-suite.ts';
import { providerSearchSuite } from './provider-search-suite.ts';
import { providerWriteSuite } from './provider-write-suite.ts';
import { CALL, hashOf, toAdd, harnessOver, WRITE } from './provider-harness.ts';
import { NOW, userScope } from './samples.ts';

export function providerConformance(name: string, open: Open): void {
  describe(`the memory provider over ${name}`, () => {
    describe('lifetime', () => {
      lifetimeSuite(open);
    });
    describe('records', () => {
      recordSuite(open);
    });
    describe('list', () => {
      listSuite(open);
    });
    providerWriteSuite(open);
    providerSearchSuite(open);
    providerMergeSuite(open);
    providerEmbeddingSuite(open);
    providerMetricsSuite(open);
  });
}

const CONDITIONS = { latestOnly: true, tags: [], filter: null, kind: null } as const;

function lifetimeSuite(open: Open): void {
  it('MEM-01: a provider has all operations, and can be initialized and shut down repeatedly', async () => {
    await using opened = await open();
    const { provider } = await harnessOver(opened.store);
    const operations = [
      'initialize',
      'shutdown',
      'healthCheck',
      'capabilities',
      'add',
      'search',
      'get',
      'update',
      'delete',
      'list',
      'generateEmbedding',
      'bulkAdd',
      'bulkDelete',
      'history',
    ] as const;
    for (const operation of operations) expect(provider[operation]).toBeTypeOf('function');
    await provider.initialize();
    await provider.initialize();
    expect(await provider.healthCheck()).toMatchObject({ ok: true, findings: [] });
    await provider.shutdown();
    await provider.shutdown();
    await expect(provider.get('acme', 'any')).rejects.toMatchObject({ code: 'CANCELLED' });
  });

  it('MEM-17: capabilities describe the store and the embedder', async () => {
    await using opened = await open();
    const { provider, embedder } = await harnessOver(opened.store);
    expect(await provider.capabilities()).toMatchObject({
      engine: opened.store.capabilities.engine,
      vectorSearch: true,
      vectorSearchMethod: opened.store.capabilities.vectorSearch,
      embeddingDimensions: embedder.dimensions,
      embeddingGeneration: embedder.generation,
      distanceMetrics: ['cosine'],
      bulkOperations: true,
      modes: ['hybrid', 'semantic', 'keyword'],
      contentLengthMax: MEMORY_LENGTH_MAX,
    });
    expect(BULK_ITEMS_MAX).toBeGreaterThan(BULK_CHUNK_MAX);
  });
}

function recordSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-02: an added memory has an id and a vector, is stored, and is returned whole', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    const asked = toAdd('Ann likes tea.', { tags: ['drink'], metadata: { cups: 2 }, key: 'drink' });
    const written = await provider.add(tenant, asked, WRITE);
    const { memory } = written;
    expect(written).toMatchObject({ embeddingGenerated: true, deduplicated: false });
    expect(memory).toMatchObject({
      ...userScope(tenant),
      content: asked.content,
      contentHash: hashOf(asked.content),
      key: 'drink',
      tags: ['drink'],
      metadata: { cups: 2 },
      trust: 'stated',
      state: 'active',
      version: 1,
      validFrom: NOW,
      createdAt: NOW,
      tokenCount: 3,
      embeddingGeneration: embedder.generation,
    });
    expect(memory.id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-/u);
    expect(memory.vector).toHaveLength(embedder.dimensions);
    expect(await provider.get(tenant, memory.id)).toEqual(memory);
    expect(written.scope).toEqual(await store.scopes.get(userScope(tenant)));
    const other = await provider.add(tenant, toAdd('Ann likes tea.'), WRITE);
    expect(other.memory.id > memory.id).toBe(true);
  });

  it('MEM-07: reading an unknown or malformed id returns null', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    for (const id of ['01934000-0000-7000-8000-000000000404', '', "'; --", '{"$ne":null}']) {
      expect(await provider.get(tenant, id)).toBeNull();
    }
  });

  it('MEM-10: an update of an unknown id fails with MEMORY_NOT_FOUND', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    for (const patch of [{ tags: ['new'] }, { content: 'New.' }]) {
      const update = provider.update({ tenant, id: 'unknown' }, patch, WRITE);
      await expect(update).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND', retryable: false });
    }
  });

  it('MEM-11: a deleted memory is gone, and deleting it again succeeds', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const { memory } = await provider.add(tenant, toAdd('Ann likes tea.'), WRITE);
    const scope = await provider.delete({ tenant, id: memory.id }, WRITE);
    expect(scope).toMatchObject({ sourceCount: 0 });
    expect(await provider.get(tenant, memory.id)).toBeNull();
    expect(await provider.delete({ tenant, id: memory.id }, WRITE)).toBeNull();
    expect(await provider.delete({ tenant, id: 'unknown' }, WRITE)).toBeNull();
  });

  it('MEM-25: content above the limit fails with CONTENT_TOO_LONG and names the maximum', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    const longest = await provider.add(tenant, toAdd('x'.repeat(MEMORY_LENGTH_MAX)), WRITE);
    const content = 'x'.repeat(MEMORY_LENGTH_MAX + 1);
    const calls = embedder.calls.length;
    const refusal = { code: 'CONTENT_TOO_LONG', details: { lengthMax: MEMORY_LENGTH_MAX } };
    await expect(provider.add(tenant, toAdd(content), WRITE)).rejects.toMatchObject(refusal);
    const update = provider.update({ tenant, id: longest.memory.id }, { content }, WRITE);
    await expect(update).rejects.toMatchObject(refusal);
    expect(embedder.calls).toHaveLength(calls);
    expect(await provider.get(tenant, longest.memory.id)).toEqual(longest.memory);
  });

  it('STORE-47: a history names the principal of each change', async () => {
    const { store, tenant } = fixture();
    const { provider, pass } = await harnessOver(store);
    const { memory } = await provider.add(tenant, toAdd('Ann likes tea.'), { ...WRITE, by: 'ann' });
    pass(5);
    const key = { tenant, id: memory.id };
    await provider.update(key, { tags: ['drink'] }, { ...WRITE, by: 'bob' });
    const changes = await provider.history(key, { beforeVersion: null, limit: 10 });
    expect(changes.map(({ action, principal, at }) => [action, principal, at])).toEqual([
      ['Updated', 'bob', NOW + 5],
      ['Added', 'ann', NOW],
    ]);
  });
}

function listSuite(open: Open): void {
  const fixture = sharedStore(open);
  const whole = { conditions: CONDITIONS, order: 'oldest', cursor: null, limit: 2 } as const;

  it('MEM-12: a list has pages up to the limit, a cursor if more follow, and the total', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const contents = ['one', 'two', 'three', 'four', 'five'];
    for (const content of contents) await provider.add(tenant, toAdd(content), WRITE);
    const seen: string[] = [];
    const pages: number[] = [];
    const request = { ...whole, scopes: [userScope(tenant)] };
    for (let cursor: string | null = null; ;) {
      const page = await provider.list(tenant, { ...request, cursor });
      seen.push(...page.memories.map(({ content }) => content));
      pages.push(page.memories.length);
      expect(page.totalCount).toBe(contents.length);
      if (page.nextCursor === null) break;
      cursor = page.nextCursor;
    }
    expect(seen).toEqual(contents);
    expect(pages).toEqual([2, 2, 1]);
  });

  it('a cursor is valid only for the list that returned it', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    for (const content of ['one', 'two', 'three'])
      await provider.add(tenant, toAdd(content), WRITE);
    const request = { ...whole, scopes: [userScope(tenant)] };
    const { nextCursor } = await provider.list(tenant, request);
    expect(nextCursor).not.toBeNull();
    const others = [
      { ...request, order: 'newest' as const, cursor: nextCursor },
      { ...request, scopes: [userScope(tenant, 'bob')], cursor: nextCursor },
      { ...request, conditions: { ...CONDITIONS, tags: ['a'] }, cursor: nextCursor },
      { ...request, cursor: 'forged' },
    ];
    for (const other of others) {
      const list = provider.list(tenant, other);
      await expect(list).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
  });

  it('MEM-13: a list has only memories that match the tags and the filter', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    for (const cups of [1, 2, 3]) {
      const tags = cups === 2 ? ['even'] : ['odd'];
      await provider.add(tenant, toAdd(`${cups} cups`, { tags, metadata: { cups } }), WRITE);
    }
    const scopes = [userScope(tenant)];
    const listed = async (conditions: object) => {
      const request = { ...whole, scopes, limit: 9, conditions: { ...CONDITIONS, ...conditions } };
      const { memories, totalCount } = await provider.list(tenant, request);
      expect(totalCount).toBe(memories.length);
      return memories.map(({ content }) => content);
    };
    expect(await listed({ tags: ['odd'] })).toEqual(['1 cups', '3 cups']);
    expect(await listed({ filter: { field: 'cups', gte: 2 } })).toEqual(['2 cups', '3 cups']);
    const both = { tags: ['odd'], filter: { field: 'cups', gte: 2 } };
    expect(await listed(both)).toEqual(['3 cups']);
  });

  it('an expired memory can be read, but is neither listed nor found', async () => {
    const { store, tenant } = fixture();
    const { provider, pass } = await harnessOver(store);
    const { memory } = await provider.add(
      tenant,
      toAdd('Ann likes tea.', { expiresAt: NOW + 10 }),
      WRITE,
    );
    pass(10);
    expect(await provider.get(tenant, memory.id)).not.toBeNull();
    const { memories } = await provider.list(tenant, { ...whole, scopes: [userScope(tenant)] });
    expect(memories).toEqual([]);
    const request = {
      query: 'tea',
      identifiers: { userId: 'ann' },
      layers: ['user'],
      mode: 'hybrid',
      limit: 5,
      threshold: 0,
      order: 'precedence',
      conditions: CONDITIONS,
      explain: false,
    } as const;
    expect((await provider.search(tenant, request, CALL)).hits).toEqual([]);
  });
}
