/** The suite of `ScopeRecords`: due, leases, compare-and-set. */
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { emptyScopeRecord, type ScopeRecord } from '#core/records/scope-record.ts';

import { sharedStore, type Open } from './adapter.ts';
import {
  leaseOf,
  memoryOf,
  MINUTE_MS,
  NOW,
  rulesAt,
  SECOND_MS,
  sessionScope,
  userScope,
} from './samples.ts';

export function scopeSuite(open: Open): void {
  describe('scopes: records', () => {
    recordSuite(open);
    pageSuite(open);
  });
  describe('scopes: due', () => {
    dueSuite(open);
  });
  describe('scopes: due tenants', () => {
    dueTenantSuite(open);
  });
  describe('scopes: leases', () => {
    leaseSuite(open);
  });
}

/** Writes a scope's record as another process would, whatever its version. */
async function write(store: Store, tenant: string, differing: Partial<ScopeRecord>) {
  const scopeId = differing.scopeId ?? 'ann';
  const before = await store.scopes.get(userScope(tenant, scopeId));
  const record = { ...before, ...differing, version: before.version + 1 };
  expect(await store.scopes.replace(record)).toBe(true);
  return record;
}

function names(records: readonly ScopeRecord[]): string[] {
  return records.map(({ scopeId }) => scopeId);
}

function recordSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-17: a scope without any writes has an empty record', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    expect(await store.scopes.get(scope)).toEqual(emptyScopeRecord(scope));
    expect(await store.scopes.list(tenant, 10)).toEqual([]);
  });

  it('STORE-18: a record is replaced once per version', async () => {
    const { store, tenant } = fixture();
    const first = { ...emptyScopeRecord(userScope(tenant)), attempts: 1, version: 1 };
    expect(await store.scopes.replace(first)).toBe(true);
    expect(await store.scopes.replace({ ...first, attempts: 7 })).toBe(false);
    expect(await store.scopes.replace({ ...first, attempts: 7, version: 3 })).toBe(false);
    expect(await store.scopes.get(userScope(tenant))).toEqual(first);
    const second = { ...first, attempts: 2, version: 2 };
    expect(await store.scopes.replace(second)).toBe(true);
    expect(await store.scopes.list(tenant, 10)).toEqual([second]);
  });
}

function pageSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('scopes are listed page by page, each exactly once', async () => {
    const { store, tenant } = fixture();
    const ids = ['b', 'a', 'ä', 'a b', 'A', 'z'];
    for (const scopeId of ids) {
      for (const scope of [userScope(tenant, scopeId), sessionScope(tenant, scopeId)]) {
        await store.scopes.replace({ ...emptyScopeRecord(scope), version: 1 });
      }
    }
    const all = await store.scopes.list(tenant, 100);
    expect(all).toHaveLength(2 * ids.length);
    for (const limit of [1, 5, 12]) {
      const paged: ScopeRecord[] = [];
      for (let pages = 0; pages <= all.length; pages += 1) {
        const page = await store.scopes.list(tenant, limit, paged.at(-1));
        expect(page.length).toBeLessThanOrEqual(limit);
        paged.push(...page);
      }
      expect(paged).toEqual(all);
    }
  });
}

