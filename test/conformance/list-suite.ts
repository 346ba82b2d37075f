/** The suite of `MemoryRecords.list`, and of what expiry and states hide at once. */
import { describe, expect, it } from 'vitest';

import { newTenant, sharedStore, type Open } from './adapter.ts';
import { idOf, memoryOf, NOW, rulesAt, userScope } from './samples.ts';
import { addAll, byVector, byWords, embedded, found, listedIds, pageOf } from './search-samples.ts';

const ids = (...numbers: number[]) => numbers.map(idOf);

export function listSuite(open: Open): void {
  describe('memories: list', () => {
    pageSuite(open);
  });
  describe('memories: list by conditions', () => {
    conditionSuite(open);
  });
  describe('memories: hidden memories', () => {
    hiddenSuite(open);
  });
}

function pageSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-12: a page has at most the limit, tells whether more follow, and counts all', async () => {
    const { store, tenant } = fixture();
    const scopes = [userScope(tenant)];
    await addAll(
      store,
      [1, 2, 3, 4, 5].map((n) => memoryOf(tenant, n)),
    );
    const first = await pageOf(store, scopes, { limit: 2 });
    expect(first.memories).toEqual([memoryOf(tenant, 1), memoryOf(tenant, 2)]);
    expect({ more: first.more, total: first.total }).toEqual({ more: true, total: 5 });
    const last = await pageOf(store, scopes, { limit: 2, after: idOf(4) });
    expect(last.memories.map(({ id }) => id)).toEqual(ids(5));
    expect({ more: last.more, total: last.total }).toEqual({ more: false, total: 5 });
    const exact = await pageOf(store, scopes, { limit: 5 });
    expect({ count: exact.memories.length, more: exact.more }).toEqual({ count: 5, more: false });
    const none = await pageOf(store, [userScope(newTenant())]);
    expect(none).toEqual({ memories: [], more: false, total: 0 });
  });

  it('a list is oldest first by default, or newest first on request', async () => {
    const { store, tenant } = fixture();
    await addAll(
      store,
      [3, 1, 2].map((n) => memoryOf(tenant, n)),
    );
    const scopes = [userScope(tenant)];
    expect(await listedIds(store, scopes, { limit: 2 })).toEqual(ids(1, 2, 3));
    expect(await listedIds(store, scopes, { limit: 2, order: 'newest' })).toEqual(ids(3, 2, 1));
  });

  it('several scopes form one list, and no scopes an empty one', async () => {
    const { store, tenant } = fixture();
    const ofScopes = { 1: 'ann', 2: 'bob', 3: 'ann', 4: 'eve' };
    for (const [n, scopeId] of Object.entries(ofScopes)) {
      await store.memories.add(memoryOf(tenant, Number(n), { scopeId }), rulesAt(NOW));
    }
    const scopes = ['ann', 'bob'].map((scopeId) => userScope(tenant, scopeId));
    expect(await listedIds(store, scopes, { limit: 1 })).toEqual(ids(1, 2, 3));
    expect(await pageOf(store, scopes, { limit: 1 })).toMatchObject({ total: 3 });
    expect(
      await store.memories.list(tenant, {
        scopes: [],
        conditions: { now: NOW, latestOnly: true, tags: [], filter: null, kind: null },
        order: 'newest',
        after: null,
        limit: 10,
      }),
    ).toEqual({ memories: [], more: false, total: 0 });
  });

  it.each(['oldest', 'newest'] as const)(
    'a list has each existing memory once despite concurrent writes, %s first',
    async (order) => {
      const { store, tenant } = fixture();
      const scopes = [userScope(tenant)];
      const numbers = Array.from({ length: 12 }, (_, at) => 100 + at);
      await addAll(
        store,
        numbers.map((n) => memoryOf(tenant, n)),
      );
      const seen: string[] = [];
      let between = 0;
      for (let more = true; more; between += 1) {
        const after = seen.at(-1) ?? null;
        const page = await pageOf(store, scopes, { order, after, limit: 3 });
        seen.push(...page.memories.map(({ id }) => id));
        more = page.more;
        // Before, among and behind the pages; and one that was listed goes.
        for (const n of [10, 300]) {
          await store.memories.add(memoryOf(tenant, n + between), rulesAt(NOW));
        }
        await store.memories.delete({ tenant, id: seen[0] ?? '' }, rulesAt(NOW));
        const key = { tenant, id: idOf(105) };
        await store.memories.update(key, { tags: [`round-${between}`] }, rulesAt(NOW));
      }
      expect(new Set(seen).size).toBe(seen.length);
      expect(seen).toEqual(expect.arrayContaining(numbers.map(idOf)));
    },
  );
}

function conditionSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-18: one matching tag is enough, and an empty list of tags matches all', async () => {
    const { store, tenant } = fixture();
    const tags = [[], ['garden'], ['house'], ['garden', 'house'], ['gardening'], ['Garden']];
    await addAll(
      store,
      tags.map((each, at) => memoryOf(tenant, at + 1, { tags: each })),
    );
    const scopes = [userScope(tenant)];
    const tagged = (...wanted: string[]) =>
      listedIds(store, scopes, { conditions: { tags: wanted } });
    expect(await tagged('garden')).toEqual(ids(2, 4));
    expect(await tagged('garden', 'house')).toEqual(ids(2, 3, 4));
    expect(await tagged('none')).toEqual([]);
    expect(await tagged()).toHaveLength(tags.length);
    expect(
      await pageOf(store, scopes, { limit: 1, conditions: { tags: ['garden'] } }),
    ).toMatchObject({ total: 2, more: true });
  });

  it('MEM-13: every listed and counted memory matches the metadata filter', async () => {
    const { store, tenant } = fixture();
    const numbers = [1, 2, 3, 4, 5, 6];
    await addAll(
      store,
      numbers.map((n) => memoryOf(tenant, n, { metadata: { priority: n } })),
    );
    const conditions = { filter: { field: 'priority', gt: 2, lte: 5 } };
    const page = await pageOf(store, [userScope(tenant)], { conditions, limit: 2 });
    expect(page.memories.map(({ id }) => id)).toEqual(ids(3, 4));
    expect({ more: page.more, total: page.total }).toEqual({ more: true, total: 3 });
  });

  it('STORE-57: a list can be limited to one kind', async () => {
    const { store, tenant } = fixture();
    await addAll(store, [memoryOf(tenant, 1), memoryOf(tenant, 2, { kind: 'entity' })]);
    const scopes = [userScope(tenant)];
    expect(await listedIds(store, scopes, { conditions: { kind: 'entity' } })).toEqual(ids(2));
    expect(await listedIds(store, scopes, { conditions: { kind: 'memory' } })).toEqual(ids(1));
  });

  it('STORE-57: a list finds a rare memory behind many others', async () => {
    const { store, tenant } = fixture();
    const many = Array.from({ length: 600 }, (_, at) =>
      memoryOf(tenant, at + 1, at === 599 ? { tags: ['rare'], metadata: { rare: true } } : {}),
    );
    await addAll(store, many);
    const scopes = [userScope(tenant)];
    for (const conditions of [{ tags: ['rare'] }, { filter: { field: 'rare', eq: true } }]) {
      const page = await pageOf(store, scopes, { conditions, limit: 1 });
      expect({
        ids: page.memories.map(({ id }) => id),
        total: page.total,
        more: page.more,
      }).toEqual({
        ids: ids(600),
        total: 1,
        more: false,
      });
    }
  });
}

function hiddenSuite(open: Open): void {
  const fixture = sharedStore(open);
  const vector = [1, 0];

  it.each([
    ['expired', { expiresAt: NOW }],
    ['no longer valid', { validTo: NOW }],
    ['quarantined', { state: 'quarantined' }],
    ['superseded', { state: 'superseded' }],
  ] as const)(
    'STORE-58: a memory that is %s can be read, but is neither listed nor found',
    async (_, differing) => {
      const { store, tenant } = fixture();
      const scope = userScope(tenant);
      const hidden = embedded(tenant, 2, vector, differing);
      for (const memory of [embedded(tenant, 1, vector), hidden]) {
        await store.memories.add(memory, rulesAt(NOW - 1));
      }
      expect(await store.memories.get(tenant, idOf(2))).toEqual(hidden);
      expect(await listedIds(store, [scope])).toEqual(ids(1));
      expect(await pageOf(store, [scope])).toMatchObject({ total: 1 });
      expect(await found(store, scope, byVector(vector))).toEqual(ids(1));
      expect(await found(store, scope, byWords('garden'))).toEqual(ids(1));
    },
  );

  it('STORE-58: an expiring memory is listed and found until the moment it expires', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    await store.memories.add(embedded(tenant, 1, vector, { expiresAt: NOW + 1 }), rulesAt(NOW));
    for (const [now, expected] of [
      [NOW, ids(1)],
      [NOW + 1, []],
    ] as const) {
      const conditions = { now };
      expect(await listedIds(store, [scope], { conditions })).toEqual(expected);
      expect(await found(store, scope, byVector(vector, { conditions }))).toEqual(expected);
      expect(await found(store, scope, byWords('garden', { conditions }))).toEqual(expected);
    }
  });

  it('STORE-58: superseded memories are included only on request, other hidden ones never', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    const memories = [
      embedded(tenant, 1, vector),
      embedded(tenant, 2, vector, { state: 'superseded', validTo: NOW - 5 }),
      embedded(tenant, 3, vector, { state: 'quarantined' }),
      embedded(tenant, 4, vector, { expiresAt: NOW }),
    ];
    for (const memory of memories) await store.memories.add(memory, rulesAt(NOW - 1));
    const conditions = { latestOnly: false };
    expect(await listedIds(store, [scope], { conditions })).toEqual(ids(1, 2));
    expect(await found(store, scope, byVector(vector, { conditions }))).toEqual(ids(1, 2));
    expect(await found(store, scope, byWords('garden', { conditions }))).toEqual(ids(1, 2));
  });
}
