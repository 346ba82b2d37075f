/** Searches by the vector index stay in one scope, are current and complete, and log no query. */
import type { Document } from 'mongodb';
import { describe, expect, it } from 'vitest';

import { RECENT_MAX } from '#providers/mongodb/vector-index/vector-leg.ts';
import { describeUnless } from '#test/cluster/needs.ts';
import { missingForOwnMongodb } from '#test/cluster/test-mongodb.ts';

import { newTenant } from './adapter.ts';
import {
  addFan,
  atlasFixture,
  EAST,
  INDEX,
  LATER,
  search,
  searchesOf,
} from './mongodb-atlas-fixture.ts';
import { idOf, newContent, NOW, rulesAt, userScope } from './samples.ts';
import { byVector, embedded, GENERATION } from './search-samples.ts';

describeUnless(await missingForOwnMongodb())('a search by the vector index', () => {
  const fixture = atlasFixture();

  it('VEC-27: every query and every match stage names tenant, layer, and scope', async () => {
    await using store = await fixture().open();
    const tenants = [newTenant(), newTenant()];
    for (const tenant of tenants) await addFan(store, tenant, 3);
    await fixture().peer.refresh();
    for (const tenant of tenants) {
      const { path, ids } = await search(store, tenant, { now: LATER, tags: ['even'] });
      expect([path, ids]).toEqual(['VectorIndex', [1, 3].map(idOf)]);
    }
    const asked = searchesOf(fixture().peer);
    expect(asked.length).toBeGreaterThanOrEqual(tenants.length);
    for (const { query, match } of asked) {
      const filter = query['filter'] as { $and: readonly Document[] };
      const tenant: unknown = filter.$and[0]?.['_id.tenant'].$eq;
      expect(tenants).toContain(tenant);
      expect(filter.$and).toEqual(
        expect.arrayContaining([
          { 'c.layer': { $eq: 'user' } },
          { 'c.scopeId': { $eq: 'ann' } },
          { tags: { $in: ['even'] } },
        ]),
      );
      expect(match).toMatchObject({ '_id.tenant': tenant, 'c.layer': 'user', 'c.scopeId': 'ann' });
      expect(query['exact']).toBe(true);
    }
  });

  it('VEC-28: recent writes, updates, and deletions are correct before the index has them', async () => {
    await using store = await fixture().open();
    const tenant = newTenant();
    await addFan(store, tenant, 3);
    await fixture().peer.refresh();
    await store.memories.add(embedded(tenant, 4, EAST), rulesAt(NOW));
    await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
    const away = { ...newContent('Gone west.'), vector: [-1, 0], embeddingGeneration: GENERATION };
    await store.memories.update({ tenant, id: idOf(2) }, { content: away }, rulesAt(NOW));
    const { path, ids } = await search(store, tenant, { limit: 2 });
    expect([path, ids]).toEqual(['VectorIndex', [3, 4].map(idOf)]);
  });

  it('VEC-29: a memory that lost its vector is not found, whatever the index returns', async () => {
    await using store = await fixture().open();
    const tenant = newTenant();
    await addFan(store, tenant, 2);
    await fixture().peer.refresh();
    const bare = newContent('Not embedded yet.');
    await store.memories.update({ tenant, id: idOf(1) }, { content: bare }, rulesAt(NOW));
    for (const now of [NOW, LATER]) {
      expect((await search(store, tenant, { now, limit: 1 })).ids).toEqual([idOf(2)]);
    }
  });

  it('VEC-30: deleted memories do not reduce the number of results', async () => {
    await using store = await fixture().open();
    const tenant = newTenant();
    await addFan(store, tenant, 150);
    await fixture().peer.refresh();
    const gone = Array.from({ length: 120 }, (_, at) => ({ tenant, id: idOf(at + 1) }));
    await store.memories.deleteMany(gone, rulesAt(NOW));
    const { path, ids } = await search(store, tenant, { now: LATER, limit: 5 });
    expect([path, ids]).toEqual(['VectorIndex', [121, 122, 123, 124, 125].map(idOf)]);
    const limits = searchesOf(fixture().peer).map(({ query }) => Number(query['limit']));
    expect(limits.length).toBeLessThanOrEqual(3);
  });

  it('VEC-31: a memory that is deleted during a search is not returned', async () => {
    await using store = await fixture().open();
    const tenant = newTenant();
    await addFan(store, tenant, 2);
    await fixture().peer.refresh();
    const held = fixture().peer.failNext('$vectorSearch', 'Hold');
    const answer = search(store, tenant, { now: LATER });
    await held.arrived;
    await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
    held.release();
    expect(await answer).toEqual({ path: 'VectorIndex', ids: [idOf(2)] });
  });

  it('VEC-32: after a large import, vectors are scanned until the index has them', async () => {
    await using store = await fixture().open();
    const tenant = newTenant();
    await addFan(store, tenant, RECENT_MAX + 1);
    const soon = await search(store, tenant, { limit: 1 });
    expect(soon).toEqual({ path: 'CandidateIds', ids: [idOf(1)] });
    await fixture().peer.refresh();
    const later = await search(store, tenant, { limit: 1, now: LATER });
    expect(later).toEqual({ path: 'VectorIndex', ids: [idOf(1)] });
  });

  describe('if commands fail', () => {
    it.each(['Request', 'Answer'] as const)(
      'VEC-33: a search is repeated if the connection is cut at the %s',
      async (cut) => {
        await using store = await fixture().open();
        const tenant = newTenant();
        await addFan(store, tenant, 2);
        fixture().peer.failNext('$vectorSearch', cut);
        expect(await search(store, tenant)).toEqual({ path: 'VectorIndex', ids: [1, 2].map(idOf) });
      },
    );

    it.each([
      ['MaxTimeMSExpired', 'TIMEOUT'],
      ['NotWritablePrimary', 'PROVIDER_ERROR'],
    ] as const)(
      'VEC-34: %s becomes a %s, and neither error nor log shows the query vector',
      async (failure, code) => {
        await using store = await fixture().open();
        const tenant = newTenant();
        await addFan(store, tenant, 2);
        // The driver asks once more by itself.
        for (let times = 0; times < 2; times += 1)
          fixture().peer.failNext('$vectorSearch', failure);
        const vector = [0.123_456, 0.654_321];
        const query = byVector(vector);
        const error = await store.memories.search(userScope(tenant), query).then(
          () => null,
          (reason: unknown) => reason,
        );
        expect(error).toMatchObject({ code });
        const said = [JSON.stringify(error), String(error), ...fixture().lines].join('\n');
        expect(said).not.toContain('0.123');
      },
    );

    it('VEC-35: a listing of indexes that fails once at open is repeated', async () => {
      fixture().peer.failNext('$listSearchIndexes', 'Answer');
      await using store = await fixture().open();
      expect(store.capabilities.vectorSearch).toBe('Index');
    });

    it('VEC-38: a refused listing of indexes is a finding, and searches compare every vector', async () => {
      // At open, for the generation in use, at the first search, by health; the driver asks twice.
      for (let times = 0; times < 2 * 4; times += 1) {
        fixture().peer.failNext('$listSearchIndexes', 'NotWritablePrimary');
      }
      await using store = await fixture().open();
      const tenant = newTenant();
      await addFan(store, tenant, 2);
      fixture().letTimePass();
      expect(await search(store, tenant)).toEqual({ path: 'CandidateIds', ids: [1, 2].map(idOf) });
      expect((await store.health()).findings).toEqual([
        expect.stringContaining(`${INDEX} (NotWritablePrimary)`),
      ]);
      fixture().letTimePass();
      await search(store, tenant);
      await fixture().peer.finishBuilds();
      fixture().letTimePass();
      expect((await search(store, tenant)).path).toBe('VectorIndex');
    });

    it.each(['createSearchIndexes', 'updateSearchIndex'])(
      'VEC-36: a refused %s is a finding, and the store still opens',
      async (command) => {
        if (command === 'updateSearchIndex') {
          await (await fixture().open({ vectorSearch: threeDimensions() }))[Symbol.asyncDispose]();
        }
        fixture().peer.failNext(command, 'NotWritablePrimary');
        await using store = await fixture().open();
        const { findings } = await store.health();
        expect(findings).toEqual([expect.stringContaining(INDEX)]);
      },
    );
  });
});

function threeDimensions() {
  return { generations: [{ generation: GENERATION, dimensions: 3 }] };
}