function dueSuite(open: Open): void {
  const fixture = sharedStore(open);
  const query = { until: NOW, now: NOW, limit: 10 };

  it('STORE-19: due scopes are listed urgent first, then earliest, up to the limit', async () => {
    const { store, tenant } = fixture();
    const marks = { late: 3, early: 9, edge: 0, future: -1 };
    for (const [scopeId, before] of Object.entries(marks)) {
      await write(store, tenant, { scopeId, dueAt: NOW - before, dueTrigger: 'Changes' });
    }
    await write(store, tenant, { scopeId: 'urgent', dueAt: NOW - 1, dueTrigger: 'Urgent' });
    await write(store, tenant, { scopeId: 'calm' });
    const due = await store.scopes.due(tenant, query);
    expect(names(due)).toEqual(['urgent', 'early', 'late', 'edge']);
    const two = await store.scopes.due(tenant, { ...query, limit: 2 });
    expect(names(two)).toEqual(['urgent', 'early']);
    const ahead = await store.scopes.due(tenant, { ...query, until: NOW + 1 });
    expect(names(ahead)).toContain('future');
  });

  it('a scope with dropped sources is listed first, whatever its trigger', async () => {
    const { store, tenant } = fixture();
    const droppedSources = [{ id: 'gone', reason: 'SourceDeleted' }] as const;
    const marks = { dueAt: NOW, dueTrigger: 'Changes', urgentAt: NOW } as const;
    await write(store, tenant, { scopeId: 'older', dueAt: NOW - 9, dueTrigger: 'Changes' });
    await write(store, tenant, { ...marks, droppedSources: [...droppedSources] });
    expect(names(await store.scopes.due(tenant, query))).toEqual(['ann', 'older']);
  });

  it('STORE-20: a scope is due when one of its sources expires', async () => {
    const { store, tenant } = fixture();
    const memory = memoryOf(tenant, 1, { expiresAt: NOW + MINUTE_MS });
    await store.memories.add(memory, rulesAt(NOW));
    expect(await store.scopes.due(tenant, query)).toEqual([]);
    const until = NOW + MINUTE_MS;
    expect(names(await store.scopes.due(tenant, { ...query, until }))).toEqual(['ann']);
  });

  it('STORE-21: a failed scope is due after its backoff, and a dead letter is not due', async () => {
    const { store, tenant } = fixture();
    const expired = { nextExpiryAt: NOW - 1, dueTrigger: 'Changes' } as const;
    const until = NOW + MINUTE_MS;
    const hold = { until, dueAt: NOW, code: 'TIMEOUT', since: NOW, exhaustion: null };
    const waiting = { ...expired, dueAt: until, hold };
    await write(store, tenant, { ...waiting, scopeId: 'waiting' });
    const deadLetter = { code: 'PROVIDER_ERROR', reason: 'three failures', at: NOW };
    await write(store, tenant, { ...expired, scopeId: 'dead', dueAt: null, deadLetter });
    expect(await store.scopes.due(tenant, query)).toEqual([]);
    expect(names(await store.scopes.due(tenant, { ...query, until }))).toEqual(['waiting']);
  });
}

function dueTenantSuite(open: Open): void {
  it('TMP-05: due tenants are listed longest waiting first, by scope or request', async () => {
    await using opened = await open();
    const { store } = opened;
    await store.refreshRequests.want('requested');
    await write(store, 'oldest', { dueAt: NOW - 9, dueTrigger: 'Changes' });
    await write(store, 'oldest', { scopeId: 'bob', dueAt: NOW - 1, dueTrigger: 'Changes' });
    await write(store, 'younger', { dueAt: NOW - 3, dueTrigger: 'Changes' });
    await write(store, 'not-yet', { dueAt: NOW + 1, dueTrigger: 'Changes' });
    const running = leaseOf(await store.scopes.get(userScope('running')));
    await write(store, 'running', { dueAt: NOW - 20, dueTrigger: 'Urgent', lease: running });
    const query = { now: NOW, limit: 10 };
    expect(await store.scopes.dueTenants(query)).toEqual(['oldest', 'younger', 'requested']);
    expect(await store.scopes.dueTenants({ ...query, limit: 1 })).toEqual(['oldest']);
    await store.refreshRequests.acknowledge('requested', 1);
    expect(await store.scopes.dueTenants(query)).toEqual(['oldest', 'younger']);
    const afterLease = await store.scopes.dueTenants({ ...query, now: running.until });
    expect(afterLease[0]).toBe('running');
  });
}

