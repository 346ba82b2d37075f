/** The suite of `MemoryRecords.search`: candidates of both legs, with every condition inside. */
import { describe, expect, it } from 'vitest';

import type { ScopeQuery } from '#core/search/scope-search.ts';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { idOf, memoryOf, newContent, NOW, rulesAt, sessionScope, userScope } from './samples.ts';
import {
  addAll,
  analyzer,
  byVector,
  byWords,
  conditionsOf,
  embedded,
  found,
  GENERATION,
} from './search-samples.ts';

const NEXT = 'model-2';
/** More than a store may look at as candidates before it looks at all. */
const OTHERS = 1_200;

export function searchSuite(open: Open): void {
  describe('search: semantic leg', () => {
    semanticSuite(open);
  });
  describe('search: both legs', () => {
    bothSuite(open);
  });
  describe('search: conditions', () => {
    conditionSuite(open);
  });
  describe('search: after changes', () => {
    changeSuite(open);
  });
}

function semanticSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a vector search returns the nearest memories with their cosines, up to the limit', async () => {
    const { store, tenant } = fixture();
    const vectors = { 1: [0, 1], 2: [1, 0], 3: [1, 1], 4: [-1, 0] };
    for (const [n, vector] of Object.entries(vectors)) {
      await store.memories.add(embedded(tenant, Number(n), vector), rulesAt(NOW));
    }
    const answer = await store.memories.search(userScope(tenant), byVector([1, 0], { limit: 2 }));
    const byId = new Map(answer.candidates.map((each) => [each.memory.id, each]));
    expect([...byId.keys()].toSorted()).toEqual([idOf(2), idOf(3)]);
    expect(byId.get(idOf(2))?.memory).toEqual(embedded(tenant, 2, [1, 0]));
    expect(byId.get(idOf(2))).toMatchObject({ generation: GENERATION, keyword: null });
    expect(byId.get(idOf(2))?.cosine).toBeCloseTo(1, 5);
    expect(byId.get(idOf(3))?.cosine).toBeCloseTo(Math.SQRT1_2, 5);
    expect(answer.compared).toBeGreaterThanOrEqual(2);
  });

  it('a vector search does not find a memory without a vector', async () => {
    const { store, tenant } = fixture();
    await addAll(store, [memoryOf(tenant, 1), embedded(tenant, 2, [0, 1])]);
    expect(await found(store, userScope(tenant), byVector([1, 0]))).toEqual([idOf(2)]);
  });

  it('STORE-60: a query vector of another length is refused', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(embedded(tenant, 1, [1, 0]), rulesAt(NOW));
    const search = store.memories.search(userScope(tenant), byVector([1, 0, 0]));
    await expect(search).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });

  it('STORE-60: a memory with a vector of another length does not break searches', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(embedded(tenant, 1, [1, 0]), rulesAt(NOW));
    const odd = store.memories.add(embedded(tenant, 2, [1, 0, 0]), rulesAt(NOW));
    await odd.catch((error: unknown) => expect(error).toMatchObject({ code: 'INVALID_INPUT' }));
    expect(await found(store, userScope(tenant), byVector([1, 0]))).toContain(idOf(1));
    expect(await found(store, userScope(tenant), byWords('garden'))).toContain(idOf(1));
  });

  it('STORE-61: each memory is compared by the first requested generation that it has', async () => {
    const { store, tenant } = fixture();
    const memories = [1, 2, 3].map((n) => embedded(tenant, n, [1, 0]));
    await addAll(store, memories);
    const vectors = memories.slice(1).map(({ id, contentHash }) => ({
      id,
      contentHash,
      vector: [0, 0, 1],
    }));
    await store.embeddings.putVectors(tenant, { generation: NEXT, vectors, own: false });
    const query: ScopeQuery = {
      ...byVector([]),
      vectors: [
        { generation: NEXT, vector: [0, 1, 1] },
        { generation: GENERATION, vector: [1, 0] },
      ],
    };
    const { candidates } = await store.memories.search(userScope(tenant), query);
    const compared = candidates
      .toSorted((a, b) => (a.memory.id < b.memory.id ? -1 : 1))
      .map(({ generation, cosine }) => [generation, Math.round((cosine ?? 0) * 100)]);
    expect(compared).toEqual([
      [GENERATION, 100],
      [NEXT, 71],
      [NEXT, 71],
    ]);
  });

  it('STORE-61: a generation that no memory has finds nothing and does not fail', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(embedded(tenant, 1, [1, 0]), rulesAt(NOW));
    const vectors = [{ generation: 'unknown', vector: [1, 0, 0, 0] }];
    expect(await found(store, userScope(tenant), { ...byVector([]), vectors })).toEqual([]);
  });
}

function bothSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('each leg returns its best memory, each with the scores of both legs', async () => {
    const { store, tenant } = fixture();
    const near = { content: 'Unrelated words here.' };
    const far = { content: 'The zebra sleeps.' };
    await addAll(store, [
      embedded(tenant, 1, [1, 0], near),
      embedded(tenant, 2, [0, 1], far),
      embedded(tenant, 3, [-1, 0], { content: 'Neither of them.' }),
    ]);
    const terms = analyzer.terms('zebra');
    const query = { ...byVector([1, 0], { limit: 1 }), terms };
    const { candidates } = await store.memories.search(userScope(tenant), query);
    const byId = new Map(candidates.map((each) => [each.memory.id, each]));
    expect([...byId.keys()].toSorted()).toEqual([idOf(1), idOf(2)]);
    expect(byId.get(idOf(1))?.cosine).toBeCloseTo(1, 5);
    expect(byId.get(idOf(1))?.keyword).toBeNull();
    expect(byId.get(idOf(2))?.cosine).toBeCloseTo(0, 5);
    expect(byId.get(idOf(2))?.keyword).toBeGreaterThan(0);
  });

  it('a search without legs finds nothing', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(embedded(tenant, 1, [1, 0]), rulesAt(NOW));
    const query = { conditions: conditionsOf(), terms: null, vectors: [], limit: 9 };
    expect(await found(store, userScope(tenant), query)).toEqual([]);
  });

  it('a search finds only memories of its scope and tenant', async () => {
    const { store, tenant } = fixture();
    const other = newTenant();
    const memories = [
      embedded(tenant, 1, [1, 0]),
      embedded(tenant, 2, [1, 0], { scopeId: 'bob' }),
      embedded(tenant, 3, [1, 0], { layer: 'team' }),
      embedded(other, 4, [1, 0]),
    ];
    for (const memory of memories) await store.memories.add(memory, rulesAt(NOW));
    for (const [scope, n] of [
      [userScope(tenant), 1],
      [userScope(tenant, 'bob'), 2],
      [{ ...userScope(tenant), layer: 'team' }, 3],
      [userScope(other), 4],
    ] as const) {
      expect(await found(store, scope, byVector([1, 0]))).toEqual([idOf(n)]);
      expect(await found(store, scope, byWords('garden'))).toEqual([idOf(n)]);
    }
    expect(await found(store, sessionScope(tenant), byVector([1, 0]))).toEqual([]);
  });
}

function conditionSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-18: one matching tag is enough in both legs', async () => {
    const { store, tenant } = fixture();
    const tags = [[], ['garden'], ['house'], ['garden', 'house']];
    await addAll(
      store,
      tags.map((each, at) => embedded(tenant, at, [1, 0], { tags: each })),
    );
    const conditions = { tags: ['garden', 'house'] };
    for (const query of [byVector([1, 0], { conditions }), byWords('garden', { conditions })]) {
      expect(await found(store, userScope(tenant), query)).toEqual([1, 2, 3].map(idOf));
    }
  });

  it.each([
    ['a tag', { tags: ['rare'] }],
    ['a filter on any field', { filter: { field: 'deep.rare', eq: true } }],
    ['a negated filter', { filter: { not: { field: 'usual', eq: true } } }],
    ['the kind', { kind: 'entity' }],
  ] as const)(
    'a search by %s finds a worse match behind many better ones',
    async (_, conditions) => {
      const { store, tenant } = fixture();
      const better = Array.from({ length: OTHERS }, (_each, n) =>
        embedded(tenant, n + 1, [1, 0], { content: 'zebra zebra', metadata: { usual: true } }),
      );
      const rare = embedded(tenant, OTHERS + 1, [-1, 0.001], {
        content: 'Long ago a zebra was seen somewhere among many other animals.',
        tags: ['rare'],
        kind: 'entity',
        metadata: { deep: { rare: true } },
      });
      await addAll(store, [...better, rare]);
      const asked = { conditions: { ...conditions }, limit: 3 };
      for (const query of [byVector([1, 0], asked), byWords('zebra', asked)]) {
        expect(await found(store, userScope(tenant), query)).toEqual([rare.id]);
      }
    },
  );
}

function changeSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-64: a search reflects each addition, change, tag, and deletion immediately', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    const key = { tenant, id: idOf(1) };
    const tagged = byVector([0, 1], { conditions: { tags: ['new'] } });
    expect(await found(store, scope, byWords('zebra'))).toEqual([]);
    await store.memories.add(embedded(tenant, 1, [1, 0], { content: 'A zebra.' }), rulesAt(NOW));
    expect(await found(store, scope, byWords('zebra'))).toEqual([idOf(1)]);
    const content = { ...newContent('A lion.'), vector: [0, 1], embeddingGeneration: GENERATION };
    await store.memories.update(key, { content }, rulesAt(NOW));
    expect(await found(store, scope, byWords('zebra'))).toEqual([]);
    expect(await found(store, scope, byWords('lion'))).toEqual([idOf(1)]);
    const { candidates } = await store.memories.search(scope, byVector([0, 1]));
    expect(candidates[0]?.cosine).toBeCloseTo(1, 5);
    expect(await found(store, scope, tagged)).toEqual([]);
    await store.memories.update(key, { tags: ['new'] }, rulesAt(NOW));
    expect(await found(store, scope, tagged)).toEqual([idOf(1)]);
    await store.memories.delete(key, rulesAt(NOW));
    expect(await found(store, scope, byWords('lion'))).toEqual([]);
    expect(await found(store, scope, byVector([0, 1]))).toEqual([]);
  });

  it('STORE-64: bulk writes are found as soon as they are made', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    expect(await found(store, scope, byWords('garden'))).toEqual([]);
    const memories = [1, 2, 3].map((n) => embedded(tenant, n, [1, 0]));
    await addAll(store, memories);
    expect(await found(store, scope, byWords('garden'))).toHaveLength(3);
    await store.memories.deleteMany(memories.slice(1), rulesAt(NOW));
    expect(await found(store, scope, byWords('garden'))).toEqual([idOf(1)]);
    expect(await found(store, scope, byVector([1, 0]))).toEqual([idOf(1)]);
  });

  it('STORE-64: a reopened store returns the same results', async () => {
    await using opened = await open();
    const scope = userScope('acme');
    const memories = [1, 2, 3].map((n) => embedded('acme', n, [n, 1]));
    await addAll(opened.store, memories);
    const query = { ...byVector([1, 1]), terms: analyzer.terms('garden 2') };
    const sorted = async () =>
      (await opened.store.memories.search(scope, query)).candidates.toSorted((a, b) =>
        a.memory.id < b.memory.id ? -1 : 1,
      );
    const before = await sorted();
    expect(before).toHaveLength(3);
    await opened.reopen();
    expect(await sorted()).toEqual(before);
  });
}
