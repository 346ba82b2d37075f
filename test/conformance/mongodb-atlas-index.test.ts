/** A vector index that is missing, built, behind, broken or changed: searches lose nothing. */
import { Binary, MongoClient } from 'mongodb';
import { describe, expect, it } from 'vitest';

import { desiredIndex } from '#providers/mongodb/vector-index/index-definition.ts';
import { CHECK_MS, POLLS_MAX } from '#providers/mongodb/vector-index/vector-indexes.ts';
import { startAtlasPeer } from '#test/cluster/atlas-peer/atlas-peer.ts';
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
import { dropDatabase } from './mongodb-adapter.ts';
import { idOf, NOW, rulesAt, userScope } from './samples.ts';
import { byVector, embedded, GENERATION } from './search-samples.ts';

describeUnless(await missingForOwnMongodb())('the vector index', () => {
  const fixture = atlasFixture();

  describe('creation and updates', () => {
    it('VEC-16: an index is created at open, and the log says that the store waits for it', async () => {
      await using store = await fixture().open();
      expect(store.capabilities.vectorSearch).toBe('Index');
      expect(fixture().lines.join('\n')).toContain(
        `waiting for the vector index {"index":"${INDEX}"`,
      );
      expect(await store.health()).toMatchObject({ ok: true, findings: [] });
      const [listed] = await fixture().withMemories((memories) =>
        memories.listSearchIndexes().toArray(),
      );
      expect(listed).toMatchObject({
        name: INDEX,
        latestDefinition: desiredIndex(GENERATION, 2).definition,
      });
    });

    it('VEC-17: a slow build is a finding, and searches compare every vector meanwhile', async () => {
      let pauses = 0;
      const pause = () => {
        pauses += 1;
        return Promise.resolve();
      };
      await using store = await fixture().open({ vectorSearch: { pause } });
      expect(pauses).toBe(POLLS_MAX);
      const { ok, findings } = await store.health();
      expect(ok).toBe(false);
      expect(findings).toEqual([expect.stringContaining(`${INDEX} is being built; wait`)]);
      const tenant = newTenant();
      await addFan(store, tenant, 3);
      const before = await search(store, tenant);
      expect(before).toEqual({ path: 'CandidateIds', ids: [1, 2, 3].map(idOf) });
      await fixture().peer.finishBuilds();
      fixture().letTimePass();
      expect(await search(store, tenant)).toEqual({ ...before, path: 'VectorIndex' });
      expect(await store.health()).toMatchObject({ ok: true });
    });

    it('VEC-18: an index that was not named at open is created by the first search', async () => {
      await using store = await fixture().open({ vectorSearch: { generations: [] } });
      const tenant = newTenant();
      await addFan(store, tenant, 2);
      expect((await search(store, tenant)).path).toBe('CandidateIds');
      await fixture().peer.finishBuilds();
      fixture().letTimePass();
      expect(await search(store, tenant)).toEqual({ path: 'VectorIndex', ids: [1, 2].map(idOf) });
    });

    it('VEC-19: processes that open at the same time create one index', async () => {
      const stores = await Promise.all([fixture().open(), fixture().open(), fixture().open()]);
      const listed = await fixture().withMemories((memories) =>
        memories.listSearchIndexes().toArray(),
      );
      expect(listed.map(({ name }) => name)).toEqual([INDEX]);
      for (const store of stores) await store[Symbol.asyncDispose]();
    });

    it('VEC-20: an older definition is updated, keeps extra fields, and is not used meanwhile', async () => {
      const [vector, ...filters] = desiredIndex(GENERATION, 2).definition.fields;
      const older = { fields: [vector, filters[0], { type: 'filter', path: 'extra' }] };
      await (await fixture().open({ vectorSearch: { generations: [] } }))[Symbol.asyncDispose]();
      await fixture().withMemories((memories) =>
        memories.createSearchIndex({ name: INDEX, type: 'vectorSearch', definition: older }),
      );
      await fixture().peer.finishBuilds();
      await using store = await fixture().open({
        vectorSearch: { pause: () => Promise.resolve() },
      });
      const tenant = newTenant();
      await addFan(store, tenant, 2);
      expect((await store.health()).findings).toEqual([
        expect.stringContaining('is being rebuilt'),
      ]);
      expect((await search(store, tenant)).path).toBe('CandidateIds');
      await fixture().peer.finishBuilds();
      fixture().letTimePass();
      expect((await search(store, tenant)).path).toBe('VectorIndex');
      const [listed] = await fixture().withMemories((memories) =>
        memories.listSearchIndexes().toArray(),
      );
      const kept = expect.arrayContaining([{ type: 'filter', path: 'extra' }]);
      expect(listed).toMatchObject({ latestDefinition: { fields: kept } });
    });

    it('VEC-21: new dimensions update the index, and a query of another length is refused', async () => {
      await (await fixture().open({ vectorSearch: threeDimensions() }))[Symbol.asyncDispose]();
      await using store = await fixture().open();
      const tenant = newTenant();
      await addFan(store, tenant, 2);
      expect((await search(store, tenant)).path).toBe('VectorIndex');
      const query = byVector([1, 0, 0]);
      await expect(store.memories.search(userScope(tenant), query)).rejects.toMatchObject({
        code: 'INVALID_INPUT',
        details: { expected: 2, found: 3 },
      });
    });

    it('VEC-22: without the search process, searches compare every vector and capabilities say so', async () => {
      await using bare = await startAtlasPeer(fixture().serverUri, { searchEnabled: false });
      for (const [uri, subtype] of [
        [bare.uri, Binary.SUBTYPE_VECTOR],
        [fixture().serverUri, Binary.SUBTYPE_DEFAULT],
      ] as const) {
        await using store = await fixture().open({
          uri,
          database: `${fixture().database}-${String(subtype)}`,
        });
        expect(store.capabilities.vectorSearch).toBe('Exact');
        expect(await store.health()).toMatchObject({ ok: true });
        const tenant = newTenant();
        await addFan(store, tenant, 2);
        expect(await search(store, tenant)).toEqual({
          path: 'CandidateIds',
          ids: [1, 2].map(idOf),
        });
        await using client = new MongoClient(uri);
        const memories = client
          .db(`${fixture().database}-${String(subtype)}`)
          .collection('memories');
        const stored = await memories.findOne({}, { projection: { vectors: 1 } });
        expect(stored?.['vectors'][GENERATION].sub_type).toBe(subtype);
        await dropDatabase(uri, `${fixture().database}-${String(subtype)}`);
      }
    });
  });

  describe('bad states', () => {
    const STATES = [
      ['FAILED', 'failed: The build failed'],
      ['STALE', 'no longer follows the collection'],
    ] as const;

    it.each(STATES)(
      'VEC-23: an index that is %s is a finding and is not used',
      async (status, finding) => {
        await using store = await fixture().open();
        const tenant = newTenant();
        await addFan(store, tenant, 3);
        await fixture().peer.refresh();
        expect((await search(store, tenant, { now: LATER })).path).toBe('VectorIndex');
        fixture().peer.markIndex(INDEX, status);
        await store.memories.add(embedded(tenant, 4, EAST), rulesAt(NOW));
        fixture().letTimePass();
        const expected = { path: 'CandidateIds', ids: [1, 2, 3, 4].map(idOf) };
        expect(await search(store, tenant, { now: LATER })).toEqual(expected);
        expect((await store.health()).findings).toEqual([expect.stringContaining(finding)]);
      },
    );

    it('VEC-24: an index that fails between two checks does not fail a search', async () => {
      await using store = await fixture().open();
      const tenant = newTenant();
      await addFan(store, tenant, 2);
      await fixture().peer.refresh();
      await search(store, tenant);
      fixture().peer.markIndex(INDEX, 'FAILED');
      expect(await search(store, tenant)).toEqual({ path: 'CandidateIds', ids: [1, 2].map(idOf) });
    });

    it('VEC-25: a dropped index, which returns no error, is noticed and created again', async () => {
      await using store = await fixture().open();
      const tenant = newTenant();
      await addFan(store, tenant, 2);
      await fixture().peer.refresh();
      const expected = [1, 2].map(idOf);
      expect(await search(store, tenant, { now: LATER })).toEqual({
        path: 'VectorIndex',
        ids: expected,
      });
      await fixture().withMemories((memories) => memories.dropSearchIndex(INDEX));
      expect((await store.health()).findings).toEqual([expect.stringContaining('is missing')]);
      // Sooner than the next look: what tells is that nothing was found.
      fixture().letTimePass(CHECK_MS / 2);
      expect(await search(store, tenant, { now: LATER })).toEqual({
        path: 'CandidateIds',
        ids: expected,
      });
      await fixture().peer.finishBuilds();
      fixture().letTimePass();
      expect((await search(store, tenant, { now: LATER })).path).toBe('VectorIndex');
    });

    it('VEC-26: a search with a metadata filter does not use the index', async () => {
      await using store = await fixture().open();
      const tenant = newTenant();
      await store.memories.add(embedded(tenant, 1, EAST, { metadata: { n: 1 } }), rulesAt(NOW));
      const before = searchesOf(fixture().peer).length;
      const filter = { field: 'n', eq: 1 };
      const query = byVector(EAST, { conditions: { filter } });
      const { candidates, path } = await store.memories.search(userScope(tenant), query);
      expect(candidates.map(({ memory }) => memory.id)).toEqual([idOf(1)]);
      expect([path, searchesOf(fixture().peer).length]).toEqual(['CandidateIds', before]);
    });
  });
});

function threeDimensions() {
  return { generations: [{ generation: GENERATION, dimensions: 3 }] };
}