function leaseSuite(open: Open): void {
  const fixture = sharedStore(open);
  const due = { dueAt: NOW, dueTrigger: 'Changes' } as const;

  it('STORE-22: one of two claims on the same version gets the scope', async () => {
    const { store, tenant } = fixture();
    const scope = await write(store, tenant, due);
    const mine = { scope, lease: leaseOf(scope) };
    const got = await store.scopes.lease([mine], NOW);
    expect(got).toEqual([{ ...scope, lease: mine.lease, version: scope.version + 1 }]);
    const theirs = { scope, lease: leaseOf(scope, { claimId: 'claim-2' }) };
    expect(await store.scopes.lease([theirs], NOW)).toEqual([]);
    expect(await store.scopes.get(scope)).toEqual(got[0]);
  });

  it('STORE-23: an active lease hides its scope, and an expired one can be replaced', async () => {
    const { store, tenant } = fixture();
    const scope = await write(store, tenant, due);
    const lease = leaseOf(scope, { until: NOW + SECOND_MS });
    const [leased] = await store.scopes.lease([{ scope, lease }], NOW);
    const query = { until: NOW, now: NOW, limit: 10 };
    expect(await store.scopes.due(tenant, query)).toEqual([]);
    const current = leased ?? scope;
    const second = { scope: current, lease: leaseOf(scope, { claimId: 'claim-2' }) };
    expect(await store.scopes.lease([second], NOW)).toEqual([]);
    const later = { ...query, now: NOW + SECOND_MS };
    expect(names(await store.scopes.due(tenant, later))).toEqual(['ann']);
    expect(names(await store.scopes.lease([second], later.now))).toEqual(['ann']);
  });

  it('only leases that end too late are shortened, of one tenant or of all', async () => {
    await using opened = await open();
    const { store } = opened;
    const [one, two] = ['t-1', 't-2'];
    const untils = { near: NOW + SECOND_MS, far: NOW + 2 * SECOND_MS, none: null };
    for (const tenant of [one, two]) {
      for (const [scopeId, until] of Object.entries(untils)) {
        const scope = await write(store, tenant, { ...due, scopeId });
        const lease = leaseOf(scope, { until: until ?? 0 });
        if (until !== null) await store.scopes.lease([{ scope, lease }], NOW);
      }
    }
    const leasesOf = async (tenant: string) => {
      const records = await store.scopes.list(tenant, 10);
      return records.map(({ scopeId, lease }) => [scopeId, lease?.until ?? null]);
    };
    const clamp = { beyond: NOW + SECOND_MS, until: NOW + 1, limit: 10 };
    const before = await store.scopes.get(userScope(one, 'far'));
    expect(await store.scopes.clampLeases({ ...clamp, tenant: one })).toBe(1);
    const after = await store.scopes.get(userScope(one, 'far'));
    expect(after).toEqual({
      ...before,
      lease: leaseOf(before, { until: NOW + 1 }),
      version: before.version + 1,
    });
    expect(await leasesOf(two)).toContainEqual(['far', untils.far]);
    expect(await store.scopes.clampLeases({ ...clamp, tenant: null })).toBe(1);
    expect(await store.scopes.clampLeases({ ...clamp, tenant: null })).toBe(0);
    for (const tenant of [one, two]) {
      const left = { far: NOW + 1, near: untils.near, none: null };
      expect(Object.fromEntries(await leasesOf(tenant))).toEqual(left);
    }
  });

  it('the scopes of a claim and of each of its batches are found again', async () => {
    const { store, tenant } = fixture();
    const claims = [];
    for (const [scopeId, batchId] of Object.entries({ b: 'b2', a: 'b1', c: 'b2' })) {
      const scope = await write(store, tenant, { ...due, scopeId });
      claims.push({ scope, lease: leaseOf(scope, { batchId }) });
    }
    await store.scopes.lease(claims, NOW);
    const ofClaim = await store.scopes.leased(tenant, { claimId: 'claim-1' });
    expect(names(ofClaim)).toEqual(['a', 'b', 'c']);
    expect(names(await store.scopes.leased(tenant, { batchId: 'b2' }))).toEqual(['b', 'c']);
    expect(await store.scopes.leased(tenant, { claimId: 'claim-2' })).toEqual([]);
    const [first] = ofClaim;
    if (first !== undefined) await write(store, tenant, { ...first, lease: null });
    expect(names(await store.scopes.leased(tenant, { claimId: 'claim-1' }))).toEqual(['b', 'c']);
  });
}
