/** The suites of `PolicyRecords`, `RefreshRequestRecords` and `EventRecords`. */
import { describe, expect, it } from 'vitest';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { eventOf, NOW, ownerOf, policyOf } from './samples.ts';

export function policySuite(open: Open): void {
  describe('policies', () => {
    snapshotSuite(open);
  });
  describe('refresh requests', () => {
    refreshRequestSuite(open);
  });
  describe('events', () => {
    eventSuite(open);
  });
}

function snapshotSuite(open: Open): void {
  const fixture = sharedStore(open);
  const write = { hash: 'hash-1', now: NOW };

  it('a policy is stored with its owner, and a changed one is the next generation', async () => {
    const { store, tenant } = fixture();
    expect(await store.policies.get(tenant)).toBeNull();
    const owner = ownerOf('a');
    const first = await store.policies.put(owner, policyOf(tenant), write);
    const record = { tenant, owner, generation: 1, hash: 'hash-1', policy: policyOf(tenant) };
    expect(first).toEqual({
      kind: 'Applied',
      record: { ...record, appliedAt: NOW, epoch: 0, releasedAt: null },
    });
    const changed = { hash: 'hash-2', now: NOW + 1 };
    const second = await store.policies.put(owner, policyOf(tenant, 5), changed);
    expect(second).toMatchObject({ kind: 'Applied', record: { generation: 2, hash: 'hash-2' } });
    expect(await store.policies.get(tenant)).toMatchObject({ policy: policyOf(tenant, 5) });
  });

  it('writing the same policy again changes nothing', async () => {
    const { store, tenant } = fixture();
    await store.policies.put(ownerOf('a'), policyOf(tenant), write);
    const later = { ...write, now: NOW + 9 };
    const again = await store.policies.put(ownerOf('a'), policyOf(tenant), later);
    expect(again).toMatchObject({ kind: 'Unchanged', record: { generation: 1, appliedAt: NOW } });
  });

  it('STORE-34: a tenant belongs to its first owner, and other owners cannot change it', async () => {
    const { store, tenant } = fixture();
    await store.policies.put(ownerOf('a'), policyOf(tenant), write);
    const reborn = { ...ownerOf('a'), uid: 'another uid' };
    for (const owner of [ownerOf('b'), reborn]) {
      const result = await store.policies.put(owner, policyOf(tenant, 5), { hash: 'x', now: NOW });
      expect(result).toEqual({ kind: 'Claimed', owner: ownerOf('a') });
    }
    expect(await store.policies.get(tenant)).toMatchObject({ hash: 'hash-1', generation: 1 });
  });

  it('STORE-35: the policies of an installation are listed by tenant', async () => {
    await using opened = await open();
    const tenants = [newTenant(), newTenant()];
    for (const tenant of tenants.toReversed()) {
      await opened.store.policies.put(ownerOf('a'), policyOf(tenant), write);
    }
    const listed = await opened.store.policies.list(10);
    expect(listed.map(({ tenant }) => tenant)).toEqual(tenants.toSorted());
    expect(await opened.store.policies.list(1)).toHaveLength(1);
  });
}

function refreshRequestSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-36: a refresh request raises the count and tells whether it is the only pending one', async () => {
    const { store, tenant } = fixture();
    expect(await store.refreshRequests.get(tenant)).toEqual({ wanted: 0, acknowledged: 0 });
    const first = { wanted: 1, acknowledged: 0, edge: true };
    expect(await store.refreshRequests.want(tenant)).toEqual(first);
    expect(await store.refreshRequests.want(tenant)).toEqual({ ...first, wanted: 2, edge: false });
    expect(await store.refreshRequests.acknowledge(tenant, 2)).toBe(true);
    expect(await store.refreshRequests.get(tenant)).toEqual({ wanted: 2, acknowledged: 2 });
    expect(await store.refreshRequests.want(tenant)).toEqual({
      wanted: 3,
      acknowledged: 2,
      edge: true,
    });
  });

  it('STORE-37: requests that arrive in between are not acknowledged', async () => {
    const { store, tenant } = fixture();
    const { wanted } = await store.refreshRequests.want(tenant);
    await store.refreshRequests.want(tenant);
    expect(await store.refreshRequests.acknowledge(tenant, wanted)).toBe(false);
    expect(await store.refreshRequests.get(tenant)).toEqual({ wanted: 2, acknowledged: 0 });
    const idle = newTenant();
    expect(await store.refreshRequests.acknowledge(idle, 0)).toBe(true);
    expect(await store.refreshRequests.get(idle)).toEqual({ wanted: 0, acknowledged: 0 });
  });
}

function eventSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-38: events are listed by id, page by page, and appended once', async () => {
    const { store, tenant } = fixture();
    const events = ['e-2', 'e-1', 'e-3'].map((id) => eventOf(tenant, id));
    for (const event of [...events, ...events]) await store.events.append(event);
    const first = await store.events.list(tenant, { afterId: null, limit: 2 });
    expect(first).toEqual([eventOf(tenant, 'e-1'), eventOf(tenant, 'e-2')]);
    const rest = await store.events.list(tenant, { afterId: 'e-2', limit: 2 });
    expect(rest).toEqual([eventOf(tenant, 'e-3')]);
  });
}
