/**
 * What users of other memory systems complain about, as far as it concerns the memory engine: each
 * complaint is a test here, or names the test of another suite that would fail with it.
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
    'filters of metadata applied after the limit of a vector search',
    'a worse match is found behind many better ones by %s',
  ],
  [
    'equal memories added at once become many',
    'STORE-44: 200 concurrent equal adds give one memory with all tags',
  ],
  [
    'a writer that read before a long call overwrites what came in between',
    'STORE-6: of concurrent updates of one version one wins, the others are told',
  ],
  [
    'concurrent updates get lost',
    'STORE-46: concurrent updates without a version are all made, one after another',
  ],
  [
    'a forgotten fact is still recalled',
    'STORE-64: a memory is found as soon as it is added, changed, tagged or deleted',
  ],
  [
    'a memory is deleted and its replacement never added',
    '%s is whole or absent after a death at any step',
  ],
  [
    'after a change of the model old memories are lost, or compared with vectors of another one',
    'STORE-61: while the model changes, memories of both generations are found',
  ],
  [
    'vectors of two models in one index',
    'STORE-61: of two generations each memory is compared by the first that it has',
  ],
  [
    'users see the memories of each other',
    'a tenant with the same keys sees and changes nothing of another',
  ],
  [
    'a cache without the tenant in its key',
    'what one tenant had embedded is not taken for another',
  ],
  ['objects as filter values reach the database as operators', '%s is refused at "%s"'],
  [
    'the threshold of a search is ignored',
    'what scores the threshold or more is found, and nothing below it',
  ],
  [
    'layers are searched one after another',
    'MEM-16: all layers are searched together, and merged after all have answered',
  ],
  [
    'results are merged by something other than precedence and score',
    'the more specific layer comes first, and ties go by score',
  ],
  [
    'near duplicates of two layers are both answered',
    'of nearly equal hits of two layers the more specific one stays',
  ],
  ['the user and agent layers come last', 'all seven layers come in the order of their precedence'],
  [
    'an index that is not ready is an empty answer',
    'STORE-64: bulk writes are found as soon as they are made',
  ],
  [
    'a budget that is checked first and charged later is passed',
    'whatever comes in whatever order, the limit holds and every reservation ends',
  ],
];

export function knownDefectsSuite(open: Open): void {
  describe('defects of other systems', () => {
    coveredSuite();
    ownSuite(open);
  });
}

function coveredSuite(): void {
  it.each(COVERED)('STORE-65: "%s" is what a test stands against', async (_, test) => {
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

  it('STORE-65: a scope with few memories finds them behind many better ones of others', async () => {
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

  it('STORE-65: what was answered as written is there after the store was opened again', async () => {
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

  it('STORE-65: names in metadata are data, whatever they mean elsewhere', async () => {
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

  it('STORE-65: equal texts are found equal in every script and spelling', async () => {
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
