/** What an operator keeps in MongoDB where no transaction holds several documents together. */
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, it } from 'vitest';

import { POLICY_RECORD_DEFAULTS, PolicyRecord } from '#core/records/policy-record.ts';
import type { Faults } from '#providers/mongodb/connection.ts';
import { openMongoStore } from '#providers/mongodb/store.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import {
  missingForMongodb,
  startTestMongodb,
  type TestMongodb,
} from '#test/cluster/test-mongodb.ts';

import { providerOf } from './model-provider-suite.ts';
import { dropDatabase, newDatabase, openMongodb } from './mongodb-adapter.ts';
import { memoryOf, MINUTE_MS, NOW, ownerOf, policyOf, rulesAt, turnOf } from './samples.ts';
import { analyzer } from './search-samples.ts';
import { PLATFORM } from './sqlite-adapter.ts';

const START_MS_MAX = 10 * 60 * 1_000;
const TENANT = 'gone-tenant-7';
const CLUSTER = 'cluster';
const OWNER = { ...ownerOf('a'), cluster: CLUSTER };
const WRITE = { hash: 'hash-1', now: NOW, epoch: 1 };
/** More commands than any write of these tests has. */
const COMMANDS_MAX = 20;

let server: TestMongodb | null = null;

function optionsOf(database: string, faults?: Faults) {
  return { uri: server?.uri ?? '', database, platform: PLATFORM, analyzer, faults };
}

/** Stands still before the first command of a name until something else has happened. */
function haltedBefore(name: string, meanwhile: () => Promise<unknown>): Faults {
  let isHalted = false;
  return {
    async beforeCommand(command) {
      if (command !== name || isHalted) return;
      isHalted = true;
      await meanwhile();
    },
    afterCommand: () => undefined,
  };
}

