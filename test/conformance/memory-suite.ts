/** The suite of `MemoryRecords`. */
import { describe, expect, it } from 'vitest';

import { xorHash, EMPTY_SOURCE_HASH, sourceLane } from '#core/hash.ts';
import { memorySource } from '#core/sources/source.ts';

import { sharedStore, type Open } from './adapter.ts';
import { expectCounts } from './agreement.ts';
import { WHOLE } from './history-suite.ts';
import { refresh } from './refresh.ts';
import {
  digest,
  HOUR_MS,
  idOf,
  memoryOf,
  MINUTE_MS,
  newContent,
  NOW,
  rulesAt,
  userScope,
} from './samples.ts';
import { byVector, embedded, found, listedIds } from './search-samples.ts';

export function memorySuite(open: Open): void {
  describe('memories: add and get', () => {
    addSuite(open);
  });
  describe('memories: keys', () => {
    keySuite(open);
  });
  describe('memories: update', () => {
    updateSuite(open);
  });
  describe('memories: delete', () => {
    deleteSuite(open);
  });
  describe('memories: nearest by vector', () => {
    nearestSuite(open);
  });
}

function addSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-02: an added memory is stored whole and returned', async () => {
    const { store, tenant } = fixture();
    const memory = memoryOf(tenant, 1, {
      tags: ['garden', 'Grün 🌱'],
      metadata: { depth: { of: ['nested', 1, null] } },
      embeddingGeneration: 'hash-1',
      vector: [0.5, -0.5, 0.25],
      validTo: NOW + HOUR_MS,
    });
    const { record } = await store.memories.add(memory, rulesAt(NOW));
    expect(record).toEqual(memory);
    expect(await store.memories.get(tenant, memory.id)).toEqual(memory);
  });

  it('MEM-07: reading an unknown id returns null', async () => {
    const { store, tenant } = fixture();
    expect(await store.memories.get(tenant, idOf(404))).toBeNull();
  });

  it('SUM-05: each added memory is a change, and enough changes make the scope due', async () => {
    const { store, tenant } = fixture();
    const marks = [];
    for (const n of [1, 2, 3]) {
      const { scope } = await store.memories.add(memoryOf(tenant, n), rulesAt(NOW + n));
      marks.push([scope.changes, scope.dueTrigger, scope.dueAt]);
    }
    const atInterval = NOW + 1 + 30 * MINUTE_MS;
    expect(marks).toEqual([
      [1, 'Interval', atInterval],
      [2, 'Interval', atInterval],
      [3, 'Changes', NOW + 3],
    ]);
  });

  it('STORE-1: the scope counts sources and tokens and includes each source in its hash', async () => {
    const { store, tenant } = fixture();
    const [a, b] = [memoryOf(tenant, 1, { tokenCount: 4 }), memoryOf(tenant, 2)];
    await store.memories.add(a, rulesAt(NOW));
    const { scope } = await store.memories.add(b, rulesAt(NOW));
    expect(scope).toEqual(await store.scopes.get(userScope(tenant)));
    expect(scope).toMatchObject({ sourceCount: 2, sourceTokens: 14, version: 2 });
    const lanes = [sourceLane(digest, memorySource(a)), sourceLane(digest, memorySource(b))];
    expect(scope.sourceHash).toBe(lanes.reduce(xorHash, EMPTY_SOURCE_HASH));
  });

  it.each([
    ['superseded', { state: 'superseded' }],
    ['quarantined', { state: 'quarantined' }],
    ['expired', { expiresAt: NOW }],
    ['no longer valid', { validTo: NOW - 1 }],
  ] as const)(
    'STORE-2: a memory that is %s is stored, but is not a source',
    async (_, differing) => {
      const { store, tenant } = fixture();
      const { scope } = await store.memories.add(memoryOf(tenant, 1, differing), rulesAt(NOW));
      expect(scope).toMatchObject({ sourceCount: 0, sourceHash: EMPTY_SOURCE_HASH, version: 0 });
      const gone = await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
      expect(gone?.scope).toMatchObject({ sourceCount: 0, sourceHash: EMPTY_SOURCE_HASH });
    },
  );

  it('STORE-3: adding an id that exists is refused and changes nothing', async () => {
    const { store, tenant } = fixture();
    const { scope } = await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const again = store.memories.add(memoryOf(tenant, 1, { content: 'Other.' }), rulesAt(NOW));
    await expect(again).rejects.toMatchObject({ code: 'CONFLICT', details: { id: idOf(1) } });
    expect(scope).toMatchObject({ sourceCount: 1 });
    expect(await store.scopes.get(userScope(tenant))).toEqual(scope);
  });
}

function keySuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-3: an id deleted in one scope can be added in another', async () => {
    const { store, tenant } = fixture();
    const rules = rulesAt(NOW);
    const [ann, bob] = [userScope(tenant, 'ann'), userScope(tenant, 'bob')];
    const key = { tenant, id: idOf(1) };
    // The scope that adds it last has the fewest writes behind it, then the most.
    for (const n of [2, 3, 4]) await store.memories.add(memoryOf(tenant, n, ann), rules);
    for (const scope of [ann, bob, ann, bob]) {
      const memory = memoryOf(tenant, 1, { ...scope, content: `Tea for ${scope.scopeId}.` });
      await store.memories.add(memory, rules);
      expect(await store.memories.get(tenant, key.id)).toEqual(memory);
      expect(await listedIds(store, [scope])).toContain(key.id);
      await expectCounts(store, scope, NOW);
      await store.memories.delete(key, rules);
      expect(await store.memories.get(tenant, key.id)).toBeNull();
      await expectCounts(store, scope, NOW);
    }
  });

  it('STORE-4: only one live memory of a scope can have a given key', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1, { key: 'city' }), rulesAt(NOW));
    const second = store.memories.add(memoryOf(tenant, 2, { key: 'city' }), rulesAt(NOW));
    await expect(second).rejects.toMatchObject({ code: 'CONFLICT', details: { id: idOf(1) } });
    const elsewhere = memoryOf(tenant, 3, { key: 'city', scopeId: 'bob' });
    await store.memories.add(elsewhere, rulesAt(NOW));
    await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
    await store.memories.add(memoryOf(tenant, 4, { key: 'city' }), rulesAt(NOW));
    expect(await store.memories.get(tenant, idOf(4))).not.toBeNull();
  });

  it('STORE-5: an expired memory gives up its key and leaves the source hash', async () => {
    const { store, tenant } = fixture();
    const old = memoryOf(tenant, 1, { key: 'city', expiresAt: NOW + 1 });
    const next = memoryOf(tenant, 2, { key: 'city' });
    await store.memories.add(old, rulesAt(NOW));
    const { scope } = await store.memories.add(next, rulesAt(NOW + 1));
    expect(scope).toMatchObject({ sourceCount: 1, sourceTokens: 10 });
    expect(scope.sourceHash).toBe(sourceLane(digest, memorySource(next)));
    const before = await store.memories.get(tenant, idOf(1));
    expect(before).toMatchObject({ state: 'superseded', supersededBy: idOf(2), version: 2 });
  });

  it('STORE-5: a new memory supersedes the one that it ends in the same commit', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1, { key: 'city' }), rulesAt(NOW));
    await store.memories.add(memoryOf(tenant, 2, { scopeId: 'bob' }), rulesAt(NOW));
    await refresh(store, userScope(tenant), NOW);
    const next = memoryOf(tenant, 3, { validFrom: NOW + 5 });
    const supersedes = [idOf(1), idOf(2), idOf(9)];
    const { scope } = await store.memories.add(next, { ...rulesAt(NOW + 5), supersedes });
    expect(scope).toMatchObject({
      sourceCount: 1,
      sourceHash: sourceLane(digest, memorySource(next)),
    });
    expect(scope.droppedSources).toEqual([{ id: idOf(1), reason: 'SourceReplaced' }]);
    expect(await store.memories.get(tenant, idOf(1))).toMatchObject({
      state: 'superseded',
      supersededBy: idOf(3),
      validTo: NOW + 5,
      version: 2,
    });
    expect(await store.memories.get(tenant, idOf(2))).toMatchObject({ state: 'active' });
    await store.memories.add(memoryOf(tenant, 4, { key: 'city' }), rulesAt(NOW + 5));
    expect(await store.memories.get(tenant, idOf(4))).toMatchObject({ state: 'active' });
  });

  it('deleting a memory restores the one that only it had superseded', async () => {
    const { store, tenant } = fixture();
    const old = memoryOf(tenant, 1, { key: 'city' });
    await store.memories.add(old, rulesAt(NOW));
    await refresh(store, userScope(tenant), NOW);
    const ending = { ...rulesAt(NOW + 5), supersedes: [old.id] };
    await store.memories.add(memoryOf(tenant, 2, { validFrom: NOW + 5 }), ending);
    const gone = await store.memories.delete({ tenant, id: idOf(2) }, rulesAt(NOW + 6));
    expect(gone?.scope).toMatchObject({
      sourceCount: 1,
      sourceHash: sourceLane(digest, memorySource(old)),
    });
    expect(gone?.scope.unseenSources.map(({ id }) => id)).toContain(old.id);
    expect(await store.memories.get(tenant, old.id)).toEqual({
      ...old,
      version: 3,
      updatedAt: NOW + 6,
    });
    const history = await store.memories.history({ tenant, id: old.id }, WHOLE);
    expect(history.map(({ action }) => action)).toEqual(['Restored', 'Superseded', 'Added']);
    const another = store.memories.add(memoryOf(tenant, 3, { key: 'city' }), rulesAt(NOW + 7));
    await expect(another).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('a memory keeps its links to memories of its scope until either says something else', async () => {
    const { store, tenant } = fixture();
    for (const n of [1, 2, 3]) await store.memories.add(memoryOf(tenant, n), rulesAt(NOW));
    await store.memories.add(memoryOf(tenant, 4, { scopeId: 'bob' }), rulesAt(NOW));
    const mentions = [1, 2, 3, 4, 9].map(idOf);
    const { record } = await store.memories.add(memoryOf(tenant, 5, { mentions }), rulesAt(NOW));
    const links = async (n: number) => (await store.memories.get(tenant, idOf(n)))?.mentions;
    expect(record.mentions).toEqual([1, 2, 3].map(idOf));
    expect(await links(5)).toEqual(record.mentions);
    expect(await store.memories.get(tenant, idOf(1))).toEqual(memoryOf(tenant, 1));
    await store.memories.delete({ tenant, id: idOf(1) }, rulesAt(NOW));
    expect(await links(5)).toEqual([2, 3].map(idOf));
    const key = { tenant, id: idOf(2) };
    await store.memories.update(key, { tags: ['garden'] }, rulesAt(NOW));
    expect(await links(5)).toEqual([2, 3].map(idOf));
    await store.memories.update(key, { content: newContent('Ann sold it.') }, rulesAt(NOW));
    expect(await links(5)).toEqual([idOf(3)]);
    await store.memories.delete({ tenant, id: idOf(3) }, rulesAt(NOW));
    expect(await store.memories.get(tenant, idOf(5))).not.toHaveProperty('mentions');
  });

  it('a memory that says something else keeps no links of its own', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const linked = memoryOf(tenant, 2, { mentions: [idOf(1)] });
    await store.memories.add(linked, rulesAt(NOW));
    const content = newContent('Ann sold it.');
    await store.memories.update({ tenant, id: idOf(2) }, { content }, rulesAt(NOW));
    expect(await store.memories.get(tenant, idOf(2))).not.toHaveProperty('mentions');
  });

  it('a memory superseded by two others is restored once both are deleted', async () => {
    const { store, tenant } = fixture();
    const state = async (n: number) => {
      const found = await store.memories.get(tenant, idOf(n));
      return [found?.state, found?.supersededBy];
    };
    for (const n of [1, 2, 3]) {
      const supersedes = n === 1 ? [] : [idOf(n - 1)];
      await store.memories.add(memoryOf(tenant, n), { ...rulesAt(NOW + n), supersedes });
    }
    await store.memories.delete({ tenant, id: idOf(2) }, rulesAt(NOW + 4));
    expect(await state(1)).toEqual(['superseded', idOf(3)]);
    await store.memories.delete({ tenant, id: idOf(3) }, rulesAt(NOW + 5));
    expect(await state(1)).toEqual(['active', null]);
  });

  it('a restored memory that expired is not a source, and a key taken by another is lost', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1, { expiresAt: NOW + 3 }), rulesAt(NOW));
    await store.memories.add(memoryOf(tenant, 2, { key: 'city' }), rulesAt(NOW));
    const supersedes = [idOf(1), idOf(2)];
    await store.memories.add(memoryOf(tenant, 3), { ...rulesAt(NOW + 1), supersedes });
    const taken = memoryOf(tenant, 4, { key: 'city' });
    await store.memories.add(taken, rulesAt(NOW + 2));
    const gone = await store.memories.delete({ tenant, id: idOf(3) }, rulesAt(NOW + 4));
    expect(gone?.scope.sourceCount).toBe(2);
    expect(await store.memories.get(tenant, idOf(2))).toMatchObject({ state: 'active', key: null });
    expect(await store.memories.get(tenant, idOf(4))).toEqual(taken);
  });

  it('STORE-5: a cited memory that gave up its key is recorded as dropped once', async () => {
    const { store, tenant } = fixture();
    const next = memoryOf(tenant, 2, { key: 'city' });
    const old = memoryOf(tenant, 1, { key: 'city', expiresAt: NOW + 1 });
    await store.memories.add(old, rulesAt(NOW));
    await refresh(store, userScope(tenant), NOW);
    await store.memories.add(next, rulesAt(NOW + 1));
    const gone = await store.memories.delete({ tenant, id: old.id }, rulesAt(NOW + 1));
    expect(gone?.scope).toMatchObject({
      sourceCount: 1,
      sourceHash: sourceLane(digest, memorySource(next)),
    });
    expect(gone?.scope.droppedSources).toEqual([{ id: old.id, reason: 'SourceDeleted' }]);
  });
}

function updateSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-08: new content gets a new vector, version, and time', async () => {
    const { store, tenant } = fixture();
    const memory = memoryOf(tenant, 1, { embeddingGeneration: 'hash-1', vector: [1, 0] });
    await store.memories.add(memory, rulesAt(NOW));
    const content = { ...newContent('New.'), vector: [0, 1], embeddingGeneration: 'hash-2' };
    const { record } = await store.memories.update(
      { tenant, id: memory.id },
      { content },
      rulesAt(NOW + 5),
    );
    expect(record).toEqual({ ...memory, ...content, version: 2, updatedAt: NOW + 5 });
    expect(await store.memories.get(tenant, memory.id)).toEqual(record);
  });

  it('MEM-09: metadata is merged, null removes a field, and the scope does not change', async () => {
    const { store, tenant } = fixture();
    const metadata = { kept: 1, changed: 1, removed: 1 };
    const { scope } = await store.memories.add(memoryOf(tenant, 1, { metadata }), rulesAt(NOW));
    const outcome = await store.memories.update(
      { tenant, id: idOf(1) },
      { tags: ['new'], metadata: { changed: 2, removed: null, added: false } },
      rulesAt(NOW + 5),
    );
    expect(outcome.record).toMatchObject({ tags: ['new'], version: 2, updatedAt: NOW + 5 });
    expect(outcome.record.metadata).toEqual({ kept: 1, changed: 2, added: false });
    expect(outcome.scope).toEqual(scope);
  });

  it.each([
    ['nothing', {}],
    ['its tags', { tags: ['a', 'b'] }],
    ['a part of its metadata', { metadata: { of: { a: 1, b: 2 } } }],
    ['no value for a field it lacks', { metadata: { gone: null } }],
    ['its text', { content: newContent('Tea.') }],
    ['its version', { expectedVersion: 1 }],
    ['all of it', { tags: ['a', 'b'], metadata: { n: 1 }, content: newContent('Tea.') }],
  ])('an update with %s changes nothing', async (_what, patch) => {
    const { store, tenant } = fixture();
    const metadata = { n: 1, of: { b: 2, a: 1 } };
    const memory = memoryOf(tenant, 1, { content: 'Tea.', tags: ['a', 'b'], metadata });
    await store.memories.add(memory, rulesAt(NOW));
    await refresh(store, userScope(tenant), NOW);
    const scope = await store.scopes.get(userScope(tenant));
    const key = { tenant, id: memory.id };
    const outcome = await store.memories.update(key, patch, rulesAt(NOW + 5));
    expect(outcome).toEqual({ record: memory, scope });
    expect(await store.memories.get(tenant, memory.id)).toEqual(memory);
    expect(await store.scopes.get(userScope(tenant))).toEqual(scope);
    expect(await store.memories.history(key, WHOLE)).toMatchObject([{ action: 'Added' }]);
  });

  it.each([
    ['other tags', { tags: ['b', 'a'] }],
    ['fewer tags', { tags: ['a'] }],
    ['another value', { metadata: { n: 2 } }],
    ['one field less', { metadata: { n: null } }],
    ['another text', { content: newContent('Tea!') }],
  ])('an update with %s is a new version', async (_what, patch) => {
    const { store, tenant } = fixture();
    const differing = { content: 'Tea.', tags: ['a', 'b'], metadata: { n: 1 } };
    await store.memories.add(memoryOf(tenant, 1, differing), rulesAt(NOW));
    const { record } = await store.memories.update({ tenant, id: idOf(1) }, patch, rulesAt(NOW));
    expect(record.version).toBe(2);
  });

  it('an update with nothing that expects another version is refused', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const key = { tenant, id: idOf(1) };
    const update = store.memories.update(key, { expectedVersion: 2 }, rulesAt(NOW));
    await expect(update).rejects.toMatchObject({ code: 'CONFLICT' });
  });

  it('an update of an unknown id is refused', async () => {
    const { store, tenant } = fixture();
    const update = store.memories.update({ tenant, id: idOf(404) }, { tags: [] }, rulesAt(NOW));
    await expect(update).rejects.toMatchObject({ code: 'MEMORY_NOT_FOUND' });
  });

  it('STORE-6: an update that expects another version is refused and changes nothing', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const key = { tenant, id: idOf(1) };
    const patch = { tags: ['first'], expectedVersion: 1 };
    await store.memories.update(key, patch, rulesAt(NOW));
    const late = store.memories.update(key, { ...patch, tags: ['late'] }, rulesAt(NOW));
    await expect(late).rejects.toMatchObject({ code: 'CONFLICT', details: { version: 2 } });
    expect(await store.memories.get(tenant, idOf(1))).toMatchObject({ tags: ['first'] });
  });

  it('SUM-19: changed content changes the source hash and the tokens, but not the count', async () => {
    const { store, tenant } = fixture();
    const memory = memoryOf(tenant, 1);
    await store.memories.add(memory, rulesAt(NOW));
    const content = newContent(`${memory.content} Roses.`, 12);
    const key = { tenant, id: memory.id };
    const { scope } = await store.memories.update(key, { content }, rulesAt(NOW));
    expect(scope).toMatchObject({ sourceCount: 1, sourceTokens: 12, changes: 2 });
    expect(scope.sourceHash).toBe(sourceLane(digest, memorySource({ ...memory, ...content })));
    expect(scope.droppedSources).toEqual([]);
  });

  it('changing one word of a cited memory drops it and marks it as unseen', async () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    const memory = memoryOf(tenant, 1, { content: 'Ann lives in Porto with two cats and a dog.' });
    await store.memories.add(memory, rulesAt(NOW));
    await refresh(store, scope, NOW);
    const key = { tenant, id: idOf(1) };
    const content = newContent('Ann lives in Braga with two cats and a dog.');
    const { scope: after } = await store.memories.update(key, { content }, rulesAt(NOW));
    expect(after).toMatchObject({
      droppedSources: [{ id: idOf(1), reason: 'SourceReplaced' }],
      unseenSources: [{ id: idOf(1), change: 1 }],
    });
    const spaces = { content: newContent(` ${content.content}\r\n`) };
    expect((await store.memories.update(key, spaces, rulesAt(NOW))).scope).toEqual(after);
    const ids = ['unknown', idOf(1)];
    expect(await store.scopes.sourcesById(scope, ids, NOW)).toMatchObject([
      { id: idOf(1), text: spaces.content.content },
    ]);
    expect(await store.scopes.sourcesById(userScope(tenant, 'bob'), ids, NOW)).toEqual([]);
    await refresh(store, scope, NOW);
    expect(await store.scopes.get(scope)).toMatchObject({ droppedSources: [], unseenSources: [] });
  });

  it('replacing a cited memory drops it from the summary and makes the scope urgent', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    await refresh(store, userScope(tenant), NOW);
    const content = newContent('Nothing of it remains.');
    const key = { tenant, id: idOf(1) };
    const { scope } = await store.memories.update(key, { content }, rulesAt(NOW + MINUTE_MS));
    expect(scope.droppedSources).toEqual([{ id: idOf(1), reason: 'SourceReplaced' }]);
    expect(scope).toMatchObject({ dueTrigger: 'Urgent', urgentAt: NOW + MINUTE_MS });
  });
}

function deleteSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('MEM-11: deleting an unknown id returns null', async () => {
    const { store, tenant } = fixture();
    expect(await store.memories.delete({ tenant, id: idOf(404) }, rulesAt(NOW))).toBeNull();
  });

  it('STORE-7: a deleted memory is gone with its vector and its share of the scope', async () => {
    const { store, tenant } = fixture();
    const memory = memoryOf(tenant, 1, { embeddingGeneration: 'hash-1', vector: [1, 0] });
    await store.memories.add(memory, rulesAt(NOW));
    const gone = await store.memories.delete({ tenant, id: memory.id }, rulesAt(NOW));
    expect(gone?.record).toEqual(memory);
    expect(gone?.scope).toMatchObject({ sourceCount: 0, sourceTokens: 0, changes: 2 });
    expect(gone?.scope.sourceHash).toBe(EMPTY_SOURCE_HASH);
    expect(await store.memories.get(tenant, memory.id)).toBeNull();
    expect(await found(store, userScope(tenant), byVector([1, 0]))).toEqual([]);
    await store.memories.add(memory, rulesAt(NOW));
    expect(await found(store, userScope(tenant), byVector([1, 0]))).toHaveLength(1);
  });

  it('SUM-20: deleting a cited memory makes the scope urgent, but deleting an uncited one does not', async () => {
    const { store, tenant } = fixture();
    for (const n of [1, 2]) await store.memories.add(memoryOf(tenant, n), rulesAt(NOW));
    await refresh(store, userScope(tenant), NOW);
    await store.memories.add(memoryOf(tenant, 3), rulesAt(NOW));
    const later = rulesAt(NOW + MINUTE_MS, 10);
    const uncited = await store.memories.delete({ tenant, id: idOf(3) }, later);
    expect(uncited?.scope).toMatchObject({ droppedSources: [], urgentAt: null });
    const cited = await store.memories.delete({ tenant, id: idOf(2) }, later);
    expect(cited?.scope.droppedSources).toEqual([{ id: idOf(2), reason: 'SourceDeleted' }]);
    expect(cited?.scope).toMatchObject({ dueTrigger: 'Urgent', urgentAt: NOW + MINUTE_MS });
  });
}

function nearestSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-8: a vector search returns the nearest live memories, up to the limit', async () => {
    const { store, tenant } = fixture();
    const memories = [
      embedded(tenant, 1, [0, 1]),
      embedded(tenant, 2, [1, 0]),
      embedded(tenant, 3, [1, 1]),
      embedded(tenant, 4, [1, 0], { expiresAt: NOW }),
      embedded(tenant, 5, [1, 0], { scopeId: 'bob' }),
      embedded(tenant, 6, [1, 0], { embeddingGeneration: 'hash-2' }),
    ];
    for (const memory of memories) await store.memories.add(memory, rulesAt(NOW - 1));
    const query = byVector([1, 0], { limit: 2 });
    const { candidates } = await store.memories.search(userScope(tenant), query);
    const cosines = new Map(candidates.map(({ memory, cosine }) => [memory.id, cosine]));
    expect([...cosines.keys()].toSorted()).toEqual([2, 3].map(idOf));
    expect(cosines.get(idOf(2))).toBeCloseTo(1, 6);
    expect(cosines.get(idOf(3))).toBeCloseTo(Math.SQRT1_2, 6);
    expect(await found(store, userScope(tenant, 'bob'), query)).toEqual([idOf(5)]);
  });

  it('STORE-9: a query vector of another length is refused', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(embedded(tenant, 1, [1, 0]), rulesAt(NOW));
    const search = store.memories.search(userScope(tenant), byVector([1, 0, 0]));
    await expect(search).rejects.toMatchObject({ code: 'INVALID_INPUT' });
  });
}
