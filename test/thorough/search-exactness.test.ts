import fc from 'fast-check';
import { describe, expect, it } from 'vitest';

import type { Scope } from '#core/scope.ts';
import type { ScopeQuery } from '#core/search/scope-search.ts';
import type { Connection } from '#providers/sqlite/connection.ts';
import { IndexCache } from '#providers/sqlite/search/index-cache.ts';
import { keepIndexes } from '#providers/sqlite/search/search-thread-program.ts';
import { scanScope } from '#providers/sqlite/search/answer-call.ts';
import { conditionsOf } from '#test/conformance/search-samples.ts';
import { memoryOf, NOW, sessionScope, userScope } from '#test/conformance/samples.ts';

import {
  answerOf,
  connect,
  freshAnswer,
  listedOf,
  openFile,
  remove,
  rounded,
  write,
  type Kept,
  type Opened,
} from '#test/unit/sqlite/search/search-fixture.ts';

const SCOPES = 3;
/** Each run has a tenant of its own, so that all can share one file and its threads. */
function scopesOf(tenant: string): readonly Scope[] {
  return [userScope(tenant), userScope(tenant, 'bob'), sessionScope(tenant)];
}

/** Too little for one scope of a few memories: every search reads the file. */
const NOTHING_FITS = 1;
/** Each memory is a page. */
const PAGE_OF_ONE_BYTES = 1;
/** Room for about one scope of each thread: they push each other out all the time. */
const LITTLE_FITS = 32_768;
const ROOM = 100_000_000;

const word = fc.constantFrom('tea', 'oak', 'sun', 'ice', 'map', 'red', 'owl', 'fig');
const number = fc.integer({ min: -5, max: 5 });
/** Of any length, or of length 1. */
const vector = fc.oneof(
  fc.tuple(number, number, number).filter((each) => each.some((value) => value !== 0)),
  fc.constantFrom([0.6, 0.8, 0] as const, [0, -0.6, 0.8] as const, [0, 0, 1] as const),
);

const kept = fc
  .record({
    n: fc.nat({ max: 60 }),
    place: fc.nat({ max: SCOPES - 1 }),
    terms: fc.array(word, { maxLength: 6 }),
    vectors: fc.uniqueArray(fc.record({ generation: fc.constantFrom('g1', 'g2'), vector }), {
      selector: ({ generation }) => generation,
      maxLength: 2,
    }),
    tags: fc.subarray(['a', 'b', 'c']),
    priority: fc.option(number),
    state: fc.constantFrom('active', 'active', 'superseded', 'quarantined' as const),
    kind: fc.constantFrom('memory', 'entity' as const),
    validFrom: fc.integer({ min: NOW - 20, max: NOW }),
    expiresAt: fc.constantFrom(null, null, NOW, NOW + 1),
    validTo: fc.constantFrom(null, null, NOW - 1, NOW + 1),
  })
  .map(({ n, place, terms, vectors, priority, ...rest }) => (tenant: string): Kept => {
    const metadata = priority === null ? {} : { priority };
    const differing = { ...scopesOf(tenant)[place], ...rest, metadata };
    // An id stays in its scope, as it does in the store.
    return { memory: memoryOf(tenant, n * SCOPES + place, differing), terms, vectors };
  });

const query = fc
  .record({
    terms: fc.option(fc.array(word, { minLength: 1, maxLength: 3 })),
    vectors: fc.uniqueArray(fc.record({ generation: fc.constantFrom('g1', 'g2'), vector }), {
      selector: ({ generation }) => generation,
      maxLength: 2,
    }),
    limit: fc.integer({ min: 1, max: 100 }),
    tags: fc.subarray(['a', 'b']),
    latestOnly: fc.boolean(),
    least: fc.option(number),
    kind: fc.option(fc.constantFrom('memory', 'entity' as const)),
  })
  .map(({ tags, latestOnly, least, kind, ...legs }): ScopeQuery => {
    const filter = least === null ? null : { field: 'priority', gte: least };
    return { ...legs, conditions: conditionsOf({ tags, latestOnly, filter, kind }) };
  });

const step = fc.record({
  written: fc.array(kept, { maxLength: 12 }),
  /** Of all that are there, by their place. */
  removed: fc.array(fc.nat({ max: 60 }), { maxLength: 4 }),
  query,
});

/** Searches after each of many writes, of this connection and of another one by turns. */
function writesAndSearches(opened: Opened, other: Connection, path: string | null) {
  let runs = 0;
  return fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 6 }), async (steps) => {
    runs += 1;
    const tenant = `tenant-${runs}`;
    const all = new Map<string, Kept>();
    for (const [place, each] of steps.entries()) {
      const { query } = each;
      const connection = place % 2 === 0 ? opened.connection : other;
      await changeSome(connection, tenant, { all, step: each });
      await expectSame(opened, { tenant, all: [...all.values()] }, { query, path });
    }
  });
}

