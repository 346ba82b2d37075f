/** The terms of a leader: how one begins, what ends it, and what else the operator maintains. */
import { describe, expect, test } from 'vitest';
import type { Store } from '#core/ports/store.ts';
import { isReleased } from '#core/records/policy.ts';
import { EVENT } from '#operator/event-recorder.ts';
import { firstEpoch } from '#operator/leader/lease.ts';
import { providersInStore } from '#operator/cluster/installation-upkeep.ts';
import { CLUSTER_RESYNC_MS, RESYNC_SPREAD } from '#operator/resync-intervals.ts';
import { changedScope, NOW } from '../policy-store.ts';
import { operatorFixture, RELEASE } from './operator-fixture.ts';
import { CLUSTER, observation, OWNER, recordOf, tenantObject } from './resources.ts';

const ROUND_MS = CLUSTER_RESYNC_MS * (1 + RESYNC_SPREAD);
const FIRST = firstEpoch(NOW);
const EXTRACTIVE = { allowedNamespaces: ['*'], extractive: {} };

async function putPolicy(store: Store, tenant: string, owner = OWNER): Promise<void> {
  const policy = { ...recordOf(observation(tenantObject())).policy, tenant };
  await store.policies.put(owner, policy, { hash: tenant, now: NOW });
}

describe('a term of an operator', () => {
  test('starts from the listed resources and writes', async () => {
    const { run, time, store, writes } = await operatorFixture({ listed: [tenantObject()] });
    run();
    await time.pass(1_000);
    expect(await store.policies.get('acme')).toMatchObject({ owner: OWNER, epoch: FIRST });
    expect(writes).toContain('apply MemoryTenant acme');
  });

  test('records at the first claim whether a tenant had memories, and keeps the record', async () => {
    const { run, time, store } = await operatorFixture({
      listed: [
        tenantObject(),
        tenantObject({ tenantId: 'empty' }, { name: 'empty', uid: 'uid-empty' }),
      ],
    });
    await changedScope(store, { tenant: 'acme', layer: 'user', scopeId: 'ann' }, 1);
    run();
    await time.pass(1_000);
    expect(await store.policies.get('acme')).toMatchObject({ hadMemories: true });
    expect(await store.policies.get('empty')).not.toHaveProperty('hadMemories');
    const { policy } = recordOf(observation(tenantObject()));
    const write = { hash: 'later', now: NOW, epoch: FIRST };
    const put = await store.policies.put(OWNER, { ...policy, tenant: 'acme' }, write);
    expect(put).toMatchObject({ kind: 'Applied', record: { hadMemories: true } });
  });

  test('enforces nothing if stopped before every list is complete', async () => {
    const listed = [tenantObject()];
    const fixture = await operatorFixture({ listed, silent: ['LayerSummaryPolicy'] });
    fixture.run();
    await fixture.time.pass(1_000);
    fixture.stop.abort();
    await fixture.time.pass(1_000);
    expect(fixture.outcome()).toBe('Stopped');
    expect(fixture.writes).toEqual([]);
    expect(await fixture.store.policies.get('acme')).toBeNull();
  });

  test('keeps the Lease at most 3 s longer if events cannot be written', async () => {
    const fixture = await operatorFixture({ listed: [tenantObject()], stuck: [EVENT.kind] });
    fixture.run();
    await fixture.time.pass(1_000);
    fixture.stop.abort();
    await fixture.time.pass(3_000);
    expect(fixture.outcome()).toBe('Stopped');
    expect(fixture.lease.read()?.['spec']).not.toHaveProperty('holderIdentity');
  });

  test('ends with the reason and gives the Lease back if the store refuses it', async () => {
    const fixture = await operatorFixture({ listed: [tenantObject()] });
    await fixture.store.policies.fence(CLUSTER, FIRST + 1);
    fixture.run();
    await fixture.time.pass(1_000);
    expect(fixture.outcome()).toBe('Lost');
    expect(fixture.messages.filter((text) => text.includes('--cluster-id'))).toHaveLength(1);
    expect(fixture.lease.read()?.['spec']).not.toHaveProperty('holderIdentity');
    expect(await fixture.store.policies.get('acme')).toBeNull();
  });
});

describe('a tenant whose resource was deleted without the operator', () => {
  const gone = { ...OWNER, name: 'gone', uid: 'uid-gone' };

  test('is released, and its run ends', async () => {
    const fixture = await operatorFixture();
    await putPolicy(fixture.store, 'gone', gone);
    fixture.run();
    await fixture.time.pass(1_000);
    expect(await fixture.store.policies.get('gone')).toMatchObject({ epoch: FIRST });
    expect(isReleased(await fixture.store.policies.get('gone'))).toBe(true);
    expect(fixture.ended).toEqual(['gone']);
  });

  test('is released even if a new resource has the same name', async () => {
    const anew = tenantObject({ tenantId: 'other' }, { name: 'gone', uid: 'uid-anew' });
    const fixture = await operatorFixture({ live: [anew] });
    await putPolicy(fixture.store, 'gone', gone);
    fixture.run();
    await fixture.time.pass(1_000);
    expect(isReleased(await fixture.store.policies.get('gone'))).toBe(true);
  });

  test.each([
    ['missing only from a cache', { live: [tenantObject({}, { name: 'gone' })] }, gone],
    ['of another cluster', {}, { ...gone, cluster: 'cluster-2' }],
    ['in a namespace that is not watched', { options: { namespaces: ['team-b'] } }, gone],
  ])('is kept if it is %s', async (_, script, owner) => {
    const fixture = await operatorFixture(script);
    await putPolicy(fixture.store, 'gone', owner);
    fixture.run();
    await fixture.time.pass(ROUND_MS);
    expect(isReleased(await fixture.store.policies.get('gone'))).toBe(false);
    expect(fixture.ended).toEqual([]);
  });

  test('is released in a later round if there are more than a page of them', async () => {
    const fixture = await operatorFixture();
    const names = Array.from({ length: 1_001 }, (_, at) => `t-${String(at).padStart(4, '0')}`);
    for (const name of names) await putPolicy(fixture.store, name, { ...OWNER, name, uid: name });
    const held = async () =>
      (await fixture.store.policies.list(2_000)).filter((record) => !isReleased(record)).length;
    fixture.run();
    await fixture.time.pass(1_000);
    expect(await held()).toBe(1);
    await fixture.time.pass(ROUND_MS);
    expect(await held()).toBe(0);
  });
});

describe('a leftover ModelProvider in the store', () => {
  test.each([
    ['of this release is removed', RELEASE, false],
    ['of another release stays', 'team-b', true],
  ])('%s', async (_, namespace, isKept) => {
    const fixture = await operatorFixture();
    const owner = { cluster: CLUSTER, namespace, name: 'local', uid: 'uid-local' };
    await fixture.store.modelProviders.put({ name: 'local', owner }, EXTRACTIVE, {
      hash: 'hash',
      now: NOW,
    });
    expect(await providersInStore(fixture.asRelease)).toEqual(isKept ? [] : [`${namespace}/local`]);
    fixture.run();
    await fixture.time.pass(1_000);
    // As after the end of a resource that was watched.
    for (const queue of fixture.operator.queues) queue.add(`${namespace}/local`);
    await fixture.time.pass(1_000);
    expect((await fixture.store.modelProviders.get('local')) !== null).toBe(isKept);
  });
});
