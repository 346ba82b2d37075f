/**
 * The life of a vector index, in steps that a real deployment takes as well as the peer: nothing
 * here tells the server when to build or to refresh.
 */
import { setTimeout as pause } from 'node:timers/promises';

import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { openMongoStore } from '#providers/mongodb/store.ts';
import { vectorIndexName } from '#providers/mongodb/vector-index/index-definition.ts';

import { newTenant } from './adapter.ts';
import { dropDatabase, newDatabase } from './mongodb-adapter.ts';
import { idOf, MINUTE_MS, NOW, rulesAt, userScope } from './samples.ts';
import { analyzer, byVector, embedded, GENERATION } from './search-samples.ts';
import { PLATFORM } from './sqlite-adapter.ts';

/** What the specification of drivers allows an index to take. */
const POLLS_MAX = 60;
const LIFE_MS_MAX = 20 * MINUTE_MS;
/** By then nothing that was written counts as recent, so that the index answers alone. */
const LATER = NOW + 2 * MINUTE_MS;
const INDEX = vectorIndexName(GENERATION);

/** @param pollMs between two looks at what the server does by itself */
export function indexLifeSuite(uri: () => string, pollMs: number): void {
  describe('the life of a vector index', () => {
    const database = newDatabase();
    let store: Store | null = null;
    const open = (dimensions: number): Promise<Store> =>
      openMongoStore({
        uri: uri(),
        database,
        platform: PLATFORM,
        analyzer,
        bounds: { wholeMax: 0 },
        vectorSearch: {
          clock: () => performance.now(),
          pause: () => pause(pollMs),
          generations: [{ generation: GENERATION, dimensions }],
        },
      });
    /** Whether a state is reached within the bound; each look is a question to the server. */
    const reaches = async (isReached: () => Promise<boolean>): Promise<boolean> => {
      for (let polls = 0; polls < POLLS_MAX; polls += 1) {
        if (await isReached()) return true;
        await pause(pollMs);
      }
      return false;
    };
    const ids = async (tenant: string, now: number, tags: readonly string[] = []) => {
      const query = byVector([1, 0], { conditions: { now, tags }, limit: 10 });
      const { candidates, path } = (await store?.memories.search(userScope(tenant), query)) ?? {
        candidates: [],
        path: null,
      };
      return { path, found: candidates.map(({ memory }) => memory.id).toSorted(), candidates };
    };

    beforeAll(async () => {
      store = await open(2);
    }, LIFE_MS_MAX);
    afterAll(async () => {
      await store?.[Symbol.asyncDispose]();
      await dropDatabase(uri(), database);
    }, LIFE_MS_MAX);

    it(
      'VEC-40: the index is created, and the store is healthy once it is built',
      { timeout: LIFE_MS_MAX },
      async () => {
        expect(store?.capabilities.vectorSearch).toBe('Index');
        expect(await reaches(async () => (await store?.health())?.ok === true)).toBe(true);
      },
    );

    it(
      'VEC-41: a memory is found at once, and later by the index',
      { timeout: LIFE_MS_MAX },
      async () => {
        const [mine, other] = [newTenant(), newTenant()];
        for (const tenant of [mine, other]) {
          const first = embedded(tenant, 1, [1, 1], { tags: ['a'] });
          await store?.memories.add(first, rulesAt(NOW));
          await store?.memories.add(embedded(tenant, 2, [0, 1]), rulesAt(NOW));
        }
        expect((await ids(mine, NOW)).found).toEqual([idOf(1), idOf(2)]);
        const indexed = async () => {
          const { path, found } = await ids(mine, LATER);
          return path === 'VectorIndex' && found.length === 2;
        };
        expect(await reaches(indexed)).toBe(true);
        const { candidates } = await ids(mine, LATER, ['a']);
        expect(candidates.map(({ memory }) => memory)).toEqual([
          embedded(mine, 1, [1, 1], { tags: ['a'] }),
        ]);
        expect(candidates[0]?.cosine).toBeCloseTo(Math.SQRT1_2, 5);
      },
    );

    it(
      'VEC-42: a deletion and an update are visible at once',
      { timeout: LIFE_MS_MAX },
      async () => {
        const tenant = newTenant();
        for (const n of [1, 2])
          await store?.memories.add(embedded(tenant, n, [1, n]), rulesAt(NOW));
        expect(await reaches(async () => (await ids(tenant, LATER)).found.length === 2)).toBe(true);
        await store?.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
        await store?.memories.update({ tenant, id: idOf(2) }, { tags: ['new'] }, rulesAt(NOW));
        expect((await ids(tenant, LATER)).found).toEqual([idOf(2)]);
        expect((await ids(tenant, NOW, ['new'])).found).toEqual([idOf(2)]);
      },
    );

    it(
      'VEC-43: health reports a dropped index, and reopening the store creates it again',
      { timeout: LIFE_MS_MAX },
      async () => {
        await using client = new MongoClient(uri());
        const memories = client
          .db(database)
          .collection('memories', { readConcern: { level: 'local' } });
        await memories.dropSearchIndex(INDEX);
        const gone = async () => (await memories.listSearchIndexes(INDEX).toArray()).length === 0;
        expect(await reaches(gone)).toBe(true);
        expect((await store?.health())?.findings).toEqual([
          expect.stringContaining(`${INDEX} is missing`),
        ]);
        await store?.[Symbol.asyncDispose]();
        store = await open(2);
        expect(await reaches(async () => (await store?.health())?.ok === true)).toBe(true);
      },
    );

    it(
      'VEC-44: opening with other dimensions updates the definition of the index',
      { timeout: LIFE_MS_MAX },
      async () => {
        await store?.[Symbol.asyncDispose]();
        store = await open(4);
        expect(await reaches(async () => (await store?.health())?.ok === true)).toBe(true);
      },
    );
  });
}
