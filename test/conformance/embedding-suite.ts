/** The suite of `EmbeddingRecords`: vectors beside memories, and the change of a generation. */
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { idOf, memoryOf, newContent, NOW, rulesAt, userScope } from './samples.ts';
import { byVector, embedded, found, GENERATION } from './search-samples.ts';

const NEXT = 'model-2';
/** Pages of a walk; more would be a walk without end. */
const PAGES_MAX = 1_000;

export function embeddingSuite(open: Open): void {
  describe('embeddings: vectors', () => {
    vectorSuite(open);
  });
  describe('embeddings: a change of generation', () => {
    changeSuite(open);
  });
  describe('embeddings: invalid vectors', () => {
    refusalSuite(open);
  });
}

function vectorSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('the vector of known content is found by tenant and generation', async () => {
    const { store, tenant } = fixture();
    const [a, b] = [embedded(tenant, 1, [0.5, 0.25]), embedded(tenant, 2, [1, 0])];
    for (const memory of [a, b, memoryOf(tenant, 3)]) {
      await store.memories.add(memory, rulesAt(NOW));
    }
    const contentHashes = [a.contentHash, memoryOf(tenant, 3).contentHash, 'unknown'];
    const query = { generation: GENERATION, contentHashes };
    const cached = await store.embeddings.cached(tenant, query);
    expect([...cached]).toEqual([[a.contentHash, [0.5, 0.25]]]);
    expect(await store.embeddings.cached(newTenant(), query)).toEqual(new Map());
    const ofNext = await store.embeddings.cached(tenant, { ...query, generation: NEXT });
    expect(ofNext).toEqual(new Map());
    const none = await store.embeddings.cached(tenant, { ...query, contentHashes: [] });
    expect(none).toEqual(new Map());
  });

  it('STORE-54: live memories without a vector are found page by page', async () => {
    const { store, tenant } = fixture();
    const memories = [
      memoryOf(tenant, 1),
      embedded(tenant, 2, [1, 0]),
      memoryOf(tenant, 3, { scopeId: 'bob' }),
      memoryOf(tenant, 4, { expiresAt: NOW }),
      memoryOf(tenant, 5, { state: 'superseded' }),
      memoryOf(tenant, 6, { state: 'quarantined' }),
      memoryOf(tenant, 7),
    ];
    for (const memory of memories) await store.memories.add(memory, rulesAt(NOW - 1));
    const query = { generation: GENERATION, now: NOW, limit: 2 };
    const first = await store.embeddings.missing(tenant, { ...query, after: null });
    const { id, content, contentHash, tokenCount } = memoryOf(tenant, 1);
    expect(first[0]).toEqual({ id, content, contentHash, tokenCount });
    expect(first.map((each) => each.id)).toEqual([idOf(1), idOf(3)]);
    const rest = await store.embeddings.missing(tenant, { ...query, after: idOf(3) });
    expect(rest.map((each) => each.id)).toEqual([idOf(7)]);
    const progress = await store.embeddings.progress(tenant, { generation: GENERATION, now: NOW });
    expect(progress).toEqual({ done: 1, missing: 3, missingTokens: 30 });
  });

  it('STORE-54: a memory is found by a second vector next to its first one', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(embedded(tenant, 1, [1, 0]), rulesAt(NOW));
    const before = await store.memories.get(tenant, idOf(1));
    const vectors = [{ id: idOf(1), contentHash: before?.contentHash ?? '', vector: [0, 1, 0] }];
    const write = { generation: NEXT, vectors, own: false };
    expect(await store.embeddings.putVectors(tenant, write)).toBe(1);
    expect(await store.memories.get(tenant, idOf(1))).toEqual(before);
    const query = byVector([1, 0]);
    expect(await found(store, userScope(tenant), query)).toEqual([idOf(1)]);
    const byNext = { ...query, vectors: [{ generation: NEXT, vector: [0, 1, 0] }] };
    const { candidates } = await store.memories.search(userScope(tenant), byNext);
    expect(candidates).toMatchObject([{ generation: NEXT, memory: { id: idOf(1) } }]);
    expect(candidates[0]?.cosine).toBeCloseTo(1, 5);
  });

  it('STORE-54: a vector is skipped if its content changed or its memory does not exist', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const { contentHash } = memoryOf(tenant, 1);
    const content = newContent('New.');
    await store.memories.update({ tenant, id: idOf(1) }, { content }, rulesAt(NOW));
    const vectors = [1, 404].map((n) => ({ id: idOf(n), contentHash, vector: [1, 0] }));
    const written = await store.embeddings.putVectors(tenant, {
      generation: GENERATION,
      vectors,
      own: true,
    });
    expect(written).toBe(0);
    expect(await store.memories.get(tenant, idOf(1))).toMatchObject({ vector: null });
    expect(await found(store, userScope(tenant), byVector([1, 0]))).toEqual([]);
  });

  it('STORE-54: a vector that is written as own becomes the vector of the memory', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const { contentHash } = memoryOf(tenant, 1);
    const vectors = [{ id: idOf(1), contentHash, vector: [0.5, 0.5] }];
    await store.embeddings.putVectors(tenant, { generation: GENERATION, vectors, own: true });
    const own = { embeddingGeneration: GENERATION, vector: [0.5, 0.5] };
    expect(await store.memories.get(tenant, idOf(1))).toMatchObject(own);
    expect(await store.scopes.get(userScope(tenant))).toMatchObject({ changes: 1 });
  });
}

