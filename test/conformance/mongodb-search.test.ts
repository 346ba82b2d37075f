/**
 * Searches of scopes that are larger than what is kept in memory, of one that several stores write
 * to, and of another analyzer. The bounds are small, so that little is much.
 */
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import type { Memory } from '#core/records/memory.ts';
import type { ScopeQuery } from '#core/search/scope-search.ts';
import type { SearchBounds } from '#providers/mongodb/search/search-bounds.ts';
import type { MongoStoreOptions } from '#providers/mongodb/store.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { newTenant } from './adapter.ts';
import { keywordSuite } from './keyword-suite.ts';
import { openMongodb } from './mongodb-adapter.ts';
import { mongodbFixture } from './mongodb-fixture.ts';
import { idOf, memoryOf, newContent, NOW, rulesAt, userScope } from './samples.ts';
import { searchOracleSuite } from './search-oracle-suite.ts';
import {
  addAll,
  byVector,
  byWords,
  embedded,
  found,
  GENERATION,
  listedIds,
} from './search-samples.ts';
import { searchSuite } from './search-suite.ts';

const TEST_MS_MAX = 180_000;
/** Every search of more than a few memories meets every one of these. */
const SMALL: Partial<SearchBounds> = { wholeMax: 3, candidatesMax: 8, pageMax: 5 };
/** Enough for a handful of memories, so that the rest goes again and again. */
const KEPT_BYTES = 4_096;
const MANY = 300;
const RARE = 117;
const WRITES = 24;

const { open: openStore, ownDatabase, uri } = mongodbFixture();

/** Memories that look alike to both legs, and one that does not. */
function crowd(tenant: string, rare: Partial<Memory>): Memory[] {
  return Array.from({ length: MANY }, (_, at) => {
    const common = { content: `Common words of number ${at}.`, ...(at === RARE ? rare : {}) };
    return embedded(tenant, at, at === RARE ? [0, 1] : [1, at / 1_000], common);
  });
}

const BOTH: ScopeQuery = { ...byWords('common words'), vectors: byVector([1, 0]).vectors };

const CASES: readonly (readonly [string, Partial<Memory>, ScopeQuery, string])[] = [
  ['for a rare word', { content: 'Common zebra.' }, byWords('common zebra'), 'CandidateIds'],
  ['for its vector', {}, byVector([0, 1]), 'ExactScan'],
  [
    'by tag',
    { tags: ['rare'] },
    { ...BOTH, conditions: { ...BOTH.conditions, tags: ['rare'] } },
    'CandidateIds',
  ],
  [
    'by a filter',
    { metadata: { place: { floor: 7 } } },
    { ...BOTH, conditions: { ...BOTH.conditions, filter: { field: 'place.floor', gte: 7 } } },
    'CandidateIds',
  ],
];

