/** Several stores on one database, as in several processes, and one that hangs. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

import { reservedOf } from '#core/budget/budget-account.ts';
import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import { BULK_CHUNK_MAX } from '#core/ports/write-rules-and-outcomes.ts';
import type { Scope } from '#core/scope.ts';
import type { Faults } from '#providers/mongodb/connection.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForMongodb } from '#test/cluster/test-mongodb.ts';

import { newTenant } from './adapter.ts';
import { interrupting } from './mongodb-faults.ts';
import { mongodbFixture } from './mongodb-fixture.ts';
import { allSources, refresh } from './refresh.ts';
import {
  digest,
  idOf,
  memoryOf,
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
const WRITER = fileURLToPath(new URL('./mongodb-writer.ts', import.meta.url));
const PROCESSES = 4;
const WRITERS_OF_EACH = 8;
const WRITERS = PROCESSES * WRITERS_OF_EACH;
/** Enough that the process is killed during its work. */
const TOLD_BEFORE_KILL = 40;
const TEST_MS_MAX = 120_000;
/** Characters of a long memory; all of one call are more than a document of MongoDB takes. */
const LONG = 10_000;
const DIMENSIONS = 1_536;

const { open, ownDatabase, uri } = mongodbFixture();

async function expectTrueCounts(store: Store, scope: Scope): Promise<number> {
  const record = await store.scopes.get(scope);
  const sources = await allSources(store, scope, NOW);
  expect(record).toMatchObject({ sourceCount: sources.length });
  expect(record.sourceHash).toBe(sourceHashOf(digest, sources));
  return sources.length;
}

/** Hangs before the first command of a name, until it is released. */
function hanging(name: string): { faults: Faults; hangs: Promise<void>; release(): void } {
  const hangs = Promise.withResolvers<void>();
  const go = Promise.withResolvers<void>();
  const faults = interrupting(name, 1, () => {
    hangs.resolve();
    return go.promise;
  });
  return { faults, hangs: hangs.promise, release: go.resolve };
}

