/** A writer that died after its write and before its scope knew; the next writer comes at once. */
import { afterAll, beforeAll, expect, it } from 'vitest';

import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import type { Faults } from '#providers/mongodb/connection.ts';
import { openMongoStore } from '#providers/mongodb/store.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import {
  missingForMongodb,
  startTestMongodb,
  type TestMongodb,
} from '#test/cluster/test-mongodb.ts';

import { newTenant } from './adapter.ts';
import { dropDatabase, newDatabase } from './mongodb-adapter.ts';
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
import { PLATFORM } from './sqlite-adapter.ts';

const DATABASE = newDatabase();
const START_MS_MAX = 10 * 60 * 1_000;
const LATER = NOW + MINUTE_MS;

type Write = (store: Store, tenant: string) => Promise<unknown>;

let server: TestMongodb | null = null;

function open(faults?: Faults): Promise<Store> {
  return openMongoStore({ uri: server?.uri ?? '', database: DATABASE, platform: PLATFORM, faults });
}

/** Dies when the server has done the command. */
function dyingAfter(name: string): Faults {
  let dead = false;
  const live = (): void => {
    if (dead) throw new Error('The process died here.');
  };
  return {
    beforeCommand: live,
    afterCommand(command) {
      dead = dead || command === name;
      live();
    },
  };
}

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
    name: 'a deletion of what took a key',
    before: [],
    diesAfter: 'memories.insert',
    left: yielding,
    next: removeYielding,
    sources: 0,
  },
];

describeUnless(await missingForMongodb())('a write over one that was left', () => {
  beforeAll(async () => {
    server = await startTestMongodb();
  }, START_MS_MAX);
  afterAll(async () => {
    if (server !== null) await dropDatabase(server.uri, DATABASE);
    await server?.[Symbol.asyncDispose]();
  });

  it.each(CASES)('STORE-46: $name: both count, once', async (each) => {
    await using store = await open();
    await using dying = await open(dyingAfter(each.diesAfter));
    const tenant = newTenant();
    const scope = userScope(tenant);
    const ended = memoryOf(tenant, 2, { key: 'old', expiresAt: NOW });
    await store.memories.add(ended, rulesAt(NOW - 1));
    for (const write of each.before) await write(store, tenant);
    // From here on what ended is forgotten, and only the writes tell what the hash is.
    await refresh(store, scope, NOW);
    await expect(each.left(dying, tenant)).rejects.toThrow('The process died here.');
    await each.next(store, tenant);
    await store.scopes.due(tenant, { until: LATER, now: LATER, limit: 10 });
    const record = await store.scopes.get(scope);
    const sources = await allSources(store, scope, NOW);
    expect(sources).toHaveLength(each.sources);
    expect(record).toMatchObject({ sourceCount: each.sources, intents: [] });
    expect(record.sourceHash).toBe(sourceHashOf(digest, sources));
  });
});
