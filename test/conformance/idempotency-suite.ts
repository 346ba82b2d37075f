/** The suite of `IdempotencyRecords`: a repeated call takes effect once. */
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { IDEMPOTENCY_MS } from '#core/records/idempotency.ts';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { NOW } from './samples.ts';

const CONCURRENT_CLAIMS = 50;
/** Sweeps until nothing is left; each forgets a bounded number. */
const SWEEPS_MAX = 1_000;

interface Claim {
  readonly key?: string;
  readonly bodyHash?: string;
  readonly operationId?: string;
  readonly now?: number;
}

function claim(store: Store, tenant: string, differing: Claim = {}) {
  const whole = { key: 'key-1', bodyHash: 'body-1', operationId: 'operation-1', now: NOW };
  return store.idempotency.claim({ tenant, ...whole, ...differing });
}

export function idempotencySuite(open: Open): void {
  describe('idempotency: claims', () => {
    claimSuite(open);
  });
  describe('idempotency: released and expired claims', () => {
    endSuite(open);
  });
}

function claimSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-50: the first claim of a key is new, and a second one finds it unfinished', async () => {
    const { store, tenant } = fixture();
    const operationId = 'operation-1';
    expect(await claim(store, tenant)).toEqual({ kind: 'New', operationId });
    const again = await claim(store, tenant, { operationId: 'operation-2', now: NOW + 5 });
    expect(again).toEqual({ kind: 'Unfinished', operationId, startedAt: NOW });
  });

  it('STORE-50: an answered key returns its first answer', async () => {
    const { store, tenant } = fixture();
    await claim(store, tenant);
    const answer = { id: 'memory-1', nested: { list: [1, 'two', null, false] } };
    await store.idempotency.answer(tenant, 'key-1', answer);
    await store.idempotency.answer(tenant, 'key-1', { id: 'another' });
    expect(await claim(store, tenant)).toEqual({ kind: 'Answered', answer });
  });

  it('STORE-50: another body under the same key is reported, before and after the answer', async () => {
    const { store, tenant } = fixture();
    await claim(store, tenant);
    expect(await claim(store, tenant, { bodyHash: 'body-2' })).toEqual({ kind: 'OtherBody' });
    await store.idempotency.answer(tenant, 'key-1', { id: 'memory-1' });
    expect(await claim(store, tenant, { bodyHash: 'body-2' })).toEqual({ kind: 'OtherBody' });
  });

  it('STORE-50: keys are independent of each other and of other tenants', async () => {
    const { store, tenant } = fixture();
    await claim(store, tenant);
    await store.idempotency.answer(tenant, 'key-1', { id: 'memory-1' });
    expect(await claim(store, tenant, { key: 'key-2' })).toMatchObject({ kind: 'New' });
    const other = await claim(store, newTenant(), { bodyHash: 'body-2' });
    expect(other).toMatchObject({ kind: 'New' });
  });

  it('STORE-51: one of 50 concurrent equal claims is new', async () => {
    const { store, tenant } = fixture();
    const claims = await Promise.all(
      Array.from({ length: CONCURRENT_CLAIMS }, (_, n) =>
        claim(store, tenant, { operationId: `operation-${n}` }),
      ),
    );
    const fresh = claims.filter(({ kind }) => kind === 'New');
    expect(fresh).toHaveLength(1);
    const [first] = fresh;
    const operationId = first?.kind === 'New' ? first.operationId : '';
    for (const each of claims) {
      if (each !== first) expect(each).toEqual({ kind: 'Unfinished', operationId, startedAt: NOW });
    }
  });
}

function endSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-52: a released claim frees its key', async () => {
    const { store, tenant } = fixture();
    await claim(store, tenant);
    await store.idempotency.release(tenant, 'key-1', 'operation-1');
    const next = { bodyHash: 'body-2', operationId: 'operation-2' };
    expect(await claim(store, tenant, next)).toEqual({ kind: 'New', operationId: 'operation-2' });
  });

  it('STORE-52: a caller cannot release the claim of another operation', async () => {
    const { store, tenant } = fixture();
    await claim(store, tenant);
    await store.idempotency.release(tenant, 'key-1', 'operation-2');
    await store.idempotency.release(tenant, 'unknown', 'operation-1');
    expect(await claim(store, tenant)).toMatchObject({ kind: 'Unfinished' });
  });

  it('STORE-52: a key is new again after 7 days, even if it was answered', async () => {
    const { store, tenant } = fixture();
    await claim(store, tenant);
    await store.idempotency.answer(tenant, 'key-1', { id: 'memory-1' });
    const before = await claim(store, tenant, { now: NOW + IDEMPOTENCY_MS - 1 });
    expect(before).toMatchObject({ kind: 'Answered' });
    const next = { bodyHash: 'body-2', operationId: 'operation-2', now: NOW + IDEMPOTENCY_MS };
    expect(await claim(store, tenant, next)).toEqual({ kind: 'New', operationId: 'operation-2' });
    const again = await claim(store, tenant, { ...next, now: next.now + 1 });
    expect(again).toMatchObject({ kind: 'Unfinished', operationId: 'operation-2' });
  });

  it('STORE-52: an answer to an unclaimed key changes nothing', async () => {
    const { store, tenant } = fixture();
    await store.idempotency.answer(tenant, 'key-1', { id: 'memory-1' });
    expect(await claim(store, tenant)).toMatchObject({ kind: 'New' });
  });

  it('STORE-52: a sweep deletes only expired claims of its tenant', async () => {
    const { store, tenant } = fixture();
    for (const key of ['a', 'b', 'c']) await claim(store, tenant, { key });
    await claim(store, tenant, { key: 'later', now: NOW + 1 });
    const other = newTenant();
    await claim(store, other);
    expect(await store.idempotency.sweep(tenant, NOW + IDEMPOTENCY_MS - 1)).toBe(0);
    let swept = 0;
    for (let sweeps = 0; sweeps < SWEEPS_MAX; sweeps += 1) {
      const some = await store.idempotency.sweep(tenant, NOW + IDEMPOTENCY_MS);
      if (some === 0) break;
      swept += some;
    }
    expect(swept).toBe(3);
    expect(await claim(store, tenant, { key: 'later' })).toMatchObject({ kind: 'Unfinished' });
    expect(await claim(store, other)).toMatchObject({ kind: 'Unfinished' });
  });
}
