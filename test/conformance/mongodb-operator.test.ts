/** What an operator keeps in MongoDB where no transaction holds several documents together. */
import { MongoClient } from 'mongodb';
import { expect, it } from 'vitest';

import { POLICY_RECORD_DEFAULTS, PolicyRecord } from '#core/records/policy-record.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { providerOf } from './model-provider-suite.ts';
import { openMongodb } from './mongodb-adapter.ts';
import { interrupting } from './mongodb-faults.ts';
import { mongodbStand } from './mongodb-stand.ts';
import { memoryOf, MINUTE_MS, NOW, ownerOf, policyOf, rulesAt, turnOf } from './samples.ts';

const TENANT = 'gone-tenant-7';
const CLUSTER = 'cluster';
const OWNER = { ...ownerOf('a'), cluster: CLUSTER };
const WRITE = { hash: 'hash-1', now: NOW, epoch: 1 };
/** More commands than any write of these tests has. */
const COMMANDS_MAX = 20;

const { open, ownDatabase, uri } = mongodbStand();

describeUnless(await missingForMongodb())('an operator over MongoDB', () => {
  it('K8S-02: a policy of an earlier version has no leader, and its owner goes on', async () => {
    const database = ownDatabase();
    {
      await using store = await open({ database });
      await store.policies.put(OWNER, policyOf(TENANT), { ...WRITE, epoch: 0 });
    }
    const client = new MongoClient(uri());
    const change = { $unset: { 'record.epoch': '', 'record.releasedAt': '' } };
    await client.db(database).collection('policies').updateMany({}, change);
    await client.close();
    await using store = await open({ database });
    const before = await store.policies.get(TENANT);
    expect(before).toMatchObject({ ...POLICY_RECORD_DEFAULTS, generation: 1 });
    expect(PolicyRecord.parse(before)).toEqual(before);
    expect(await store.policies.fence(CLUSTER, 1)).toBe(true);
    expect(await store.policies.get(TENANT)).toMatchObject({ epoch: 1 });
    const next = { ...WRITE, hash: 'hash-2', expectedGeneration: 1 };
    expect(await store.policies.put(OWNER, policyOf(TENANT, 5), next)).toMatchObject({
      kind: 'Applied',
    });
  });

  it('K8S-03: a leader that stood still within the first write of a record takes it back', async () => {
    const database = ownDatabase();
    await using store = await open({ database });
    const fence = (epoch: number) => store.policies.fence(CLUSTER, epoch);
    {
      const frozen = interrupting('policies.insert', 1, () => fence(2));
      await using late = await open({ database, faults: frozen });
      const put = await late.policies.put(OWNER, policyOf(TENANT), WRITE);
      expect(put).toEqual({ kind: 'Fenced', epoch: 2 });
      expect(await store.policies.get(TENANT)).toBeNull();
    }
    const frozen = interrupting('modelProviders.insert', 1, () => fence(3));
    await using late = await open({ database, faults: frozen });
    const place = { name: 'endpoint', owner: OWNER };
    const put = await late.modelProviders.put(place, providerOf(), { ...WRITE, epoch: 2 });
    expect(put).toEqual({ kind: 'Fenced', epoch: 3 });
    expect(await store.modelProviders.get('endpoint')).toBeNull();
  });

  it('K8S-03: a leader that stood still within a later write of a record changes nothing', async () => {
    const database = ownDatabase();
    await using store = await open({ database });
    await store.policies.put(OWNER, policyOf(TENANT), WRITE);
    const frozen = interrupting('policies.replace', 1, () => store.policies.fence(CLUSTER, 2));
    await using late = await open({ database, faults: frozen });
    const next = { ...WRITE, hash: 'hash-2' };
    const fenced = { kind: 'Fenced', epoch: 2 };
    expect(await late.policies.put(OWNER, policyOf(TENANT, 5), next)).toEqual(fenced);
    expect(await store.policies.get(TENANT)).toMatchObject({ hash: 'hash-1', epoch: 2 });
  });

  it('K8S-04: what another owner writes while an erasure stands still is theirs', async () => {
    const database = ownDatabase();
    await using store = await open({ database });
    await store.policies.put(OWNER, policyOf(TENANT), WRITE);
    await store.memories.add(memoryOf(TENANT, 1), rulesAt(NOW));
    await store.policies.release(TENANT, OWNER, { now: NOW, epoch: 1 });
    const heir = { ...OWNER, uid: 'another uid' };
    const frozen = interrupting('memories.select', 1, () =>
      store.policies.put(heir, policyOf(TENANT), { ...WRITE, hash: 'hash-2' }),
    );
    await using late = await open({ database, faults: frozen });
    const by = { owner: OWNER, epoch: 1 };
    const step = late.eraseTenant(TENANT, { limit: 100, now: NOW + MINUTE_MS, by });
    await expect(step).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await store.memories.get(TENANT, memoryOf(TENANT, 1).id)).not.toBeNull();
    expect(await store.policies.get(TENANT)).toMatchObject({ owner: heir });
  });

  it.each(['memories', 'turns'] as const)(
    'K8S-04: an erasure is not done before a write of %s under way is, and takes it too',
    async (kind) => {
      const database = ownDatabase();
      await using store = await open({ database });
      const erase = () => store.eraseTenant(TENANT, { limit: 100, now: NOW });
      let calls = 0;
      const halted = interrupting(`${kind}.insert`, 1, async () => {
        for (; calls < 3; calls += 1) expect(await erase()).toMatchObject({ isDone: false });
      });
      await using writer = await open({ database, faults: halted });
      if (kind === 'turns') await writer.turns.append([turnOf(TENANT, 1)], rulesAt(NOW));
      else await writer.memories.add(memoryOf(TENANT, 1), rulesAt(NOW));
      expect(calls).toBe(3);
      expect(await erase()).toMatchObject({ deleted: 2, isDone: false });
      expect(await erase()).toEqual({ deleted: 0, isDone: true });
    },
  );

  it.each(['a memory', 'turns'])(
    'K8S-04: what a dead writer left of %s is erased with its tenant',
    async (kind) => {
      await using opened = await openMongodb(uri());
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
