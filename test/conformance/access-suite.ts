/**
 * The suite of API keys, which decide who may call, and of a tenant's audit, which keeps the calls.
 */
import { describe, expect, it } from 'vitest';

import type { ApiKey } from '#core/records/api-key.ts';
import type { AuditEntry } from '#core/records/audit-entry.ts';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { MINUTE_MS, NOW } from './samples.ts';

const CALLERS = 20;
const ENTRIES = 12;

function keyOf(tenant: string, id: string, differing: Partial<ApiKey> = {}): ApiKey {
  return {
    tenant,
    id,
    name: 'bot',
    role: 'write',
    bound: { userId: 'ann' },
    layers: ['user'],
    hash: { algorithm: 'sha256', digest: `digest of ${id}` },
    createdAt: NOW,
    createdBy: 'local',
    expiresAt: null,
    ...differing,
  };
}

function entryOf(tenant: string, n: number, differing: Partial<AuditEntry> = {}): AuditEntry {
  return {
    tenant,
    id: `entry-${String(n).padStart(4, '0')}`,
    at: NOW + n * MINUTE_MS,
    principal: 'key:bot',
    operation: 'memory.add',
    outcome: 'Done',
    ids: { id: [`memory-${String(n)}`] },
    idsLeftOut: 0,
    expiresAt: NOW + n * MINUTE_MS,
    ...differing,
  };
}

export function accessSuite(open: Open): void {
  describe('API keys', () => {
    keySuite(open);
  });
  describe('the audit', () => {
    auditSuite(open);
  });
}

function keySuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a key can be read, listed, and removed only in its own tenant', async () => {
    const { store, tenant } = fixture();
    const [first, second] = [keyOf(tenant, 'a', { expiresAt: NOW }), keyOf(tenant, 'b')];
    expect(await store.apiKeys.add(first)).toBe(true);
    expect(await store.apiKeys.add(second)).toBe(true);
    expect(await store.apiKeys.get(tenant, 'a')).toEqual(first);
    expect(await store.apiKeys.list(tenant)).toEqual([first, second]);
    const other = newTenant();
    expect(await store.apiKeys.get(other, 'a')).toBeNull();
    expect(await store.apiKeys.remove(other, 'a')).toBe(false);
    expect(await store.apiKeys.list(other)).toEqual([]);
  });

  it('one of several concurrent adds of the same id succeeds', async () => {
    const { store, tenant } = fixture();
    const keys = Array.from({ length: CALLERS }, (_, at) =>
      keyOf(tenant, 'same', { name: `bot-${String(at)}` }),
    );
    const added = await Promise.all(keys.map((key) => store.apiKeys.add(key)));
    expect(added.filter(Boolean)).toHaveLength(1);
    expect(await store.apiKeys.get(tenant, 'same')).toEqual(keys[added.indexOf(true)]);
  });

  it('a removed key cannot be read, and a second removal returns false', async () => {
    const { store, tenant } = fixture();
    await store.apiKeys.add(keyOf(tenant, 'a'));
    expect(await store.apiKeys.remove(tenant, 'a')).toBe(true);
    expect(await store.apiKeys.get(tenant, 'a')).toBeNull();
    expect(await store.apiKeys.remove(tenant, 'a')).toBe(false);
  });
}

function auditSuite(open: Open): void {
  const fixture = sharedStore(open);
  const filled = async () => {
    const { store, tenant } = fixture();
    const entries = Array.from({ length: ENTRIES }, (_, n) => entryOf(tenant, n));
    // At once, as callers are.
    await Promise.all(entries.map((entry) => store.audit.append(entry)));
    await store.audit.append(entryOf(newTenant(), 0));
    return { audit: store.audit, tenant, entries };
  };

  it('lists its entries in pages, newest or oldest first, since a given time', async () => {
    const { audit, tenant, entries } = await filled();
    const newest = { order: 'newest', after: null, since: 0, limit: 5 } as const;
    const first = await audit.list(tenant, newest);
    expect(first).toEqual(entries.toReversed().slice(0, 5));
    const after = first.at(-1)?.id ?? null;
    expect(await audit.list(tenant, { ...newest, after })).toEqual(
      entries.toReversed().slice(5, 10),
    );
    const since = NOW + 9 * MINUTE_MS;
    const oldest = { order: 'oldest', after: null, since, limit: 50 } as const;
    expect(await audit.list(tenant, oldest)).toEqual(entries.slice(9));
  });

  it('lists the tenants that have entries, page by page', async () => {
    await using opened = await open();
    const { audit } = opened.store;
    for (const tenant of ['c', 'a', 'b']) {
      for (const at of [0, 1])
        await audit.append({ ...entryOf(tenant, at), id: `${tenant}-${at}` });
    }
    expect(await audit.tenants({ after: null, limit: 2 })).toEqual(['a', 'b']);
    expect(await audit.tenants({ after: 'b', limit: 2 })).toEqual(['c']);
    await audit.sweep('c', { now: Number.MAX_SAFE_INTEGER, most: 9 });
    expect(await audit.tenants({ after: null, limit: 9 })).toEqual(['a', 'b']);
  });

  it('keeps one copy of an entry that is appended twice', async () => {
    const { audit, tenant, entries } = await filled();
    for (const entry of entries) await audit.append(entry);
    const all = { order: 'oldest', after: null, since: 0, limit: 50 } as const;
    expect(await audit.list(tenant, all)).toEqual(entries);
  });

  it('a sweep deletes expired entries, and the oldest ones above the maximum', async () => {
    const { audit, tenant, entries } = await filled();
    const all = { order: 'oldest', after: null, since: 0, limit: 50 } as const;
    expect(await audit.sweep(tenant, { now: NOW - 1, most: 50 })).toBe(0);
    expect(await audit.sweep(tenant, { now: NOW + 2 * MINUTE_MS, most: 50 })).toBe(3);
    expect(await audit.sweep(tenant, { now: NOW, most: 4 })).toBe(5);
    expect(await audit.list(tenant, all)).toEqual(entries.slice(-4));
  });
}
