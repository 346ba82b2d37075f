/** The operator's records in MongoDB, where no transaction spans several documents. */
import { expect, it } from 'vitest';

import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { providerOf } from './model-provider-suite.ts';
import { openMongodb } from './mongodb-adapter.ts';
import { dyingAfter, interrupting } from './mongodb-faults.ts';
import { mongodbFixture } from './mongodb-fixture.ts';
import {
  memoryOf,
  MINUTE_MS,
  NOW,
  ownerOf,
  policyOf,
  rulesAt,
  sessionScope,
  turnOf,
  userScope,
} from './samples.ts';

const TENANT = 'gone-tenant-7';
const CLUSTER = 'cluster';
const OWNER = { ...ownerOf('a'), cluster: CLUSTER };
const WRITE = { hash: 'hash-1', now: NOW, epoch: 1 };
/** More commands than any write of these tests has. */
const COMMANDS_MAX = 20;

const { open, ownDatabase, uri } = mongodbFixture();

describeUnless(await missingForMongodb())('an operator over MongoDB', () => {
  it('a leader that another replaces during its first write of a record undoes it', async () => {
    const database = ownDatabase();
    await using store = await open({ database });
    const fence = (epoch: number) => store.policies.fence(CLUSTER, epoch);
    {
      const frozen = interrupting('policies.commit', 1, () => fence(2));
      await using late = await open({ database, faults: frozen });
      const put = await late.policies.put(OWNER, policyOf(TENANT), WRITE);
      expect(put).toEqual({ kind: 'Fenced', epoch: 2 });
      expect(await store.policies.get(TENANT)).toBeNull();
    }
    const frozen = interrupting('modelProviders.commit', 1, () => fence(3));
    await using late = await open({ database, faults: frozen });
    const place = { name: 'endpoint', owner: OWNER };
    const put = await late.modelProviders.put(place, providerOf(), { ...WRITE, epoch: 2 });
    expect(put).toEqual({ kind: 'Fenced', epoch: 3 });
    expect(await store.modelProviders.get('endpoint')).toBeNull();
  });

  it('a leader that another replaces during a later write of a record changes nothing', async () => {
    const database = ownDatabase();
    await using store = await open({ database });
    await store.policies.put(OWNER, policyOf(TENANT), WRITE);
    const frozen = interrupting('policies.commit', 1, () => store.policies.fence(CLUSTER, 2));
    await using late = await open({ database, faults: frozen });
    const next = { ...WRITE, hash: 'hash-2' };
    const fenced = { kind: 'Fenced', epoch: 2 };
    expect(await late.policies.put(OWNER, policyOf(TENANT, 5), next)).toEqual(fenced);
    expect(await store.policies.get(TENANT)).toMatchObject({ hash: 'hash-1', epoch: 2 });
  });

  it('an erasure does not delete what a new owner writes while it is paused', async () => {
    const database = ownDatabase();
    await using store = await open({ database });
    await store.policies.put(OWNER, policyOf(TENANT), WRITE);
    await store.memories.add(memoryOf(TENANT, 1), rulesAt(NOW));
    await store.policies.release(TENANT, OWNER, { now: NOW, epoch: 1 });
    const heir = { ...OWNER, uid: 'another uid' };
    const frozen = interrupting('summaries.erasable', 1, () =>
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
    'a write of %s that a reader completes during an erasure is erased too',
    async (kind) => {
      const database = ownDatabase();
      await using store = await open({ database });
      {
        await using dying = await open({ database, faults: dyingAfter('scopes.commit') });
        const write =
          kind === 'turns'
            ? dying.turns.append([turnOf(TENANT, 1)], rulesAt(NOW))
            : dying.memories.add(memoryOf(TENANT, 1), rulesAt(NOW));
        await expect(write).rejects.toThrow('The process died here.');
      }
      const scope = kind === 'turns' ? sessionScope(TENANT) : userScope(TENANT);
      const faults = interrupting('scopes.erasable', 1, () => store.scopes.get(scope));
      await using late = await open({ database, faults });
      const erase = () => late.eraseTenant(TENANT, { limit: 100, now: NOW });
      let isDone = false;
      for (let calls = 0; !isDone && calls < COMMANDS_MAX; calls += 1) ({ isDone } = await erase());
      expect(isDone).toBe(true);
      const sources = await store.scopes.sources(scope, { after: null, limit: 9, now: NOW });
      expect(sources).toEqual([]);
      expect(await store.memories.get(TENANT, memoryOf(TENANT, 1).id)).toBeNull();
    },
  );

  it.each(['a memory', 'turns'])(
    'an unfinished write of %s by a crashed process is erased with its tenant',
    async (kind) => {
      await using opened = await openMongodb(uri());
      let isFinished = false;
      for (let step = 0; !isFinished; step += 1) {
        expect(step).toBeLessThan(COMMANDS_MAX);
        await opened.store.policies.put(OWNER, policyOf(TENANT), WRITE);
        opened.crashAt(step);
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
          ({ isDone } = await store.eraseTenant(TENANT, later));
        }
        expect(isDone).toBe(true);
        expect(await opened.raw()).not.toContain(TENANT);
      }
    },
  );
});
