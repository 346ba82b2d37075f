/** Several stores on one database, as several processes have them, and one that hangs. */
import { expect, it } from 'vitest';

import { reservedOf } from '#core/budget.ts';
import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import type { Scope } from '#core/scope.ts';
import type { Faults } from '#providers/mongodb/connection.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { newTenant } from './adapter.ts';
import { interrupting } from './mongodb-faults.ts';
import { mongodbStand } from './mongodb-stand.ts';
import { allSources, refresh } from './refresh.ts';
import {
  digest,
  idOf,
  memoryOf,
  MINUTE_MS,
  newContent,
  NOW,
  rulesAt,
  sessionScope,
  turnOf,
  userScope,
} from './samples.ts';
import { byVector, byWords, found, GENERATION, listedIds } from './search-samples.ts';

const EQUAL_ADDS = 200;
const TAGS = 8;
const ADDS = 60;
const RESERVATIONS = 60;
const BUDGET = { limitTokens: 40, limitMicroDollars: null, onExhausted: 'Reject' } as const;
const LATER = NOW + MINUTE_MS;

const { open } = mongodbStand();

async function expectTrueCounts(store: Store, scope: Scope): Promise<number> {
  const record = await store.scopes.get(scope);
  const sources = await allSources(store, scope, NOW);
  expect(record).toMatchObject({ sourceCount: sources.length, intents: [] });
  expect(record.sourceHash).toBe(sourceHashOf(digest, sources));
  return sources.length;
}

/** Hangs before the first command of a name, until it is let go. */
function hanging(name: string): { faults: Faults; hangs: Promise<void>; letGo(): void } {
  const hangs = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const faults = interrupting(name, 1, () => {
    hangs.resolve();
    return go.promise;
  });
  return { faults, hangs: hangs.promise, letGo: go.resolve };
}

