/** The suite of bulk writes: many memories in one call, each with its own outcome. */
import { describe, expect, it } from 'vitest';

import { EMPTY_SOURCE_HASH, sourceHashOf } from '#core/hash.ts';
import { memorySource } from '#core/sources/source.ts';
import { BULK_CHUNK_MAX, type ItemOutcome } from '#core/ports/write-rules-and-outcomes.ts';

import { sharedStore, type Open } from './adapter.ts';
import { refresh } from './refresh.ts';
import { digest, idOf, memoryOf, NOW, rulesAt, userScope } from './samples.ts';
import { listedIds } from './search-samples.ts';

export function bulkSuite(open: Open): void {
  describe('memories: bulk add', () => {
    addSuite(open);
  });
  describe('memories: bulk delete', () => {
    deleteSuite(open);
  });
}

/** What became of each item: `ok`, or the code of its failure. */
export function fates(outcomes: readonly ItemOutcome<unknown>[]): string[] {
  return outcomes.map((item) => (item.ok ? 'ok' : item.error.code));
}

/** The code that a call, or its only item, failed with. */
async function refusal(call: Promise<readonly ItemOutcome<unknown>[]>): Promise<unknown> {
  try {
    return fates(await call).find((fate) => fate !== 'ok');
  } catch (error) {
    return error instanceof Error && 'code' in error ? error.code : error;
  }
}

function addSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-42: a chunk adds every memory, and the scope counts each as a change', async () => {
    const { store, tenant } = fixture();
    const numbers = Array.from({ length: BULK_CHUNK_MAX }, (_, at) => at + 1);
    const memories = numbers.map((n) => memoryOf(tenant, n));
    const outcomes = await store.memories.addMany(memories, rulesAt(NOW));
    expect(outcomes.map((item) => (item.ok ? item.outcome.record : null))).toEqual(memories);
    expect(await listedIds(store, [userScope(tenant)])).toEqual(numbers.map(idOf));
    const scope = await store.scopes.get(userScope(tenant));
    expect(scope).toMatchObject({ sourceCount: BULK_CHUNK_MAX, changes: BULK_CHUNK_MAX });
    expect(scope.sourceHash).toBe(sourceHashOf(digest, memories.map(memorySource)));
  });

  it('STORE-42: a failed item does not affect the others, and outcomes keep the item order', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 2), rulesAt(NOW));
    const memories = [1, 2, 3].map((n) => memoryOf(tenant, n));
    const outcomes = await store.memories.addMany(memories, rulesAt(NOW));
    expect(fates(outcomes)).toEqual(['ok', 'CONFLICT', 'ok']);
    expect(outcomes[1]).toMatchObject({ error: { details: { id: idOf(2) } } });
    expect(await store.scopes.get(userScope(tenant))).toMatchObject({ sourceCount: 3 });
  });

  it('STORE-42: only the first of two items with the same id or key is added', async () => {
    const { store, tenant } = fixture();
    const memories = [
      memoryOf(tenant, 1, { key: 'city' }),
      memoryOf(tenant, 2, { key: 'city', content: 'Another.' }),
      memoryOf(tenant, 1, { content: 'A third.' }),
    ];
    const outcomes = await store.memories.addMany(memories, rulesAt(NOW));
    expect(fates(outcomes)).toEqual(['ok', 'CONFLICT', 'CONFLICT']);
    for (const item of outcomes.slice(1)) {
      expect(item).toMatchObject({ error: { details: { id: idOf(1) } } });
    }
    expect(await listedIds(store, [userScope(tenant)])).toEqual([idOf(1)]);
  });

  it('STORE-42: equal items of one chunk unite if the rules say so', async () => {
    const { store, tenant } = fixture();
    const memories = [3, 2, 1].map((n) =>
      memoryOf(tenant, n, { key: 'k', content: 'The same.', tags: [`tag-${n}`] }),
    );
    const rules = { ...rulesAt(NOW), onKey: 'Unite' } as const;
    const outcomes = await store.memories.addMany(memories, rules);
    expect(outcomes.map((item) => item.ok && item.outcome.deduplicated)).toEqual([
      false,
      true,
      true,
    ]);
    const kept = await store.memories.get(tenant, idOf(3));
    expect(kept).toMatchObject({ tags: ['tag-1', 'tag-2', 'tag-3'] });
    expect(await listedIds(store, [userScope(tenant)])).toEqual([idOf(3)]);
  });

  it('STORE-42: a call without items writes nothing', async () => {
    const { store, tenant } = fixture();
    expect(await store.memories.addMany([], rulesAt(NOW))).toEqual([]);
    expect(await store.memories.deleteMany([], rulesAt(NOW))).toEqual([]);
    expect(await store.scopes.list(tenant, 10)).toEqual([]);
  });

  it('STORE-42: adding more than a chunk is refused and adds nothing', async () => {
    const { store, tenant } = fixture();
    const memories = Array.from({ length: BULK_CHUNK_MAX + 1 }, (_, n) => memoryOf(tenant, n));
    const call = store.memories.addMany(memories, rulesAt(NOW));
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await listedIds(store, [userScope(tenant)])).toEqual([]);
  });

  it('STORE-42: memories of two scopes or tenants in one call are refused', async () => {
    const { store, tenant } = fixture();
    const strangers = [
      memoryOf(tenant, 2, { scopeId: 'bob' }),
      memoryOf(tenant, 2, { layer: 'team' }),
      memoryOf('somebody-else', 2),
    ];
    for (const stranger of strangers) {
      const call = store.memories.addMany([memoryOf(tenant, 1), stranger], rulesAt(NOW));
      expect(await refusal(call)).toBe('INVALID_INPUT');
      expect(await store.memories.get(stranger.tenant, stranger.id)).toBeNull();
    }
  });
}

function deleteSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-43: a chunk deletes existing memories and returns null for the others', async () => {
    const { store, tenant } = fixture();
    const memories = [1, 2, 3].map((n) => memoryOf(tenant, n));
    await store.memories.addMany(memories, rulesAt(NOW));
    const keys = [1, 404, 3].map((n) => ({ tenant, id: idOf(n) }));
    const outcomes = await store.memories.deleteMany(keys, rulesAt(NOW));
    expect(outcomes.map((item) => (item.ok ? (item.outcome?.record ?? null) : item))).toEqual([
      memories[0],
      null,
      memories[2],
    ]);
    expect(await listedIds(store, [userScope(tenant)])).toEqual([idOf(2)]);
    expect(await store.scopes.get(userScope(tenant))).toMatchObject({ sourceCount: 1, changes: 5 });
  });

  it('STORE-43: deleting all memories of a scope empties it', async () => {
    const { store, tenant } = fixture();
    const numbers = Array.from({ length: BULK_CHUNK_MAX }, (_, at) => at + 1);
    const memories = numbers.map((n) => memoryOf(tenant, n));
    await store.memories.addMany(memories, rulesAt(NOW));
    const keys = numbers.map((n) => ({ tenant, id: idOf(n) }));
    await store.memories.deleteMany(keys, rulesAt(NOW));
    const empty = { sourceCount: 0, sourceTokens: 0, sourceBytes: 0 };
    const scope = await store.scopes.get(userScope(tenant));
    expect(scope).toMatchObject({ ...empty, sourceHash: EMPTY_SOURCE_HASH });
  });

  it('deleting cited memories in one call records each as a dropped source', async () => {
    const { store, tenant } = fixture();
    await store.memories.addMany(
      [1, 2, 3].map((n) => memoryOf(tenant, n)),
      rulesAt(NOW),
    );
    await refresh(store, userScope(tenant), NOW);
    const keys = [1, 3].map((n) => ({ tenant, id: idOf(n) }));
    await store.memories.deleteMany(keys, rulesAt(NOW));
    const { droppedSources } = await store.scopes.get(userScope(tenant));
    expect(droppedSources.map(({ id }) => id).toSorted()).toEqual([idOf(1), idOf(3)]);
  });

  it('STORE-43: an id that occurs twice is deleted once', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const key = { tenant, id: idOf(1) };
    const outcomes = await store.memories.deleteMany([key, key], rulesAt(NOW));
    expect(outcomes.map((item) => item.ok && item.outcome !== null)).toEqual([true, false]);
    expect(await store.scopes.get(userScope(tenant))).toMatchObject({ changes: 2 });
  });

  it('STORE-43: deleting more than a chunk is refused and deletes nothing', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const keys = Array.from({ length: BULK_CHUNK_MAX + 1 }, (_, n) => ({ tenant, id: idOf(n) }));
    const call = store.memories.deleteMany(keys, rulesAt(NOW));
    await expect(call).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect(await store.memories.get(tenant, idOf(1))).not.toBeNull();
  });
}
