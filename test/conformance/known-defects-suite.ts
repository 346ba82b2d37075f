/**
 * What users of other memory systems complain about, as far as it concerns the memory provider.
 * Each complaint is a test here, or names the test of another suite that would fail with it.
 */
import { readdir, readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { contentKey, uniting } from './deduplication-suite.ts';
import { idOf, memoryOf, NOW, rulesAt, userScope } from './samples.ts';
import { addAll, byVector, byWords, embedded, found, listedIds } from './search-samples.ts';

/** More in other scopes than any search would look at beyond its limit. */
const OTHERS = 300;

/** Complaint, and the name of the test that stands against it. */
const COVERED: readonly (readonly [complaint: string, test: string])[] = [
  [
    'metadata filters are applied after the limit of a vector search',
    'a search by %s finds a worse match behind many better ones',
  ],
  [
    'equal concurrent adds create several memories',
    'STORE-44: 200 concurrent equal adds create one memory with all tags',
  ],
  [
    'a writer that read before a long call overwrites what came in between',
    'STORE-6: one of many concurrent updates of a version succeeds, and the others conflict',
  ],
  [
    'concurrent updates are lost',
    'STORE-46: concurrent updates without a version are all made, one after another',
  ],
  [
    'a forgotten fact is still recalled',
    'STORE-64: a search reflects each addition, change, tag, and deletion immediately',
  ],
  [
    'a memory is deleted and its replacement never added',
    '%s is complete or absent after a crash at any step',
  ],
  [
    'after a model change, old memories are lost or compared with vectors of another model',
    'STORE-61: memories of both generations are found while the model changes',
  ],
  [
    'one index mixes the vectors of two models',
    'STORE-61: each memory is compared by the first requested generation that it has',
  ],
  [
    'users see the memories of other users',
    'a tenant cannot see or change the data of another with the same keys',
  ],
  [
    'a cache key does not include the tenant',
    'an embedding of one tenant is not reused for another',
  ],
  ['objects in filter values reach the database as operators', '%s is refused at "%s"'],
  [
    'the threshold of a search is ignored',
    'a search finds only memories that score at or above the threshold',
  ],
  [
    'layers are searched one after another',
    'MEM-16: all layers are searched concurrently, and merged once all have answered',
  ],
  [
    'results are merged by something other than precedence and score',
    'the more specific layer comes first, then the higher score',
  ],
  [
    'near duplicates in two layers are both returned',
    'only the more specific of two nearly equal hits stays',
  ],
  [
    'the user and agent layers come last',
    'all seven layers are returned in the order of their precedence',
  ],
  [
    'a search returns nothing while an index is not ready',
    'STORE-64: bulk writes are found as soon as they are made',
  ],
  [
    'a budget is exceeded because it is checked first and charged later',
    'after random steps, the limit holds and every reservation ends',
  ],
];

export function knownDefectsSuite(open: Open): void {
  describe('defects of other systems', () => {
    coveredSuite();
    ownSuite(open);
  });
}

function coveredSuite(): void {
  it.each(COVERED)('STORE-65: a test covers the complaint "%s"', async (_, test) => {
    const folders = [import.meta.dirname, `${import.meta.dirname}/../unit/core/search`];
    const texts: string[] = [];
    for (const folder of folders) {
      for (const name of await readdir(folder)) {
        const isOther = name.endsWith('.ts') && !import.meta.filename.endsWith(name);
        if (isOther) texts.push(await readFile(`${folder}/${name}`, 'utf8'));
      }
    }
    // Whether the ids of requirements stand before it or not.
    const titles = [`'${test}'`, `: ${test}'`];
    expect(texts.some((text) => titles.some((title) => text.includes(title)))).toBe(true);
  });
}

function ownSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-65: a scope with few memories finds them despite many better matches elsewhere', async () => {
    const { store, tenant } = fixture();
    const other = newTenant();
    const better = (of: string, scopeId: string, from: number) =>
      Array.from({ length: OTHERS }, (_, n) =>
        embedded(of, from + n, [1, 0], { scopeId, content: 'zebra zebra' }),
      );
    await addAll(store, better(tenant, 'bob', 1_000));
    await addAll(store, better(other, 'ann', 2_000));
    await addAll(store, [
      embedded(tenant, 1, [0, 1], { content: 'a zebra' }),
      embedded(tenant, 2, [-1, 0.1], { content: 'one zebra of many' }),
    ]);
    const scope = userScope(tenant);
    expect(await found(store, scope, byVector([1, 0], { limit: 2 }))).toEqual([1, 2].map(idOf));
    expect(await found(store, scope, byWords('zebra', { limit: 2 }))).toEqual([1, 2].map(idOf));
  });

  it('STORE-65: acknowledged writes are there after the store is reopened', async () => {
    await using opened = await open();
    const { memories } = opened.store;
    const [tenant, now] = ['acme', rulesAt(NOW)];
    const added = await memories.add(memoryOf(tenant, 1), now);
    const many = await memories.addMany(
      [2, 3].map((n) => memoryOf(tenant, n)),
      now,
    );
    const key = { tenant, id: added.record.id };
    const updated = await memories.update(key, { tags: ['kept'] }, now);
    await memories.deleteMany([{ tenant, id: idOf(3) }], now);
    const store = await opened.reopen();
    const kept = await Promise.all([1, 2, 3].map((n) => store.memories.get(tenant, idOf(n))));
    const [second] = many.map((item) => (item.ok ? item.outcome.record : null));
    expect(kept).toEqual([updated.record, second, null]);
  });

  it('STORE-65: metadata names with a special meaning elsewhere are plain data', async () => {
    const { store, tenant } = fixture();
    const hostile: unknown = JSON.parse(
      '{"$where":"1","$gt":{"$ne":null},"a.b":1,"":0,' +
        '"constructor":{"prototype":2},"toString":"own"}',
    );
    const metadata = { ...(hostile as Record<string, unknown>), a: { b: 2 } };
    const memory = memoryOf(tenant, 1, { metadata });
    await store.memories.add(memory, rulesAt(NOW));
    expect(await store.memories.get(tenant, idOf(1))).toEqual(memory);
    const scope = userScope(tenant);
    const meeting = (eq: number) =>
      listedIds(store, [scope], { conditions: { filter: { field: 'a.b', eq } } });
    expect(await meeting(2)).toEqual([idOf(1)]);
    expect(await meeting(1)).toEqual([]);
    const key = { tenant, id: idOf(1) };
    const { record } = await store.memories.update(key, { metadata: { $set: 1 } }, rulesAt(NOW));
    expect(record.metadata).toEqual({ ...metadata, $set: 1 });
    expect(await store.memories.get(tenant, idOf(1))).toEqual(record);
  });

  it('STORE-65: equal texts are deduplicated in every script and spelling', async () => {
    const { store, tenant } = fixture();
    const pairs = [
      ['Café', 'Cafe\u0301'],
      ['予算会議', '予算会議\r\n'],
      ['한국어', '한국어'.normalize('NFD')],
      [' اجتماع', 'اجتماع '],
    ] as const;
    for (const [at, [first, second]] of pairs.entries()) {
      const one = memoryOf(tenant, 2 * at, { content: first, key: contentKey(first) });
      const other = memoryOf(tenant, 2 * at + 1, { content: second, key: contentKey(second) });
      await store.memories.add(one, uniting(NOW));
      const { deduplicated } = await store.memories.add(other, uniting(NOW));
      expect(deduplicated).toBe(true);
    }
    expect(await listedIds(store, [userScope(tenant)])).toHaveLength(pairs.length);
  });
}