describeUnless(await missingForMongodb())('searches of MongoDB', () => {
  describe('of scopes that do not fit into memory', () => {
    const open = () => openMongodb(uri(), { bounds: { ...SMALL, wholeMax: 0 } });
    searchSuite(open);
    keywordSuite(open);
    searchOracleSuite(open);
  });

  describe('with memory for a few indexes', () => {
    searchSuite(() => openMongodb(uri(), { bounds: { keptBytesMax: KEPT_BYTES } }));
  });

  it.each(CASES)('a search %s finds one memory among many', async (_, rare, query, path) => {
    await using opened = await openMongodb(uri(), { bounds: SMALL });
    const tenant = newTenant();
    await addAll(opened.store, crowd(tenant, rare));
    const { candidates, ...hits } = await opened.store.memories.search(userScope(tenant), query);
    expect(candidates.map(({ memory }) => memory.id)).toContain(idOf(RARE));
    expect(candidates.length).toBeLessThanOrEqual(2 * query.limit);
    expect(hits).toMatchObject({ path });
  });

  it('a search that would compare too many vectors is refused until it is narrowed', async () => {
    await using opened = await openMongodb(uri(), { bounds: { ...SMALL, scannedMax: MANY - 1 } });
    const tenant = newTenant();
    await addAll(opened.store, crowd(tenant, { tags: ['rare'] }));
    const search = opened.store.memories.search(userScope(tenant), byVector([0, 1]));
    await expect(search).rejects.toMatchObject({ code: 'FILTER_TOO_BROAD' });
    const narrowed = byVector([0, 1], { conditions: { tags: ['rare'] } });
    expect(await found(opened.store, userScope(tenant), narrowed)).toEqual([idOf(RARE)]);
  });

  it(
    'STORE-64: each of two stores finds each write of the other',
    { timeout: TEST_MS_MAX },
    async () => {
      const database = ownDatabase();
      await using writer = await openStore({ database });
      await using reader = await openStore({ database });
      const tenant = newTenant();
      for (let n = 0; n < WRITES; n += 1) {
        await writeOne(writer, tenant, n);
        await expectFindsAll(reader, tenant);
      }
      // More than a scope names of its last writes.
      await addAll(
        writer,
        Array.from({ length: 150 }, (_, at) => memoryOf(tenant, 1_000 + at)),
      );
      await expectFindsAll(reader, tenant);
      expect(await listedIds(reader, [userScope(tenant)])).toEqual(
        await listedIds(writer, [userScope(tenant)]),
      );
    },
  );

  it('STORE-65: a new analyzer analyzes existing memories again', async () => {
    const database = ownDatabase();
    const tenant = newTenant();
    const none = { revision: 'none', terms: () => [] };
    await filled({ database, analyzer: none }, [memoryOf(tenant, 1)]);
    await using store = await openStore({ database });
    expect(await found(store, userScope(tenant), byWords('garden'))).toEqual([idOf(1)]);
  });
});

/** One of each kind of write, again and again. */
async function writeOne(store: Store, tenant: string, n: number): Promise<void> {
  const key = { tenant, id: idOf(n - (n % 6)) };
  const { contentHash } = memoryOf(tenant, n);
  const vectors = [{ id: key.id, contentHash, vector: [1, n] }];
  const writes = [
    () => store.memories.add(memoryOf(tenant, n), rulesAt(NOW)),
    () => store.memories.update(key, { tags: [`tag-${n}`] }, rulesAt(NOW)),
    () => store.embeddings.putVectors(tenant, { generation: GENERATION, vectors, own: true }),
    () => store.memories.update(key, { content: newContent(`Garden ${n}.`) }, rulesAt(NOW)),
    () => store.memories.addMany([memoryOf(tenant, 500 + n)], rulesAt(NOW)),
    () => (n % 4 === 1 ? store.memories.delete(key, rulesAt(NOW)) : Promise.resolve(null)),
  ];
  await writes[n % writes.length]?.();
}

/** Every listed memory is found by its words, and by its vector and tags where it has them. */
async function expectFindsAll(store: Store, tenant: string): Promise<void> {
  const scope = userScope(tenant);
  const ids = await listedIds(store, [scope]);
  const limit = 1_000;
  expect(await found(store, scope, byWords('garden later', { limit }))).toEqual(ids);
  const { candidates } = await store.memories.search(scope, byVector([1, 0], { limit }));
  const kept = await Promise.all(ids.map((id) => store.memories.get(tenant, id)));
  const withVector = kept.flatMap((memory) => (memory?.vector ? [memory] : []));
  expect(candidates.map(({ memory }) => memory)).toEqual(withVector);
  for (const memory of kept) {
    for (const tag of memory?.tags ?? []) {
      const tagged = byWords('garden later', { limit, conditions: { tags: [tag] } });
      expect(await found(store, scope, tagged)).toContain(memory?.id);
    }
  }
}

async function filled(
  differing: Partial<MongoStoreOptions>,
  memories: readonly Memory[],
): Promise<void> {
  await using store = await openStore(differing);
  for (const memory of memories) await store.memories.add(memory, rulesAt(NOW));
}
