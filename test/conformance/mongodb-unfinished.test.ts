/** A writer that died after its write and before its scope knew; the next writer comes at once. */
import { expect, it } from 'vitest';

import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { newTenant } from './adapter.ts';
import { dyingAfter } from './mongodb-faults.ts';
import { mongodbStand } from './mongodb-stand.ts';
import { allSources, refresh } from './refresh.ts';
import {
  digest,
  idOf,
  memoryOf,
  MINUTE_MS,
  newContent,
  NOW,
  rulesAt,
  userScope,
} from './samples.ts';
import { byWords, found, listedIds } from './search-samples.ts';

const LATER = NOW + MINUTE_MS;

type Write = (store: Store, tenant: string) => Promise<unknown>;

const { open } = mongodbStand();

const update =
  (content: string): Write =>
  (store, tenant) =>
    store.memories.update({ tenant, id: idOf(1) }, { content: newContent(content) }, rulesAt(NOW));
const remove: Write = (store, tenant) =>
  store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
const add: Write = (store, tenant) =>
  store.memories.add(memoryOf(tenant, 1, { key: 'city' }), rulesAt(NOW));
const yielding: Write = (store, tenant) =>
  store.memories.add(memoryOf(tenant, 3, { key: 'old' }), rulesAt(NOW));
const removeYielding: Write = (store, tenant) =>
  store.memories.delete({ tenant, id: idOf(3) }, rulesAt(NOW));

const tag: Write = (store, tenant) =>
  store.memories.update({ tenant, id: idOf(1) }, { tags: ['new'] }, rulesAt(NOW));
const unite: Write = (store, tenant) =>
  store.memories.add(memoryOf(tenant, 1, { id: idOf(4), key: 'city', tags: ['united'] }), {
    ...rulesAt(NOW),
    onKey: 'Unite',
  });
const addMany: Write = (store, tenant) =>
  store.memories.addMany([memoryOf(tenant, 1, { key: 'city' }), memoryOf(tenant, 4)], rulesAt(NOW));
const removeMany: Write = (store, tenant) =>
  store.memories.deleteMany(
    [1, 4].map((n) => ({ tenant, id: idOf(n) })),
    rulesAt(NOW),
  );
const putVectors: Write = (store, tenant) => {
  const { id, contentHash } = memoryOf(tenant, 1);
  const vectors = [{ id, contentHash, vector: [1, 0] }];
  return store.embeddings.putVectors(tenant, { generation: 'hash-1', vectors, own: true });
};

interface Case {
  readonly name: string;
  readonly before: readonly Write[];
  readonly diesAfter: string;
  readonly left: Write;
  readonly next: Write;
  readonly sources: number;
}

const CASES: readonly Case[] = [
  {
    name: 'an update after an update',
    before: [add],
    diesAfter: 'memories.replace',
    left: update('Second.'),
    next: update('Third.'),
    sources: 1,
  },
  {
    name: 'a deletion after an update',
    before: [add],
    diesAfter: 'memories.replace',
    left: update('Second.'),
    next: remove,
    sources: 0,
  },
  {
    name: 'an update after an add',
    before: [],
    diesAfter: 'memories.insert',
    left: add,
    next: update('Second.'),
    sources: 1,
  },
  {
    name: 'an add after a deletion',
    before: [add],
    diesAfter: 'memories.replace',
    left: remove,
    next: add,
    sources: 1,
  },
  {
    name: 'an update after new tags',
    before: [add],
    diesAfter: 'memories.replace',
    left: tag,
    next: update('Second.'),
    sources: 1,
  },
  {
    name: 'new tags after an update',
    before: [add],
    diesAfter: 'memories.replace',
    left: update('Second.'),
    next: tag,
    sources: 1,
  },
  {
    name: 'a deletion after tags that were united',
    before: [add],
    diesAfter: 'memories.replace',
    left: unite,
    next: remove,
    sources: 0,
  },
  {
    name: 'vectors after an add',
    before: [],
    diesAfter: 'memories.insert',
    left: add,
    next: putVectors,
    sources: 1,
  },
  {
    name: 'new tags after vectors',
    before: [add],
    diesAfter: 'memories.writeMany',
    left: putVectors,
    next: tag,
    sources: 1,
  },
  {
    name: 'a deletion of several after adds of several',
    before: [],
    diesAfter: 'memories.insertMany',
    left: addMany,
    next: removeMany,
    sources: 0,
  },
  {
    name: 'adds of several after a deletion of several',
    before: [addMany],
    diesAfter: 'memories.writeMany',
    left: removeMany,
    next: addMany,
    sources: 2,
  },
  {
    name: 'a deletion of what took a key',
    before: [],
    diesAfter: 'memories.insert',
    left: yielding,
    next: removeYielding,
    sources: 0,
  },
];

/** A search finds what is listed, and a history ends with what is there. */
async function expectFound(store: Store, tenant: string): Promise<void> {
  const scope = userScope(tenant);
  const ids = await listedIds(store, [scope]);
  expect(await found(store, scope, byWords('garden second third'))).toEqual(ids);
  for (const id of [1, 3, 4].map(idOf)) {
    const memory = await store.memories.get(tenant, id);
    const page = { beforeVersion: null, limit: 100 };
    const changes = await store.memories.history({ tenant, id }, page);
    if (memory !== null) expect(changes[0]).toMatchObject({ version: memory.version });
    else if (changes.length > 0) expect(changes[0]).toMatchObject({ action: 'Deleted' });
    const versions = changes.map(({ version }) => version);
    expect(versions).toEqual(versions.map((__, at) => versions.length - at));
  }
}

describeUnless(await missingForMongodb())('a write over one that was left', () => {
  it.each(CASES)('STORE-46: $name: both count, once', async (each) => {
    await using store = await open();
    await using dying = await open({ faults: dyingAfter(each.diesAfter) });
    const tenant = newTenant();
    const scope = userScope(tenant);
    const ended = memoryOf(tenant, 2, { key: 'old', expiresAt: NOW });
    await store.memories.add(ended, rulesAt(NOW - 1));
    for (const write of each.before) await write(store, tenant);
    // From here on what ended is forgotten, and only the writes tell what the hash is.
    await refresh(store, scope, NOW);
    await expect(each.left(dying, tenant)).rejects.toThrow('The process died here.');
    await each.next(store, tenant);
    await expectFound(store, tenant);
    await store.scopes.due(tenant, { until: LATER, now: LATER, limit: 10 });
    await expectFound(store, tenant);
    const record = await store.scopes.get(scope);
    const sources = await allSources(store, scope, NOW);
    expect(sources).toHaveLength(each.sources);
    expect(record).toMatchObject({ sourceCount: each.sources, intents: [] });
    expect(record.sourceHash).toBe(sourceHashOf(digest, sources));
  });
});