describeUnless(await missingForMongodb())('an operator over MongoDB', () => {
  beforeAll(async () => {
    server = await startTestMongodb();
  }, START_MS_MAX);
  afterAll(async () => {
    await server?.[Symbol.asyncDispose]();
  });

  it('K8S-02: a policy of an earlier version has no leader, and its owner goes on', async () => {
    const database = newDatabase();
    {
      await using store = await openMongoStore(optionsOf(database));
      await store.policies.put(OWNER, policyOf(TENANT), { ...WRITE, epoch: 0 });
    }
    const client = new MongoClient(server?.uri ?? '');
    const change = { $unset: { 'record.epoch': '', 'record.releasedAt': '' } };
    await client.db(database).collection('policies').updateMany({}, change);
    await client.close();
    await using store = await openMongoStore(optionsOf(database));
    const before = await store.policies.get(TENANT);
    expect(before).toMatchObject({ ...POLICY_RECORD_DEFAULTS, generation: 1 });
    expect(PolicyRecord.parse(before)).toEqual(before);
    expect(await store.policies.fence(CLUSTER, 1)).toBe(true);
    expect(await store.policies.get(TENANT)).toMatchObject({ epoch: 1 });
    const next = { ...WRITE, hash: 'hash-2', expectedGeneration: 1 };
    expect(await store.policies.put(OWNER, policyOf(TENANT, 5), next)).toMatchObject({
      kind: 'Applied',
    });
    await dropDatabase(server?.uri ?? '', database);
  });

  it('K8S-03: a leader that stood still within the first write of a record takes it back', async () => {
    const database = newDatabase();
    await using store = await openMongoStore(optionsOf(database));
    const fence = (epoch: number) => store.policies.fence(CLUSTER, epoch);
    {
      const frozen = haltedBefore('policies.insert', () => fence(2));
      await using late = await openMongoStore(optionsOf(database, frozen));
      const put = await late.policies.put(OWNER, policyOf(TENANT), WRITE);
      expect(put).toEqual({ kind: 'Fenced', epoch: 2 });
      expect(await store.policies.get(TENANT)).toBeNull();
    }
    const frozen = haltedBefore('modelProviders.insert', () => fence(3));
    await using late = await openMongoStore(optionsOf(database, frozen));
    const place = { name: 'endpoint', owner: OWNER };
    const put = await late.modelProviders.put(place, providerOf(), { ...WRITE, epoch: 2 });
    expect(put).toEqual({ kind: 'Fenced', epoch: 3 });
    expect(await store.modelProviders.get('endpoint')).toBeNull();
    await dropDatabase(server?.uri ?? '', database);
  });

  it('K8S-03: a leader that stood still within a later write of a record changes nothing', async () => {
    const database = newDatabase();
    await using store = await openMongoStore(optionsOf(database));
    await store.policies.put(OWNER, policyOf(TENANT), WRITE);
    const frozen = haltedBefore('policies.replace', () => store.policies.fence(CLUSTER, 2));
    await using late = await openMongoStore(optionsOf(database, frozen));
    const next = { ...WRITE, hash: 'hash-2' };
    const fenced = { kind: 'Fenced', epoch: 2 };
    expect(await late.policies.put(OWNER, policyOf(TENANT, 5), next)).toEqual(fenced);
    expect(await store.policies.get(TENANT)).toMatchObject({ hash: 'hash-1', epoch: 2 });
    await dropDatabase(server?.uri ?? '', database);
  });

  it('K8S-04: what another owner writes while an erasure stands still is theirs', async () => {
    const database = newDatabase();
    await using store = await openMongoStore(optionsOf(database));
    await store.policies.put(OWNER, policyOf(TENANT), WRITE);
    await store.memories.add(memoryOf(TENANT, 1), rulesAt(NOW));
    await store.policies.release(TENANT, OWNER, { now: NOW, epoch: 1 });
    const heir = { ...OWNER, uid: 'another uid' };
    const frozen = haltedBefore('memories.select', () =>
      store.policies.put(heir, policyOf(TENANT), { ...WRITE, hash: 'hash-2' }),
    );
    await using late = await openMongoStore(optionsOf(database, frozen));
    const by = { owner: OWNER, epoch: 1 };
    const step = late.eraseTenant(TENANT, { limit: 100, now: NOW + MINUTE_MS, by });
    await expect(step).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await store.memories.get(TENANT, memoryOf(TENANT, 1).id)).not.toBeNull();
    expect(await store.policies.get(TENANT)).toMatchObject({ owner: heir });
    await dropDatabase(server?.uri ?? '', database);
  });

  it.each(['memories', 'turns'] as const)(
    'K8S-04: an erasure is not done before a write of %s under way is, and takes it too',
    async (kind) => {
      const database = newDatabase();
      await using store = await openMongoStore(optionsOf(database));
      const erase = () => store.eraseTenant(TENANT, { limit: 100, now: NOW });
      let calls = 0;
      const halted = haltedBefore(`${kind}.insert`, async () => {
        for (; calls < 3; calls += 1) expect(await erase()).toMatchObject({ isDone: false });
      });
      await using writer = await openMongoStore(optionsOf(database, halted));
      if (kind === 'turns') await writer.turns.append([turnOf(TENANT, 1)], rulesAt(NOW));
      else await writer.memories.add(memoryOf(TENANT, 1), rulesAt(NOW));
      expect(calls).toBe(3);
      expect(await erase()).toMatchObject({ deleted: 2, isDone: false });
      expect(await erase()).toEqual({ deleted: 0, isDone: true });
      await dropDatabase(server?.uri ?? '', database);
    },
  );

  it.each(['a memory', 'turns'])(
    'K8S-04: what a dead writer left of %s is erased with its tenant',
    async (kind) => {
      await using opened = await openMongodb(server?.uri ?? '');
      let isFinished = false;
      for (let step = 0; !isFinished; step += 1) {
        expect(step).toBeLessThan(COMMANDS_MAX);
        await opened.store.policies.put(OWNER, policyOf(TENANT), WRITE);
        opened.dieAt(step);
        const write =
          kind === 'turns'
            ? opened.store.turns.append([turnOf(TENANT, 1)], rulesAt(NOW))
            : opened.store.memories.add(memoryOf(TENANT, 1), rulesAt(NOW));
        isFinished = await write.then(
          () => true,
          () => false,
        );
        await opened.reopen();
        const { store } = opened;
        const later = { limit: 100, now: NOW + MINUTE_MS };
        let isDone = false;
        for (let calls = 0; !isDone && calls < COMMANDS_MAX; calls += 1) {
          // A write that is under way is waited for, and not cut off in the middle.
          const { isDone: isEarly } = await store.eraseTenant(TENANT, { limit: 100, now: NOW });
          isDone = isEarly || (await store.eraseTenant(TENANT, later)).isDone;
        }
        expect(isDone).toBe(true);
        expect(await opened.raw()).not.toContain(TENANT);
      }
    },
  );
});