type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

async function changeSome(
  connection: Connection,
  tenant: string,
  { all, step: { written, removed } }: { readonly all: Map<string, Kept>; readonly step: Step },
): Promise<void> {
  const added = written.map((of) => of(tenant));
  await write(connection, added);
  for (const one of added) all.set(one.memory.id, one);
  for (const { memory } of removed.flatMap((at) => [...all.values()][at] ?? [])) {
    await remove(connection, memory);
    all.delete(memory.id);
  }
}

async function expectSame(
  { search }: Opened,
  { tenant, all }: { tenant: string; all: readonly Kept[] },
  { query, path }: { query: ScopeQuery; path: string | null },
): Promise<void> {
  const scopes = scopesOf(tenant);
  for (const scope of scopes) {
    const found = await search.search(scope, query);
    expect(answerOf(found)).toEqual(freshAnswer(all, scope, query));
    if (path !== null) expect(found.path).toBe(path);
  }
  const { conditions } = query;
  const list = { scopes, conditions, order: 'oldest', after: null, limit: 7 } as const;
  const expected = listedOf(all, conditions);
  const page = await search.list(tenant, list);
  expect(page.memories.map(({ id }) => id)).toEqual(expected.slice(0, 7));
  expect(page).toMatchObject({ total: expected.length, more: expected.length > 7 });
  const after = page.memories.at(-1)?.id ?? null;
  const newest = await search.list(tenant, { ...list, order: 'newest', after });
  const before = expected.filter((id) => after === null || id < after).toReversed();
  expect(newest.memories.map(({ id }) => id)).toEqual(before.slice(0, 7));
}

/** Each step is a process of its own: it has what was kept, and keeps its indexes or not. */
function keptIndexes({ connection, file }: Opened) {
  const process = fc.record({ step, keeps: fc.boolean(), forgets: fc.boolean() });
  let runs = 0;
  return fc.asyncProperty(fc.array(process, { minLength: 2, maxLength: 8 }), async (processes) => {
    runs += 1;
    const tenant = `tenant-${runs}`;
    const all = new Map<string, Kept>();
    for (const { step: one, keeps, forgets } of processes) {
      await changeSome(connection, tenant, { all, step: one });
      if (forgets) await connection.write(() => connection.run('DELETE FROM memory_indexes'));
      const cache = new IndexCache(connection, ROOM, 1);
      for (const scope of scopesOf(tenant)) {
        const found = await connection.read(() => cache.indexOf(scope)?.search(one.query));
        const hits = found?.hits.map(rounded);
        expect({ ...found, hits }).toEqual(freshAnswer([...all.values()], scope, one.query));
      }
      if (keeps) await keepIndexes(cache, { file, busyTimeoutMs: 1_000 });
    }
  });
}

describe('a search of SQLite', () => {
  it.each([
    { scopes: 'that fit into memory', options: {}, path: 'Memory' },
    { scopes: 'that evict each other', options: { indexBytesMax: LITTLE_FITS }, path: null },
    {
      scopes: 'that are too large for memory',
      options: { indexBytesMax: NOTHING_FITS },
      path: 'ExactScan',
    },
  ])('finds what a fresh index finds after random writes, with scopes $scopes', async (each) => {
    await using opened = await openFile(each.options);
    using other = connect(opened.file);
    await fc.assert(writesAndSearches(opened, other, each.path), { numRuns: 25 });
  });

  it('finds the same with indexes that were stored in the file and loaded again', async () => {
    await using opened = await openFile();
    await fc.assert(keptIndexes(opened), { numRuns: 60 });
  });

  it('finds the same in a scope that is read in many pages', async () => {
    await using opened = await openFile();
    const { connection } = opened;
    let runs = 0;
    const property = fc.asyncProperty(
      fc.array(kept, { size: '+1' }),
      query,
      async (written, query) => {
        runs += 1;
        const tenant = `tenant-${runs}`;
        const all = new Map(written.map((of) => of(tenant)).map((one) => [one.memory.id, one]));
        await write(connection, [...all.values()]);
        for (const scope of scopesOf(tenant)) {
          const found = await connection.read(() =>
            scanScope(connection, { scope, query }, PAGE_OF_ONE_BYTES),
          );
          const hits = found.hits.map(rounded);
          expect({ ...found, hits }).toEqual(freshAnswer([...all.values()], scope, query));
        }
      },
    );
    await fc.assert(property);
  });
});
