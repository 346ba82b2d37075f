/** The terms of an operator: how one begins, what ends it, and what it looks after beside. */
import { describe, expect, test } from 'vitest';
import type { Store } from '#core/ports/store.ts';
import { isReleased } from '#core/records/policy-record.ts';
import { EVENT } from '#operator/events/event-object.ts';
import { firstEpoch } from '#operator/leader/lease-holding.ts';
import { providersInStore } from '#operator/cluster/keep-installation.ts';
import { RESYNC_MS, RESYNC_SPREAD } from '#operator/tenant/applied-policies.ts';
import { NOW } from '../policy-store.ts';
import { operatorStand, RELEASE } from './operator-stand.ts';
import { CLUSTER, observation, OWNER, recordOf, tenantObject } from './resources.ts';

const ROUND_MS = RESYNC_MS * (1 + RESYNC_SPREAD);
const FIRST = firstEpoch(NOW);
const EXTRACTIVE = { allowedNamespaces: ['*'], extractive: {} };

async function putPolicy(store: Store, tenant: string, owner = OWNER): Promise<void> {
  const policy = { ...recordOf(observation(tenantObject())).policy, tenant };
  await store.policies.put(owner, policy, { hash: tenant, now: NOW });
}

describe('a term', () => {
  test('it begins with what is listed, and writes', async () => {
    const { run, time, store, writes } = await operatorStand({ listed: [tenantObject()] });
    run();
    await time.pass(1_000);
    expect(await store.policies.get('acme')).toMatchObject({ owner: OWNER, epoch: FIRST });
    expect(writes).toContain('apply MemoryTenant acme');
  });

  test('a stop before every list was there carries out nothing', async () => {
    const listed = [tenantObject()];
    const stand = await operatorStand({ listed, silent: ['LayerSummaryPolicy'] });
    stand.run();
    await stand.time.pass(1_000);
    stand.stop.abort();
    await stand.time.pass(1_000);
    expect(stand.outcome()).toBe('Stopped');
    expect(stand.writes).toEqual([]);
    expect(await stand.store.policies.get('acme')).toBeNull();
  });

  test('events that can not be written keep nobody from the Lease for longer than 3 s', async () => {
    const stand = await operatorStand({ listed: [tenantObject()], stuck: [EVENT.kind] });
    stand.run();
    await stand.time.pass(1_000);
    stand.stop.abort();
    await stand.time.pass(3_000);
    expect(stand.outcome()).toBe('Stopped');
    expect(stand.lease.read()?.['spec']).not.toHaveProperty('holderIdentity');
  });

  test('a leader that the store refuses ends, says why and gives the Lease back', async () => {
    const stand = await operatorStand({ listed: [tenantObject()] });
    await stand.store.policies.fence(CLUSTER, FIRST + 1);
    stand.run();
    await stand.time.pass(1_000);
    expect(stand.outcome()).toBe('Lost');
    expect(stand.messages.filter((text) => text.includes('--cluster-id'))).toHaveLength(1);
    expect(stand.lease.read()?.['spec']).not.toHaveProperty('holderIdentity');
    expect(await stand.store.policies.get('acme')).toBeNull();
  });
});

describe('tenants whose resource went without the operator', () => {
  const gone = { ...OWNER, name: 'gone', uid: 'uid-gone' };

  test('one that is gone is let go of, and its run ends', async () => {
    const stand = await operatorStand();
    await putPolicy(stand.store, 'gone', gone);
    stand.run();
    await stand.time.pass(1_000);
    expect(await stand.store.policies.get('gone')).toMatchObject({ epoch: FIRST });
    expect(isReleased(await stand.store.policies.get('gone'))).toBe(true);
    expect(stand.ended).toEqual(['gone']);
  });

  test('one that was made anew under the name is another resource', async () => {
    const anew = tenantObject({ tenantId: 'other' }, { name: 'gone', uid: 'uid-anew' });
    const stand = await operatorStand({ live: [anew] });
    await putPolicy(stand.store, 'gone', gone);
    stand.run();
    await stand.time.pass(1_000);
    expect(isReleased(await stand.store.policies.get('gone'))).toBe(true);
  });

  test.each([
    ['that only a cache does not have', { live: [tenantObject({}, { name: 'gone' })] }, gone],
    ['of another cluster', {}, { ...gone, cluster: 'cluster-2' }],
    ['of a namespace that is not watched', { options: { namespaces: ['team-b'] } }, gone],
  ])('one %s is kept', async (_, script, owner) => {
    const stand = await operatorStand(script);
    await putPolicy(stand.store, 'gone', owner);
    stand.run();
    await stand.time.pass(ROUND_MS);
    expect(isReleased(await stand.store.policies.get('gone'))).toBe(false);
    expect(stand.ended).toEqual([]);
  });

  test('more than one page and one round of them are let go of in rounds', async () => {
    const stand = await operatorStand();
    const names = Array.from({ length: 1_001 }, (_, at) => `t-${String(at).padStart(4, '0')}`);
    for (const name of names) await putPolicy(stand.store, name, { ...OWNER, name, uid: name });
    const held = async () =>
      (await stand.store.policies.list(2_000)).filter((record) => !isReleased(record)).length;
    stand.run();
    await stand.time.pass(1_000);
    expect(await held()).toBe(1);
    await stand.time.pass(ROUND_MS);
    expect(await held()).toBe(0);
  });
});

describe('ModelProviders that are left over in the store', () => {
  test.each([
    ['of this release goes', RELEASE, false],
    ['of another release stays', 'team-b', true],
  ])('one %s', async (_, namespace, isKept) => {
    const stand = await operatorStand();
    const owner = { cluster: CLUSTER, namespace, name: 'local', uid: 'uid-local' };
    await stand.store.modelProviders.put({ name: 'local', owner }, EXTRACTIVE, {
      hash: 'hash',
      now: NOW,
    });
    expect(await providersInStore(stand.asRelease)).toEqual(isKept ? [] : [`${namespace}/local`]);
    stand.run();
    await stand.time.pass(1_000);
    // As after the end of a resource that was watched.
    for (const queue of stand.operator.queues) queue.add(`${namespace}/local`);
    await stand.time.pass(1_000);
    expect((await stand.store.modelProviders.get('local')) !== null).toBe(isKept);
  });
});
