/**
 * Who may write a tenant's policy: its owner, the latest leader, and callers that read its latest
 * version.
 */
import { describe, expect, it } from 'vitest';

import { VarveError } from '#core/errors.ts';
import { PolicyRecord, type Owner } from '#core/records/policy.ts';

import { sharedStore, type Open } from './adapter.ts';
import { memoryOf, NOW, ownerOf, policyOf, rulesAt } from './samples.ts';

const WRITE = { hash: 'hash-1', now: NOW };
const NEXT = { hash: 'hash-2', now: NOW + 1 };
const IDENTITY = { name: 'a', uid: 'uid-a' };
/** More steps than a fence or a release has. */
const STEPS_MAX = 50;

/** An owner in a cluster that no other test has. */
function ownerIn(cluster: string, name = 'a') {
  return { ...ownerOf(name), cluster };
}

export function claimSuite(open: Open): void {
  describe('claims', () => {
    generationSuite(open);
    fenceSuite(open);
    releaseSuite(open);
    deathSuite(open);
  });
}

function generationSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a policy is written only over the generation that the writer expects', async () => {
    const { store, tenant } = fixture();
    const put = (limit: number, hash: string, expectedGeneration: number | null) =>
      store.policies.put(ownerOf('a'), policyOf(tenant, limit), {
        hash,
        now: NOW,
        expectedGeneration,
      });
    expect(await put(1, 'h-1', 1)).toEqual({ kind: 'Changed', record: null });
    expect(await put(1, 'h-1', null)).toMatchObject({ kind: 'Applied', record: { generation: 1 } });
    expect(await put(2, 'h-2', 1)).toMatchObject({ kind: 'Applied', record: { generation: 2 } });
    const late = await put(3, 'h-3', 1);
    expect(late).toMatchObject({ kind: 'Changed', record: { generation: 2, hash: 'h-2' } });
    expect(await put(3, 'h-3', null)).toMatchObject({ kind: 'Changed' });
    // The repetition of a write whose answer was lost.
    expect(await put(2, 'h-2', 1)).toMatchObject({ kind: 'Unchanged' });
    expect(await store.policies.get(tenant)).toMatchObject({ generation: 2, hash: 'h-2' });
  });

  it('one of many concurrent writers that expect the same generation writes', async () => {
    const { store, tenant } = fixture();
    const limits = [1, 2, 3, 4, 5, 6];
    const results = await Promise.all(
      limits.map((limit) => {
        const write = { hash: `h-${limit}`, now: NOW, expectedGeneration: null };
        return store.policies.put(ownerOf('a'), policyOf(tenant, limit), write);
      }),
    );
    const kinds = results.map(({ kind }) => kind).toSorted();
    expect(kinds).toEqual(['Applied', ...limits.slice(1).map(() => 'Changed')]);
    expect(await store.policies.get(tenant)).toMatchObject({ generation: 1 });
  });

  it('a policy record conforms to its schema', async () => {
    const { store, tenant } = fixture();
    await store.policies.put(ownerOf('a'), policyOf(tenant), WRITE);
    const record = await store.policies.get(tenant);
    expect(PolicyRecord.parse(record)).toEqual(record);
    expect(record).toMatchObject({ epoch: 0, releasedAt: null });
  });

  it('STORE-35: the policies of an installation are listed page by page', async () => {
    await using opened = await open();
    const tenants = ['t-1', 't-2', 't-3', 't-4', 't-5'];
    for (const tenant of tenants.toReversed()) {
      await opened.store.policies.put(ownerOf('a'), policyOf(tenant), WRITE);
    }
    const pages: string[][] = [];
    for (let after: string | undefined; pages.length < tenants.length;) {
      const page = await opened.store.policies.list(2, after);
      if (page.length === 0) break;
      pages.push(page.map(({ tenant }) => tenant));
      after = page.at(-1)?.tenant;
    }
    expect(pages).toEqual([['t-1', 't-2'], ['t-3', 't-4'], ['t-5']]);
  });
}

function fenceSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('K8S-03: a leader that another has replaced can no longer change a policy', async () => {
    const { store, tenant } = fixture();
    const owner = ownerIn(tenant);
    expect(await store.policies.fence(tenant, 1)).toBe(true);
    const first = { ...WRITE, epoch: 1 };
    expect(await store.policies.put(owner, policyOf(tenant), first)).toMatchObject({
      kind: 'Applied',
      record: { epoch: 1 },
    });
    expect(await store.policies.fence(tenant, 2)).toBe(true);
    const fenced = { kind: 'Fenced', epoch: 2 };
    const late = { ...NEXT, epoch: 1 };
    expect(await store.policies.put(owner, policyOf(tenant, 5), late)).toEqual(fenced);
    expect(await store.policies.put(owner, policyOf(tenant), first)).toEqual(fenced);
    expect(await store.policies.release(tenant, owner, { now: NOW, epoch: 1 })).toEqual(fenced);
    expect(await store.policies.get(tenant)).toMatchObject({
      hash: 'hash-1',
      epoch: 2,
      releasedAt: null,
    });
    const now = { ...NEXT, epoch: 2 };
    expect(await store.policies.put(owner, policyOf(tenant, 5), now)).toMatchObject({
      kind: 'Applied',
      record: { generation: 2, epoch: 2 },
    });
  });

  it('a former leader cannot create a policy record', async () => {
    const { store, tenant } = fixture();
    await store.policies.fence(tenant, 7);
    const late = { ...WRITE, epoch: 6 };
    const put = await store.policies.put(ownerIn(tenant), policyOf(tenant), late);
    expect(put).toEqual({ kind: 'Fenced', epoch: 7 });
    expect(await store.policies.get(tenant)).toBeNull();
  });

  it('a fence tells whether its leader is the latest, and can be repeated', async () => {
    const { store, tenant: cluster } = fixture();
    expect(await store.policies.fence(cluster, 3)).toBe(true);
    expect(await store.policies.fence(cluster, 3)).toBe(true);
    expect(await store.policies.fence(cluster, 2)).toBe(false);
    expect(await store.policies.fence(cluster, 4)).toBe(true);
  });

  it('a fence does not affect the leaders of another cluster', async () => {
    const { store, tenant } = fixture();
    await store.policies.fence(`${tenant}-other`, 9);
    const owner = ownerIn(tenant);
    const write = { ...WRITE, epoch: 1 };
    expect(await store.policies.put(owner, policyOf(tenant), write)).toMatchObject({
      kind: 'Applied',
    });
    await store.policies.fence(`${tenant}-other`, 10);
    expect(await store.policies.get(tenant)).toMatchObject({ epoch: 1 });
    expect(
      await store.policies.put(owner, policyOf(tenant, 5), { ...NEXT, epoch: 1 }),
    ).toMatchObject({ kind: 'Applied', record: { generation: 2 } });
  });

  it('limits of an earlier policy generation do not replace later ones', async () => {
    const { store, tenant } = fixture();
    const budget = (limitTokens: number) => ({ ...policyOf(tenant, limitTokens).budget });
    const set = (limitTokens: number, policyGeneration: number) =>
      store.accounts.setLimits(tenant, '2026-11', { ...budget(limitTokens), policyGeneration });
    expect(await set(20, 2)).toBe(true);
    expect(await set(10, 1)).toBe(false);
    expect(await store.accounts.get(tenant, '2026-11', budget(1))).toMatchObject({
      limitTokens: 20,
      policyGeneration: 2,
    });
    expect(await set(30, 3)).toBe(true);
    expect(await store.accounts.setLimits(tenant, '2026-11', budget(40))).toBe(true);
    const account = await store.accounts.get(tenant, '2026-11', budget(1));
    expect(account).toMatchObject({ limitTokens: 40, policyGeneration: 3 });
  });
}

function releaseSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a released tenant keeps its policy until its namespace claims it again', async () => {
    const { store, tenant } = fixture();
    const owner = ownerIn(tenant);
    await store.policies.put(owner, policyOf(tenant), WRITE);
    const released = await store.policies.release(tenant, owner, { now: NOW + 5 });
    expect(released).toMatchObject({ kind: 'Released', record: { releasedAt: NOW + 5 } });
    expect(await store.policies.release(tenant, owner, { now: NOW + 9 })).toMatchObject({
      kind: 'Unchanged',
      record: { releasedAt: NOW + 5 },
    });
    const kept = await store.policies.get(tenant);
    expect(kept).toMatchObject({ owner, generation: 1, policy: policyOf(tenant) });
    const heir = ownerIn(tenant, 'b');
    const claimed = await store.policies.put(heir, policyOf(tenant), NEXT);
    expect(claimed).toMatchObject({ kind: 'Applied', record: { owner: heir, generation: 2 } });
    expect(await store.policies.get(tenant)).toMatchObject({ owner: heir, releasedAt: null });
    const late = await store.policies.release(tenant, owner, { now: NOW });
    expect(late).toEqual({ kind: 'Claimed', owner: heir });
  });

  it.each([
    ['another namespace', { namespace: 'team-b' }],
    ['another cluster', { cluster: 'another' }],
    ['another namespace, under its name and uid', { namespace: 'team-b', ...IDENTITY }],
    ['another cluster, under its name and uid', { cluster: 'another', ...IDENTITY }],
  ])('%s cannot claim, release, or erase a released tenant', async (_, place) => {
    const { store, tenant } = fixture();
    const owner = { ...ownerIn(tenant), ...IDENTITY };
    await store.policies.put(owner, policyOf(tenant), WRITE);
    await store.policies.release(tenant, owner, { now: NOW });
    const stranger = { ...owner, name: 'b', uid: 'uid-b', ...place };
    const claimed = { kind: 'Claimed', owner };
    expect(await store.policies.put(stranger, policyOf(tenant, 5), NEXT)).toEqual(claimed);
    expect(await store.policies.release(tenant, stranger, { now: NOW })).toEqual(claimed);
    const erased = store.eraseTenant(tenant, {
      limit: 10,
      now: NOW,
      by: { owner: stranger, epoch: 0 },
    });
    await expect(erased).rejects.toMatchObject({ code: 'CONFLICT' });
    const kept = { owner, hash: 'hash-1', generation: 1, releasedAt: NOW };
    expect(await store.policies.get(tenant)).toMatchObject(kept);
  });

  it('a moved released tenant can be claimed only in its new namespace', async () => {
    const { store, tenant } = fixture();
    const owner = ownerIn(tenant);
    expect(await store.policies.move(tenant, 'team-b')).toEqual({ kind: 'Absent' });
    await store.policies.put(owner, policyOf(tenant), WRITE);
    expect(await store.policies.move(tenant, 'team-b')).toEqual({ kind: 'Claimed', owner });
    await store.policies.release(tenant, owner, { now: NOW + 5 });
    const moved = { ...owner, namespace: 'team-b' };
    expect(await store.policies.move(tenant, 'team-b')).toMatchObject({
      kind: 'Moved',
      record: { owner: moved, releasedAt: NOW + 5 },
    });
    expect(await store.policies.move(tenant, 'team-b')).toMatchObject({ kind: 'Unchanged' });
    const before = await store.policies.put(owner, policyOf(tenant), NEXT);
    expect(before).toEqual({ kind: 'Claimed', owner: moved });
    const heir = { ...moved, name: 'b', uid: 'uid-b' };
    const claimed = await store.policies.put(heir, policyOf(tenant), NEXT);
    expect(claimed).toMatchObject({ kind: 'Applied', record: { owner: heir, releasedAt: null } });
  });

  it.each([
    ['its owner claims it again', (owner: Owner) => owner],
    ['another resource of the namespace claims it', (owner: Owner) => ({ ...owner, name: 'b' })],
  ])('a release keeps the time of an erasure until %s', async (_, heir) => {
    const { store, tenant } = fixture();
    const owner = ownerIn(tenant);
    await store.policies.put(owner, policyOf(tenant), WRITE);
    const release = { now: NOW + 5, generation: 1, erasesAt: NOW + 9 };
    const released = await store.policies.release(tenant, owner, release);
    expect(released).toMatchObject({ kind: 'Released', record: { erasesAt: NOW + 9 } });
    expect(await store.policies.release(tenant, owner, release)).toMatchObject({
      kind: 'Unchanged',
    });
    await store.policies.fence(owner.cluster, 3);
    const record = (await store.policies.list(1_000)).find((one) => one.tenant === tenant);
    expect(record).toMatchObject({ epoch: 3, releasedAt: NOW + 5, erasesAt: NOW + 9 });
    expect(PolicyRecord.parse(record)).toEqual(record);
    await store.policies.put(heir(owner), policyOf(tenant), { ...WRITE, epoch: 3 });
    expect(await store.policies.get(tenant)).not.toHaveProperty('erasesAt');
    const late = await store.policies.release(tenant, heir(owner), { ...release, epoch: 3 });
    expect(late).toMatchObject({ kind: 'Changed', record: { generation: 2, releasedAt: null } });
  });

  it('a second release, or a move, takes back the time of an erasure', async () => {
    const { store, tenant } = fixture();
    const owner = ownerIn(tenant);
    const release = { now: NOW, erasesAt: NOW + 9 };
    await store.policies.put(owner, policyOf(tenant), WRITE);
    await store.policies.release(tenant, owner, release);
    await store.policies.release(tenant, owner, { now: NOW + 1 });
    const kept = await store.policies.get(tenant);
    expect(kept).toMatchObject({ releasedAt: NOW });
    expect(kept).not.toHaveProperty('erasesAt');
    await store.policies.release(tenant, owner, release);
    await store.policies.move(tenant, 'team-b');
    expect(await store.policies.get(tenant)).not.toHaveProperty('erasesAt');
  });

  it('the owner can claim a released tenant again with the same policy', async () => {
    const { store, tenant } = fixture();
    const owner = ownerIn(tenant);
    await store.policies.put(owner, policyOf(tenant), WRITE);
    await store.policies.release(tenant, owner, { now: NOW });
    const again = await store.policies.put(owner, policyOf(tenant), WRITE);
    expect(again).toMatchObject({ kind: 'Applied', record: { generation: 2, releasedAt: null } });
  });

  it('a released tenant has nothing due until it is claimed again', async () => {
    await using opened = await open();
    const { store } = opened;
    const dueTenants = () => store.scopes.dueTenants({ now: NOW, limit: 10 });
    for (const tenant of ['due', 'requested', 'other']) {
      await store.policies.put(ownerIn('c'), policyOf(tenant), WRITE);
    }
    await store.memories.add(memoryOf('due', 1), rulesAt(NOW, 1));
    for (const tenant of ['requested', 'other']) await store.refreshRequests.want(tenant);
    expect([...(await dueTenants())].toSorted()).toEqual(['due', 'other', 'requested']);
    await store.policies.release('due', ownerIn('c'), { now: NOW });
    await store.policies.release('requested', ownerIn('c'), { now: NOW });
    expect(await dueTenants()).toEqual(['other']);
    // It must not take the place of one that is looked for.
    expect(await store.scopes.dueTenants({ now: NOW, limit: 1 })).toEqual(['other']);
    await store.policies.put(ownerIn('c'), policyOf('due'), WRITE);
    expect([...(await dueTenants())].toSorted()).toEqual(['due', 'other']);
  });

  it('only the owner can release a tenant, and an unknown tenant is reported as absent', async () => {
    const { store, tenant } = fixture();
    const owner = ownerIn(tenant);
    expect(await store.policies.release(tenant, owner, { now: NOW })).toEqual({ kind: 'Absent' });
    await store.policies.put(owner, policyOf(tenant), WRITE);
    const reborn = { ...owner, uid: 'another uid' };
    const refused = await store.policies.release(tenant, reborn, { now: NOW });
    expect(refused).toEqual({ kind: 'Claimed', owner });
    expect(await store.policies.get(tenant)).toMatchObject({ releasedAt: null });
  });
}