/** Calls until nothing is left to do; answers how much was done. */
async function exhausted(step: () => Promise<number>): Promise<number> {
  let done = 0;
  for (let pages = 0; pages < PAGES_MAX; pages += 1) {
    const some = await step();
    if (some === 0) return done;
    done += some;
  }
  throw new Error('The walk has no end.');
}

/** Five memories with a vector of the sample generation, all but the last with one of the next. */
async function fillBoth(store: Store, tenant: string): Promise<void> {
  const memories = [1, 2, 3, 4, 5].map((n) => embedded(tenant, n, [1, 0]));
  await store.memories.addMany(memories, rulesAt(NOW));
  const vectors = memories.slice(0, 4).map(({ id, contentHash }) => {
    return { id, contentHash, vector: [0, 1, 0] };
  });
  await store.embeddings.putVectors(tenant, { generation: NEXT, vectors, own: false });
}

function changeSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-55: adopting a generation makes its vectors the own vectors of their memories', async () => {
    const { store, tenant } = fixture();
    await fillBoth(store, tenant);
    expect(await exhausted(() => store.embeddings.adopt(tenant, NEXT, 3))).toBe(4);
    const first = await store.memories.get(tenant, idOf(1));
    expect(first).toMatchObject({ embeddingGeneration: NEXT, vector: [0, 1, 0] });
    const last = await store.memories.get(tenant, idOf(5));
    expect(last).toMatchObject({ embeddingGeneration: GENERATION, vector: [1, 0] });
  });

  it('STORE-55: dropping a generation deletes its vectors except own ones', async () => {
    const { store, tenant } = fixture();
    await fillBoth(store, tenant);
    expect(await exhausted(() => store.embeddings.drop(tenant, GENERATION, 3))).toBe(0);
    await exhausted(() => store.embeddings.adopt(tenant, NEXT, 3));
    expect(await exhausted(() => store.embeddings.drop(tenant, GENERATION, 3))).toBe(4);
    expect(await found(store, userScope(tenant), byVector([1, 0]))).toEqual([idOf(5)]);
    const now = { generation: GENERATION, now: NOW };
    expect(await store.embeddings.progress(tenant, now)).toMatchObject({ done: 1, missing: 4 });
    expect(await store.memories.get(tenant, idOf(1))).toMatchObject({ vector: [0, 1, 0] });
  });

  it('STORE-55: after a rollback, memories are found by their old vectors only', async () => {
    const { store, tenant } = fixture();
    await fillBoth(store, tenant);
    expect(await exhausted(() => store.embeddings.drop(tenant, NEXT, 3))).toBe(4);
    const byNext = { ...byVector([]), vectors: [{ generation: NEXT, vector: [0, 1, 0] }] };
    expect(await found(store, userScope(tenant), byNext)).toEqual([]);
    expect(await found(store, userScope(tenant), byVector([1, 0]))).toHaveLength(5);
  });

  it('STORE-55: changed content loses its vectors of all generations', async () => {
    const { store, tenant } = fixture();
    await fillBoth(store, tenant);
    const content = { ...newContent('New.'), vector: [0, 1], embeddingGeneration: GENERATION };
    await store.memories.update({ tenant, id: idOf(1) }, { content }, rulesAt(NOW));
    const ofNext = { generation: NEXT, after: null, limit: 9, now: NOW };
    const missing = await store.embeddings.missing(tenant, ofNext);
    expect(missing.map(({ id }) => id)).toEqual([idOf(1), idOf(5)]);
  });

  it('STORE-55: no step changes another tenant', async () => {
    const { store, tenant } = fixture();
    const other = newTenant();
    for (const each of [tenant, other]) await fillBoth(store, each);
    const before = await store.memories.get(other, idOf(1));
    await exhausted(() => store.embeddings.adopt(tenant, NEXT, 3));
    await exhausted(() => store.embeddings.drop(tenant, GENERATION, 3));
    expect(await store.memories.get(other, idOf(1))).toEqual(before);
    const now = { generation: GENERATION, now: NOW };
    expect(await store.embeddings.progress(other, now)).toMatchObject({ done: 5, missing: 0 });
  });
}

function refusalSuite(open: Open): void {
  const fixture = sharedStore(open);

  it.each([
    ['zero', [0, 0]],
    ['not a number', [Number.NaN, 1]],
    ['infinite', [1, Number.POSITIVE_INFINITY]],
    ['too large for a 32-bit float', [1e39, 1]],
    ['empty', []],
  ])('STORE-56: a vector that is %s is refused by every operation', async (_, vector) => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const { contentHash } = memoryOf(tenant, 1);
    const vectors = [{ id: idOf(1), contentHash, vector }];
    const content = { ...newContent('New.'), vector, embeddingGeneration: GENERATION };
    const doors = [
      () => store.memories.add(embedded(tenant, 2, vector), rulesAt(NOW)),
      () => store.memories.update({ tenant, id: idOf(1) }, { content }, rulesAt(NOW)),
      () => store.embeddings.putVectors(tenant, { generation: GENERATION, vectors, own: true }),
    ];
    for (const door of doors) await expect(door()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await store.memories.get(tenant, idOf(1))).toEqual(memoryOf(tenant, 1));
    expect(await store.memories.get(tenant, idOf(2))).toBeNull();
  });
}
