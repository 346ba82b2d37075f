/** The provider's writes: in bulk, by key, deduplicated, and repeated under an idempotency key. */
import { describe, expect, it } from 'vitest';

import { VarveError } from '#core/errors.ts';
import type { Store } from '#core/ports/store.ts';
import { IDEMPOTENCY_MS } from '#core/records/idempotency.ts';
import { MEMORY_LENGTH_MAX } from '#core/records/memory.ts';

import { sharedStore, type Open } from './adapter.ts';
import { passagesOf, toAdd, harnessOver, WRITE } from './provider-harness.ts';
import { userScope } from './samples.ts';
import { listedIds } from './search-samples.ts';

const CONCURRENT_ADDS = 200;

export function providerWriteSuite(open: Open): void {
  describe('writes: bulk', () => {
    bulkSuite(open);
  });
  describe('writes: keys and duplicates', () => {
    duplicateSuite(open);
  });
  describe('writes: repeated calls', () => {
    repeatedSuite(open);
  });
}

function keyed(idempotencyKey: string) {
  return { ...WRITE, idempotencyKey };
}

function bulkSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-01: many memories are added in chunks, with an outcome for each and with progress', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const memories = Array.from({ length: 450 }, (_, n) =>
      toAdd(n === 7 ? 'x'.repeat(MEMORY_LENGTH_MAX + 1) : `text ${n}`),
    );
    const progress: number[] = [];
    const note = (done: number): void => {
      progress.push(done);
    };
    const answer = await provider.bulkAdd(tenant, memories, { ...WRITE, progress: note });
    expect(answer).toMatchObject({ succeeded: 449, failed: 1 });
    const contents = answer.items.map((item) =>
      item.ok ? item.outcome.memory.content : item.error.code,
    );
    const expected = memories.map(({ content }, n) => (n === 7 ? 'CONTENT_TOO_LONG' : content));
    expect(contents).toEqual(expected);
    expect(progress.at(-1)).toBe(450);
    expect(progress.length).toBeGreaterThan(1);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(await store.scopes.get(userScope(tenant))).toMatchObject({ sourceCount: 449 });
  });

  it('memories of several scopes are added and deleted in the order of the items', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const scopeIds = ['ann', 'bob', 'ann', 'eve', 'bob'];
    const memories = scopeIds.map((scopeId, n) => toAdd(`text ${n}`, { scopeId }));
    const added = await provider.bulkAdd(tenant, memories, WRITE);
    const ids = added.items.map((item) => (item.ok ? item.outcome.memory.id : ''));
    const scopes = added.items.map((item) => (item.ok ? item.outcome.memory.scopeId : ''));
    expect(scopes).toEqual(scopeIds);
    const deleted = await provider.bulkDelete(tenant, [...ids.slice(1), 'unknown'], WRITE);
    expect(deleted).toMatchObject({ succeeded: 5, failed: 0 });
    const left = deleted.items.map((item) => (item.ok ? (item.outcome?.scopeId ?? null) : item));
    expect(left).toEqual(['bob', 'ann', 'eve', 'bob', null]);
    for (const id of ids.slice(1)) expect(await provider.get(tenant, id)).toBeNull();
    expect(await provider.get(tenant, ids[0] ?? '')).not.toBeNull();
  });

  it('a bulk call without items does nothing', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const nothing = { items: [], succeeded: 0, failed: 0 };
    expect(await provider.bulkAdd(tenant, [], WRITE)).toEqual(nothing);
    expect(await provider.bulkDelete(tenant, [], WRITE)).toEqual(nothing);
  });
}

function duplicateSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-44: 200 concurrent equal adds create one memory, embedded once', async () => {
    const { store, tenant } = fixture();
    const { provider, embedder } = await harnessOver(store);
    const adds = Array.from({ length: CONCURRENT_ADDS }, (_, n) =>
      provider.add(tenant, toAdd('Tea.', { deduplicate: 'Exact', tags: [`tag-${n % 10}`] }), WRITE),
    );
    const written = await Promise.all(adds);
    expect(written.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
    const [id = ''] = await listedIds(store, [userScope(tenant)]);
    expect(await listedIds(store, [userScope(tenant)])).toEqual([id]);
    expect(new Set(written.map(({ memory }) => memory.id))).toEqual(new Set([id]));
    const tags = Array.from({ length: 10 }, (_, n) => `tag-${n}`);
    expect(await provider.get(tenant, id)).toMatchObject({ tags });
    expect(passagesOf(embedder)).toEqual(['Tea.']);
  });

  it('STORE-44: without deduplication, equal contents become separate memories', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    await provider.add(tenant, toAdd('Tea.'), WRITE);
    const second = await provider.add(tenant, toAdd('Tea.'), WRITE);
    expect(second.deduplicated).toBe(false);
    expect(await listedIds(store, [userScope(tenant)])).toHaveLength(2);
  });

  it('STORE-44: a key with the same content is deduplicated, and with other content updated', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const first = await provider.add(tenant, toAdd('Tea.', { key: 'drink', tags: ['a'] }), WRITE);
    const same = await provider.add(tenant, toAdd('Tea.', { key: 'drink', tags: ['b'] }), WRITE);
    expect(same).toMatchObject({ deduplicated: true, memory: { id: first.memory.id } });
    expect(same.memory.tags).toEqual(['a', 'b']);
    const coffee = toAdd('Coffee.', { key: 'drink', tags: ['c'], trust: 'observed' });
    const other = await provider.add(tenant, coffee, WRITE);
    expect(other).toMatchObject({
      deduplicated: false,
      embeddingGenerated: true,
      memory: { id: first.memory.id, content: 'Coffee.', trust: 'observed', key: 'drink' },
    });
    expect(other.memory.tags).toEqual(['a', 'b', 'c']);
    expect(await provider.get(tenant, first.memory.id)).toEqual(other.memory);
    expect(await listedIds(store, [userScope(tenant)])).toEqual([first.memory.id]);
  });

  it('STORE-44: other content under a key is a conflict on request, and the error says what to do', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const { memory } = await provider.add(tenant, toAdd('Tea.', { key: 'drink' }), WRITE);
    const coffee = toAdd('Coffee.', { key: 'drink', onConflict: 'error' });
    const refused = provider.add(tenant, coffee, WRITE);
    const details = { id: memory.id };
    await expect(refused).rejects.toMatchObject({ code: 'CONFLICT', retryable: false, details });
    await expect(refused).rejects.toThrow(memory.id);
    await expect(refused).rejects.toThrow("onConflict: 'update'");
    expect(await provider.get(tenant, memory.id)).toMatchObject({ content: 'Tea.', version: 1 });
  });

  it('STORE-44: the later of two items with the same key in one call wins', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const items = ['Tea.', 'Coffee.'].map((content) => toAdd(content, { key: 'drink' }));
    const { items: outcomes } = await provider.bulkAdd(tenant, items, WRITE);
    expect(outcomes).toMatchObject([{ ok: true }, { ok: true }]);
    const [id = ''] = await listedIds(store, [userScope(tenant)]);
    expect(await provider.get(tenant, id)).toMatchObject({ content: 'Coffee.', version: 2 });
  });

  it('STORE-6: one of two updates of the same version conflicts', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const { memory } = await provider.add(tenant, toAdd('Tea.'), WRITE);
    const key = { tenant, id: memory.id };
    const updates = ['Milk.', 'Coffee.'].map((content) =>
      provider.update(key, { content, expectedVersion: 1 }, WRITE),
    );
    const settled = await Promise.allSettled(updates);
    const lost = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(lost).toEqual([expect.objectContaining({ code: 'CONFLICT' })]);
    expect(await provider.get(tenant, memory.id)).toMatchObject({ version: 2 });
  });
}

function repeatedSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-50: a repeated call with the same key runs once and gets the same answer', async () => {
    const { store, tenant } = fixture();
    const { provider, pass } = await harnessOver(store);
    const first = await provider.add(tenant, toAdd('Tea.'), keyed('call-1'));
    pass(1_000);
    const again = await provider.add(tenant, toAdd('Tea.'), keyed('call-1'));
    expect(again.memory).toEqual(first.memory);
    expect(again.deduplicated).toBe(first.deduplicated);
    expect(await listedIds(store, [userScope(tenant)])).toEqual([first.memory.id]);
    pass(IDEMPOTENCY_MS);
    const later = await provider.add(tenant, toAdd('Tea.'), keyed('call-1'));
    expect(later.memory.id).not.toBe(first.memory.id);
  });

  it('STORE-50: a different call with the same key conflicts and does nothing', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    await provider.add(tenant, toAdd('Tea.'), keyed('call-1'));
    const other = provider.add(tenant, toAdd('Coffee.'), keyed('call-1'));
    await expect(other).rejects.toMatchObject({ code: 'CONFLICT' });
    expect(await listedIds(store, [userScope(tenant)])).toHaveLength(1);
  });

  it('STORE-50: a key of one principal does not affect another', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    await provider.add(tenant, toAdd('Tea.'), { ...keyed('call-1'), by: 'ann' });
    await provider.add(tenant, toAdd('Coffee.'), { ...keyed('call-1'), by: 'bob' });
    expect(await listedIds(store, [userScope(tenant)])).toHaveLength(2);
  });

  it('STORE-51: concurrent calls with the same key create one memory', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const calls = Array.from({ length: 20 }, () =>
      provider.add(tenant, toAdd('Tea.'), keyed('call-1')),
    );
    const ids = new Set((await Promise.all(calls)).map(({ memory }) => memory.id));
    expect(ids.size).toBe(1);
    expect(await listedIds(store, [userScope(tenant)])).toEqual([...ids]);
  });

  it('STORE-51: a call that failed before its answer was recorded is completed by the next one', async () => {
    const { store, tenant } = fixture();
    let failures = 1;
    const forgetful: Store = {
      ...store,
      idempotency: {
        ...store.idempotency,
        answer: async (...answer) => {
          failures -= 1;
          if (failures >= 0) throw new VarveError('CORRUPT', 'The process died here.');
          return store.idempotency.answer(...answer);
        },
      },
    };
    const { provider, pass } = await harnessOver(forgetful);
    const lost = provider.add(tenant, toAdd('Tea.'), keyed('call-1'));
    await expect(lost).rejects.toMatchObject({ code: 'CORRUPT' });
    pass(1_000);
    const { memory } = await provider.add(tenant, toAdd('Tea.'), keyed('call-1'));
    expect(await listedIds(store, [userScope(tenant)])).toEqual([memory.id]);
  });

  it('STORE-52: a refused call leaves its key free', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const key = { tenant, id: 'unknown' };
    const refused = provider.update(key, { tags: [] }, keyed('call-1'));
    await expect(refused).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
    const { memory } = await provider.add(tenant, toAdd('Tea.'), keyed('call-1'));
    expect(memory.content).toBe('Tea.');
  });

  it('STORE-50: a repeated update or delete with the same key runs once', async () => {
    const { store, tenant } = fixture();
    const { provider } = await harnessOver(store);
    const { memory } = await provider.add(tenant, toAdd('Tea.'), WRITE);
    const key = { tenant, id: memory.id };
    const patch = { content: 'Coffee.' };
    const first = await provider.update(key, patch, keyed('update-1'));
    const again = await provider.update(key, patch, keyed('update-1'));
    expect(again.memory).toEqual(first.memory);
    expect(first.memory.version).toBe(2);
    expect(await provider.delete(key, keyed('delete-1'))).not.toBeNull();
    expect(await provider.delete(key, keyed('delete-1'))).not.toBeNull();
    expect(await provider.get(tenant, memory.id)).toBeNull();
  });
}
