import { describe, expect, test } from 'vitest';
import type { Store } from '#core/ports/store.ts';
import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';
import { OPENING } from '#test/conformance/sqlite-adapter.ts';
import { idOf, memoryOf, NOW, policyOf, ownerOf, rulesAt } from '#test/conformance/samples.ts';

const TENANT = 'acme';

function open(): Promise<Store> {
  return openSqliteStore({ file: IN_MEMORY, ...OPENING });
}

describe('a store in memory', () => {
  test('STORE-1: a caller that changes a given or returned record does not change the store', async () => {
    await using store = await open();
    const given = memoryOf(TENANT, 1, { tags: ['kept'], metadata: { deep: { kept: true } } });
    const { record } = await store.memories.add(given, rulesAt(NOW));
    const got = await store.memories.get(TENANT, idOf(1));
    for (const each of [given, record, got]) {
      each?.tags.push('forged');
      Object.assign(each?.metadata['deep'] ?? {}, { kept: false });
    }
    const kept = await store.memories.get(TENANT, idOf(1));
    expect(kept).toMatchObject({ tags: ['kept'], metadata: { deep: { kept: true } } });
  });

  test('STORE-1: returned policies and histories are copies', async () => {
    await using store = await open();
    await store.memories.add(memoryOf(TENANT, 1), rulesAt(NOW));
    await store.policies.put(ownerOf('a'), policyOf(TENANT), { hash: 'hash-1', now: NOW });
    const read = async () => ({
      policy: await store.policies.get(TENANT),
      changes: await store.memories.history(
        { tenant: TENANT, id: idOf(1) },
        { beforeVersion: null, limit: 1 },
      ),
    });
    const before = await read();
    const again = await read();
    Object.assign(again.policy?.policy ?? {}, { tenant: 'forged' });
    Object.assign(again.changes[0]?.before ?? {}, { content: 'forged' });
    expect(await read()).toEqual(before);
  });

  test('a call that fails in the middle of a chunk adds nothing', async () => {
    const faults = {
      beforeStatement: (sql: string) => {
        if (sql.startsWith('BEGIN')) inserted = 0;
        if (/INSERT INTO memories\b/u.test(sql)) inserted += 1;
        if (inserted === 2 && !sql.startsWith('ROLLBACK'))
          throw new Error('The process died here.');
      },
      afterCommit: () => undefined,
    };
    let inserted = 0;
    await using store = await openSqliteStore({ file: IN_MEMORY, ...OPENING, faults });
    const memories = [1, 2, 3].map((n) => memoryOf(TENANT, n));
    await expect(store.memories.addMany(memories, rulesAt(NOW))).rejects.toThrow('died');
    inserted = 0;
    for (const { id } of memories) expect(await store.memories.get(TENANT, id)).toBeNull();
    expect(await store.scopes.list(TENANT, 10)).toEqual([]);
  });
});