function deathSuite(open: Open): void {
  it('a release that is interrupted by a crash is complete once it is repeated', async () => {
    await using opened = await open();
    const owner = ownerIn('cluster');
    const release = { now: NOW, generation: 1, erasesAt: NOW + 9 };
    for (let step = 0; step < STEPS_MAX; step += 1) {
      const tenant = `t-${step}`;
      await opened.store.policies.put(owner, policyOf(tenant), WRITE);
      opened.crashAt(step);
      const released = await opened.store.policies.release(tenant, owner, release).catch(onlyDeath);
      await opened.reopen();
      const found = await opened.store.policies.get(tenant);
      expect(found?.releasedAt === null).toBe(found?.erasesAt === undefined);
      await opened.store.policies.release(tenant, owner, release);
      expect(await opened.store.policies.get(tenant)).toMatchObject({
        releasedAt: NOW,
        erasesAt: NOW + 9,
      });
      if (released !== null) return;
    }
    throw new Error('The release never ended.');
  });

  it('a fence that is interrupted by a crash is complete once it is repeated', async () => {
    await using opened = await open();
    const owner = ownerIn('cluster');
    for (const tenant of ['t-1', 't-2']) {
      await opened.store.policies.put(owner, policyOf(tenant), { ...WRITE, epoch: 1 });
    }
    let deaths = 0;
    for (let step = 0; step < STEPS_MAX; step += 1) {
      opened.crashAt(step);
      const fenced = await opened.store.policies.fence('cluster', 2).catch(onlyDeath);
      await opened.reopen();
      if (fenced !== null) break;
      deaths += 1;
    }
    expect(deaths).toBeGreaterThanOrEqual(opened.stepsMin);
    for (const tenant of ['t-1', 't-2', 't-3']) {
      const late = { ...NEXT, epoch: 1 };
      const put = await opened.store.policies.put(owner, policyOf(tenant, 5), late);
      expect(put).toEqual({ kind: 'Fenced', epoch: 2 });
    }
  });

  it('a fenced leader that crashes during a write leaves nothing behind', async () => {
    await using opened = await open();
    const owner = ownerIn('cluster');
    await opened.store.policies.fence('cluster', 2);
    for (let step = 0; step < STEPS_MAX; step += 1) {
      opened.crashAt(step);
      const late = { ...WRITE, epoch: 1 };
      const put = await opened.store.policies.put(owner, policyOf('t-1'), late).catch(onlyDeath);
      await opened.reopen();
      expect(await opened.store.policies.get('t-1')).toBeNull();
      if (put !== null) break;
    }
    expect(await opened.store.policies.list(10)).toEqual([]);
  });
}

/** What a store throws after its death is no answer of the store. */
function onlyDeath(error: unknown): null {
  if (error instanceof VarveError && error.code === 'INVALID_INPUT') throw error;
  return null;
}