describeUnless(await missingForMongodb())('writers of one MongoDB', () => {
  it(`STORE-42: of ${String(EQUAL_ADDS)} adds with one key one is kept`, async () => {
    await using first = await open();
    await using second = await open();
    const tenant = newTenant();
    const adds = Array.from({ length: EQUAL_ADDS }, (_, n) => {
      const store = n % 2 === 0 ? first : second;
      return store.memories.add(memoryOf(tenant, n, { key: 'city' }), rulesAt(NOW));
    });
    const ends = await Promise.allSettled(adds);
    const refused = ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : []));
    expect(refused).toHaveLength(EQUAL_ADDS - 1);
    for (const reason of refused) expect(reason).toMatchObject({ code: 'CONFLICT' });
    expect(await expectTrueCounts(first, userScope(tenant))).toBe(1);
  });

  it(`STORE-44: of ${String(EQUAL_ADDS)} equal adds of two processes one is kept, with all tags`, async () => {
    await using first = await open();
    await using second = await open();
    const tenant = newTenant();
    const tagOf = (n: number) => `tag-${String(n % TAGS)}`;
    const adds = Array.from({ length: EQUAL_ADDS }, (_, n) => {
      const store = n % 2 === 0 ? first : second;
      const memory = memoryOf(tenant, n, { key: 'tea', content: 'Tea.', tags: [tagOf(n)] });
      return store.memories.add(memory, { ...rulesAt(NOW), onKey: 'Unite' });
    });
    const outcomes = await Promise.all(adds);
    expect(outcomes.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
    const [kept = ''] = await listedIds(first, [userScope(tenant)]);
    const tags = Array.from({ length: TAGS }, (_, n) => tagOf(n));
    expect(await first.memories.get(tenant, kept)).toMatchObject({ tags });
    expect(await expectTrueCounts(second, userScope(tenant))).toBe(1);
  });

  const TOUCHES: readonly (readonly [string, string, (store: Store, tenant: string) => unknown])[] =
    [
      [
        'new tags',
        'memories.replace',
        (store, tenant) =>
          store.memories.update({ tenant, id: idOf(1) }, { tags: ['late'] }, rulesAt(NOW)),
      ],
      [
        'a vector',
        'memories.writeMany',
        (store, tenant) => {
          const { id, contentHash } = memoryOf(tenant, 1);
          const vectors = [{ id, contentHash, vector: [1, 0] }];
          return store.embeddings.putVectors(tenant, {
            generation: GENERATION,
            vectors,
            own: false,
          });
        },
      ],
      [
        'a memory that is no source',
        'memories.insert',
        (store, tenant) =>
          store.memories.add(memoryOf(tenant, 9, { state: 'superseded' }), rulesAt(NOW)),
      ],
    ];

  it.each(TOUCHES)('STORE-44: a search sees %s that arrives late', async (_, command, write) => {
    const hung = hanging(command);
    await using slow = await open({ faults: hung.faults });
    await using store = await open();
    const tenant = newTenant();
    const scope = userScope(tenant);
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const record = await store.scopes.get(scope);
    const late = Promise.resolve(write(slow, tenant));
    await hung.hangs;
    await found(store, scope, byWords('garden'));
    expect(await store.scopes.get(scope)).toEqual(record);
    await store.scopes.due(tenant, { until: LATER, now: LATER, limit: 10 });
    await found(store, scope, byWords('garden'));
    hung.letGo();
    await late;
    const conditions = { latestOnly: false };
    const all = byWords('garden', { conditions });
    const { candidates } = await store.memories.search(scope, {
      ...all,
      vectors: byVector([1, 0]).vectors,
    });
    const expected = await listedIds(store, [scope], { conditions });
    expect(candidates.map(({ memory }) => memory.id)).toEqual(expected);
    for (const { memory, cosine } of candidates) {
      expect(memory).toEqual(await store.memories.get(tenant, memory.id));
      const progress = await store.embeddings.progress(tenant, {
        generation: GENERATION,
        now: NOW,
      });
      expect(cosine === null).toBe(progress.done === 0);
    }
    for (const tag of candidates.flatMap(({ memory }) => memory.tags)) {
      const tagged = byWords('garden', { conditions: { tags: [tag] } });
      expect(await found(store, scope, tagged)).toEqual([idOf(1)]);
    }
  });

  it('STORE-43: writers of one scope lose nothing and count each write once', async () => {
    await using first = await open();
    await using second = await open();
    const tenant = newTenant();
    const writes = Array.from({ length: ADDS }, async (_, n) => {
      const store = n % 2 === 0 ? first : second;
      await store.memories.add(memoryOf(tenant, n), rulesAt(NOW));
      const key = { tenant, id: idOf(n) };
      if (n % 3 === 0) await store.memories.delete(key, rulesAt(NOW));
      const content = newContent(`Changed to ${String(n)}.`);
      if (n % 3 === 1) await store.memories.update(key, { content }, rulesAt(NOW));
    });
    const turns = Array.from({ length: ADDS }, (_, n) =>
      (n % 2 === 0 ? first : second).turns.append([turnOf(tenant, n % 20)], rulesAt(NOW)),
    );
    await Promise.all([...writes, ...turns]);
    expect(await expectTrueCounts(first, userScope(tenant))).toBe((ADDS * 2) / 3);
    expect(await expectTrueCounts(first, sessionScope(tenant))).toBe(20);
    const said = await first.turns.latest({ tenant, sessionId: 'call' }, 50);
    expect(said.map(({ sequence }) => sequence)).toEqual(said.map((__, at) => at + 1));
  });

  it('SUM-15: writers of one account never pass its limit', async () => {
    await using first = await open();
    await using second = await open();
    const tenant = newTenant();
    const results = await Promise.all(
      Array.from({ length: RESERVATIONS }, async (_, n) => {
        const store = n % 2 === 0 ? first : second;
        const attemptId = `attempt-${String(n)}`;
        const whole = { tenant, batchId: 'b', purpose: 'summary', model: 'm' } as const;
        const amount = { tokens: 1, microDollars: 0 };
        const attempt = { ...whole, attemptId };
        const result = await store.accounts.reserve({ attempt, amount, budget: BUDGET, now: NOW });
        const settlement = { outcome: 'Usage', now: NOW } as const;
        if (result.kind === 'Reserved' && n % 3 === 0) {
          await store.accounts.settle({ tenant, attemptId }, amount, settlement);
        }
        return result.kind;
      }),
    );
    const reserved = results.filter((kind) => kind === 'Reserved').length;
    expect(reserved).toBe(BUDGET.limitTokens);
    const account = await first.accounts.get(tenant, '2026-11', BUDGET);
    expect(account.spent.tokens + reservedOf(account).tokens).toBe(BUDGET.limitTokens);
    expect(await first.accounts.entries(tenant, { limit: 100 })).toHaveLength(reserved);
  });

  const WRITES: readonly (readonly [string, string, (store: Store, tenant: string) => unknown])[] =
    [
      [
        'an add',
        'memories.insert',
        (store, tenant) => store.memories.add(memoryOf(tenant, 9), rulesAt(NOW)),
      ],
      [
        'an add that takes a key',
        'memories.insert',
        (store, tenant) => store.memories.add(memoryOf(tenant, 9, { key: 'old' }), rulesAt(NOW)),
      ],
      [
        'an update',
        'memories.replace',
        (store, tenant) =>
          store.memories.update(
            { tenant, id: idOf(1) },
            { content: newContent('Other.') },
            rulesAt(NOW),
          ),
      ],
      [
        'a deletion',
        'memories.replace',
        (store, tenant) => store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW)),
      ],
      [
        'turns',
        'turns.insert',
        (store, tenant) => store.turns.append([turnOf(tenant, 2)], rulesAt(NOW)),
      ],
    ];

  it.each(WRITES)('STORE-44: %s that arrives late counts once', async (_, command, write) => {
    const hung = hanging(command);
    await using slow = await open({ faults: hung.faults });
    await using store = await open();
    const tenant = newTenant();
    const scopes = [userScope(tenant), sessionScope(tenant)];
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const ended = memoryOf(tenant, 2, { key: 'old', expiresAt: NOW });
    await store.memories.add(ended, rulesAt(NOW - 1));
    await store.turns.append([turnOf(tenant, 1)], rulesAt(NOW));
    for (const scope of scopes) await refresh(store, scope, NOW);
    const late = Promise.resolve(write(slow, tenant));
    await hung.hangs;
    const records = await store.scopes.list(tenant, 10);
    expect(records.flatMap(({ intents }) => intents)).toHaveLength(1);
    await store.scopes.due(tenant, { until: LATER, now: LATER, limit: 10 });
    for (const scope of scopes) await expectTrueCounts(store, scope);
    hung.letGo();
    await late;
    for (const scope of scopes) await expectTrueCounts(store, scope);
  });

  it('TMP-05: a tenant with a write that was left under way is due', async () => {
    const hung = hanging('memories.insert');
    await using slow = await open({ faults: hung.faults });
    await using store = await open();
    const tenant = newTenant();
    const late = slow.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    await hung.hangs;
    expect(await store.scopes.dueTenants({ now: NOW, limit: 100 })).not.toContain(tenant);
    expect(await store.scopes.dueTenants({ now: LATER, limit: 100 })).toContain(tenant);
    await store.scopes.due(tenant, { until: NOW, now: LATER, limit: 10 });
    expect(await store.scopes.dueTenants({ now: LATER, limit: 100 })).not.toContain(tenant);
    hung.letGo();
    await late;
  });
});