describeUnless(await missingForMongodb())('writers of one MongoDB database', () => {
  it(`STORE-42: one of ${String(EQUAL_ADDS)} adds with the same key succeeds`, async () => {
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

  it(`STORE-44: ${String(EQUAL_ADDS)} equal adds from two processes create one memory with all tags`, async () => {
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

  const TOUCHES: readonly (readonly [string, (store: Store, tenant: string) => unknown])[] = [
    [
      'new tags',
      (store, tenant) =>
        store.memories.update({ tenant, id: idOf(1) }, { tags: ['late'] }, rulesAt(NOW)),
    ],
    [
      'a new vector',
      (store, tenant) => {
        const { id, contentHash } = memoryOf(tenant, 1);
        const vectors = [{ id, contentHash, vector: [1, 0] }];
        const generation = GENERATION;
        return store.embeddings.putVectors(tenant, { generation, vectors, own: false });
      },
    ],
    [
      'a new memory that is not a source',
      (store, tenant) =>
        store.memories.add(memoryOf(tenant, 9, { state: 'superseded' }), rulesAt(NOW)),
    ],
  ];

  it.each(TOUCHES)('STORE-44: a search sees %s while the writer hangs', async (_, write) => {
    const hung = hanging('memories.apply');
    await using slow = await open({ faults: hung.faults });
    await using store = await open();
    const tenant = newTenant();
    const scope = userScope(tenant);
    {
      // Closed, so that it leaves no entry, which the slow one would hang at before it commits.
      await using first = await open();
      await first.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    }
    const record = await store.scopes.get(scope);
    await found(store, scope, byWords('garden'));
    const late = Promise.resolve(write(slow, tenant));
    await hung.hangs;
    const before = await expectSameEverywhere(store, scope);
    expect(await store.scopes.get(scope)).toEqual(record);
    hung.release();
    await late;
    expect(await expectSameEverywhere(store, scope)).toEqual(before);
  });

  it('STORE-43: concurrent writers of one scope lose nothing and count each write once', async () => {
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

  it.each([
    ['English', 'The memory of the checkout launch in a b c d e '],
    ['Chinese', '语言记忆上海北京天气报告发布会议决定项目'],
  ])('STORE-43: a call with many long memories in %s is stored whole', async (_, words) => {
    await using store = await open();
    const tenant = newTenant();
    const content = words.repeat(LONG / words.length);
    const vector = Array.from({ length: DIMENSIONS }, (__, at) => at + 1);
    const rest = { embeddingGeneration: GENERATION, vector };
    const memories = Array.from({ length: BULK_CHUNK_MAX }, (__, n) =>
      memoryOf(tenant, n, { ...rest, content: `${String(n)} ${content}` }),
    );
    const outcomes = await store.memories.addMany(memories, rulesAt(NOW));
    expect(outcomes.filter(({ ok }) => ok)).toHaveLength(BULK_CHUNK_MAX);
    expect(await expectTrueCounts(store, userScope(tenant))).toBe(BULK_CHUNK_MAX);
  });

  it('concurrent writers of one account never exceed its limit', async () => {
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
        'memories.apply',
        (store, tenant) => store.memories.add(memoryOf(tenant, 9), rulesAt(NOW)),
      ],
      [
        'an add that takes a key',
        'memories.apply',
        (store, tenant) => store.memories.add(memoryOf(tenant, 9, { key: 'old' }), rulesAt(NOW)),
      ],
      [
        'an update',
        'memories.apply',
        (store, tenant) =>
          store.memories.update(
            { tenant, id: idOf(1) },
            { content: newContent('Other.') },
            rulesAt(NOW),
          ),
      ],
      [
        'a deletion',
        'memories.apply',
        (store, tenant) => store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW)),
      ],
      [
        'turns',
        'turns.apply',
        (store, tenant) => store.turns.append([turnOf(tenant, 2)], rulesAt(NOW)),
      ],
    ];

  it.each(WRITES)('STORE-44: %s counts once if its writer hangs', async (_, command, write) => {
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
    for (const scope of scopes) await expectTrueCounts(store, scope);
    // Whoever comes next builds on it, and what arrives late does not undo that.
    for (const id of [idOf(1), idOf(9)]) await store.memories.delete({ tenant, id }, rulesAt(NOW));
    hung.release();
    await late;
    for (const id of [idOf(1), idOf(9)]) expect(await store.memories.get(tenant, id)).toBeNull();
    for (const scope of scopes) await expectTrueCounts(store, scope);
  });

  it(
    `STORE-43: ${WRITERS} writers of ${PROCESSES} processes, one of them killed, lose nothing`,
    { timeout: TEST_MS_MAX },
    async () => {
      const database = ownDatabase();
      const tenant = newTenant();
      const writers = Array.from({ length: PROCESSES }, (_, n) => {
        return startWriter([uri(), database, tenant, String(n * 1_000), String(WRITERS_OF_EACH)]);
      });
      const [victim] = writers;
      victim?.child.stdout?.on('data', () => {
        if (victim.told.length >= TOLD_BEFORE_KILL) victim.child.kill('SIGKILL');
      });
      await Promise.all(writers.map(({ ended }) => ended));
      const codes = writers.map(({ child }) => child.signalCode ?? child.exitCode);
      expect(codes).toEqual(['SIGKILL', 0, 0, 0]);
      await using store = await open({ database });
      const scope = userScope(tenant);
      await expectTrueCounts(store, scope);
      const sources = await allSources(store, scope, NOW);
      const ids = new Set(sources.map(({ id }) => id));
      expect(ids.size).toBe(sources.length);
      const told = writers.flatMap((writer) => writer.told.map((line) => line.split(' ')));
      const deleted = new Set(told.flatMap(([what, id]) => (what === 'deleted' ? [id] : [])));
      const added = told.flatMap(([what, id]) =>
        what === 'added' && !deleted.has(id) ? [id] : [],
      );
      const others = added.filter((id) => !ids.has(String(id)));
      // The victim may have deleted what it did not live to tell of, each of its writers one.
      expect(others.length).toBeLessThanOrEqual(WRITERS_OF_EACH);
      expect([...deleted].filter((id) => ids.has(String(id)))).toEqual([]);
      const unheard = [...ids].filter((id) => !added.includes(id));
      expect(unheard.length).toBeLessThanOrEqual(WRITERS_OF_EACH);
    },
  );
});

/** Get, list and search tell the same of a scope; answers what they tell. */
async function expectSameEverywhere(store: Store, scope: Scope): Promise<readonly unknown[]> {
  const { tenant } = scope;
  const conditions = { latestOnly: false };
  const query = { ...byWords('garden', { conditions }), vectors: byVector([1, 0]).vectors };
  const { candidates } = await store.memories.search(scope, query);
  const expected = await listedIds(store, [scope], { conditions });
  expect(candidates.map(({ memory }) => memory.id)).toEqual(expected);
  const { done } = await store.embeddings.progress(tenant, { generation: GENERATION, now: NOW });
  for (const { memory, cosine } of candidates) {
    expect(memory).toEqual(await store.memories.get(tenant, memory.id));
    expect(cosine === null).toBe(done === 0);
  }
  for (const tag of candidates.flatMap(({ memory }) => memory.tags)) {
    const tagged = byWords('garden', { conditions: { tags: [tag] } });
    expect(await found(store, scope, tagged)).toEqual([idOf(1)]);
  }
  return candidates;
}

interface Writer {
  readonly child: ChildProcess;
  /** What each write was, once its promise resolved. */
  readonly told: string[];
  readonly ended: Promise<unknown>;
}

function startWriter(args: readonly string[]): Writer {
  const child = spawn(process.execPath, [WRITER, ...args], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const told: string[] = [];
  createInterface({ input: child.stdout }).on('line', (line) => told.push(line));
  return { child, told, ended: once(child, 'close') };
}
