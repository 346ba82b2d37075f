/** Equal memories become one, decided by the key; of two changes of one version, one wins. */
import { describe, expect, it } from 'vitest';

import { contentHash, sourceLane } from '#core/hash.ts';
import { memorySource } from '#core/sources/source.ts';
import type { AddRules } from '#core/ports/write-rules-and-outcomes.ts';
import { TAGS_MAX, type Memory } from '#core/records/memory.ts';

import { sharedStore, type Open } from './adapter.ts';
import { refresh } from './refresh.ts';
import { digest, idOf, memoryOf, newContent, NOW, rulesAt, userScope } from './samples.ts';
import { listedIds } from './search-samples.ts';

const CONCURRENT_ADDS = 200;
const CONCURRENT_UPDATES = 20;

/** The key that stands for "this content once in its scope". */
export function contentKey(content: string): string {
  return `content:${contentHash(digest, content)}`;
}

/** A memory that must exist once, whoever adds it. */
function once(tenant: string, n: number, content: string, differing: Partial<Memory> = {}) {
  return memoryOf(tenant, n, { content, key: contentKey(content), ...differing });
}

export function uniting(now: number): AddRules {
  return { ...rulesAt(now), onKey: 'Unite' };
}

export function deduplicationSuite(open: Open): void {
  describe('memories: deduplication', () => {
    uniteSuite(open);
  });
  describe('memories: content keys', () => {
    contentKeySuite(open);
  });
  describe('memories: concurrent changes', () => {
    concurrencySuite(open);
  });
}

function uniteSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-44: an equal memory is not added again, but adds its tags', async () => {
    const { store, tenant } = fixture();
    const first = await store.memories.add(once(tenant, 1, 'Tea.', { tags: ['b'] }), uniting(NOW));
    expect(first.deduplicated).toBe(false);
    const again = once(tenant, 2, 'Tea.', { tags: ['c', 'a', 'b'] });
    const second = await store.memories.add(again, uniting(NOW + 1));
    expect(second).toMatchObject({ deduplicated: true, record: { id: idOf(1), content: 'Tea.' } });
    expect(second.record.tags).toEqual(['a', 'b', 'c']);
    expect(await store.memories.get(tenant, idOf(1))).toEqual(second.record);
    expect(await store.memories.get(tenant, idOf(2))).toBeNull();
    expect(second.scope).toMatchObject({ sourceCount: 1, sourceHash: first.scope.sourceHash });
  });

  it.each([
    ['at a later time', { validFrom: NOW + 5 }, true, { validFrom: NOW + 5 }],
    ['at an earlier time', { validFrom: NOW - 5 }, true, { validFrom: NOW }],
    ['at a time to come', { validFrom: NOW + 50 }, true, { validFrom: NOW }],
    ['later, in a list', { validFrom: NOW + 5 }, false, { validFrom: NOW }],
    ['with an offset', { validFrom: NOW + 5, utcOffset: 60 }, true, { utcOffset: 60 }],
    ['with an expiry', { expiresAt: NOW + 99 }, true, { expiresAt: NOW + 99 }],
    ['without an expiry', { expiresAt: null }, true, { expiresAt: NOW + 999 }],
    ['with metadata', { metadata: { b: 2 } }, true, { metadata: { a: 1, b: 2 } }],
  ] as const)('a text added again %s', async (_how, differing, isSaidAgain, expected) => {
    const { store, tenant } = fixture();
    const known = { metadata: { a: 1 }, expiresAt: NOW + 999 };
    await store.memories.add(once(tenant, 1, 'Tea.', known), uniting(NOW));
    const rules = { ...uniting(NOW + 10), isSaidAgain };
    const { record } = await store.memories.add(once(tenant, 2, 'Tea.', differing), rules);
    expect(record).toMatchObject({ id: idOf(1), ...expected });
    expect(await store.memories.get(tenant, idOf(1))).toEqual(record);
  });

  it('a text added again that supersedes its first memory takes the key', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(once(tenant, 1, 'Tea.'), uniting(NOW));
    const rules = { ...uniting(NOW + 10), supersedes: [idOf(1)] };
    const again = once(tenant, 2, 'Tea.', { validFrom: NOW + 5 });
    const added = await store.memories.add(again, rules);
    expect(added).toMatchObject({ deduplicated: false, record: { id: idOf(2) } });
    expect(added.scope.sourceCount).toBe(1);
    expect(await store.memories.get(tenant, idOf(1))).toMatchObject({
      state: 'superseded',
      supersededBy: idOf(2),
      validTo: NOW + 5,
    });
    const third = await store.memories.add(once(tenant, 3, 'Tea.'), uniting(NOW + 20));
    expect(third).toMatchObject({ deduplicated: true, record: { id: idOf(2) } });
    await store.memories.delete({ tenant, id: idOf(2) }, rulesAt(NOW + 30));
    expect(await store.memories.get(tenant, idOf(1))).toMatchObject({ state: 'active' });
  });

  it('STORE-44: united tags stay within their maximum', async () => {
    const { store, tenant } = fixture();
    const tags = (from: number) =>
      Array.from({ length: TAGS_MAX }, (_, at) => `tag-${String(from + at).padStart(3, '0')}`);
    await store.memories.add(once(tenant, 1, 'Tea.', { tags: tags(0) }), uniting(NOW));
    const again = once(tenant, 2, 'Tea.', { tags: tags(32) });
    const { record } = await store.memories.add(again, uniting(NOW));
    expect(record.tags).toHaveLength(TAGS_MAX);
    expect(record.tags).toEqual(record.tags.toSorted());
  });

  it('STORE-44: a key with other content is refused, and the error names the holder', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1, { key: 'drink' }), uniting(NOW));
    const other = memoryOf(tenant, 2, { key: 'drink', content: 'Coffee.', tags: ['new'] });
    const add = store.memories.add(other, uniting(NOW));
    await expect(add).rejects.toMatchObject({ code: 'CONFLICT', details: { id: idOf(1) } });
    expect(await store.memories.get(tenant, idOf(1))).toMatchObject({ tags: [], version: 1 });
  });

  it('STORE-44: other content under a key replaces a cited memory if updates are allowed', async () => {
    const { store, tenant } = fixture();
    const rules = { ...rulesAt(NOW), onKey: 'Update' } as const;
    await store.memories.add(memoryOf(tenant, 1, { key: 'drink', tags: ['a'] }), rules);
    await refresh(store, userScope(tenant), NOW);
    const coffee = memoryOf(tenant, 2, {
      ...{ key: 'drink', content: 'Coffee.', tags: ['b'], metadata: { sure: true } },
      ...{ trust: 'observed', expiresAt: NOW + 9 },
    });
    const { record, scope, deduplicated } = await store.memories.add(coffee, rules);
    const held = { id: idOf(1), version: 2, tags: ['a', 'b'], supersededBy: null };
    expect(record).toEqual({ ...coffee, ...held });
    expect(deduplicated).toBe(false);
    expect(await store.memories.get(tenant, idOf(1))).toEqual(record);
    expect(scope).toMatchObject({
      sourceCount: 1,
      sourceHash: sourceLane(digest, memorySource(record)),
      nextExpiryAt: NOW + 9,
      droppedSources: [{ id: idOf(1), reason: 'SourceReplaced' }],
    });
    const [change] = await store.memories.history(
      { tenant, id: idOf(1) },
      { beforeVersion: null, limit: 1 },
    );
    expect(change).toMatchObject({ action: 'Updated', version: 2 });
  });

  it('STORE-44: an equal memory is refused if uniting is not allowed', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(once(tenant, 1, 'Tea.'), rulesAt(NOW));
    const add = store.memories.add(once(tenant, 2, 'Tea.', { tags: ['new'] }), rulesAt(NOW));
    await expect(add).rejects.toMatchObject({ code: 'CONFLICT', details: { id: idOf(1) } });
    expect(await store.memories.get(tenant, idOf(1))).toMatchObject({ tags: [] });
  });

  it('STORE-44: an expired memory gives up its key, and an equal one is added', async () => {
    const { store, tenant } = fixture();
    const ending = once(tenant, 1, 'Tea.', { expiresAt: NOW + 1, tags: ['old'] });
    await store.memories.add(ending, uniting(NOW));
    const { record, deduplicated } = await store.memories.add(
      once(tenant, 2, 'Tea.'),
      uniting(NOW + 1),
    );
    expect({ id: record.id, tags: record.tags, deduplicated }).toEqual({
      id: idOf(2),
      tags: [],
      deduplicated: false,
    });
    const old = await store.memories.get(tenant, idOf(1));
    expect(old).toMatchObject({ state: 'superseded', supersededBy: idOf(2) });
  });

  it('STORE-44: 200 concurrent equal adds create one memory with all tags', async () => {
    const { store, tenant } = fixture();
    const tagOf = (n: number) => `tag-${String(n % TAGS_MAX).padStart(2, '0')}`;
    const adds = Array.from({ length: CONCURRENT_ADDS }, (_, n) =>
      store.memories.add(once(tenant, n + 1, 'Tea.', { tags: [tagOf(n)] }), uniting(NOW)),
    );
    const outcomes = await Promise.all(adds);
    expect(outcomes.filter(({ deduplicated }) => !deduplicated)).toHaveLength(1);
    expect(new Set(outcomes.map(({ record }) => record.id)).size).toBe(1);
    const [id] = await listedIds(store, [userScope(tenant)]);
    const all = Array.from({ length: TAGS_MAX }, (_, n) => tagOf(n));
    expect(await store.memories.get(tenant, id ?? '')).toMatchObject({ tags: all });
    expect(await listedIds(store, [userScope(tenant)])).toHaveLength(1);
    expect(await store.scopes.get(userScope(tenant))).toMatchObject({ sourceCount: 1, changes: 1 });
  });
}

function contentKeySuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-45: a content key changes when the content is updated', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(once(tenant, 1, 'Tea.'), uniting(NOW));
    const key = { tenant, id: idOf(1) };
    const patch = { content: newContent('Coffee.') };
    const { record } = await store.memories.update(key, patch, rulesAt(NOW));
    expect(record.key).toBe(contentKey('Coffee.'));
    const same = await store.memories.add(once(tenant, 2, 'Coffee.'), uniting(NOW));
    expect(same).toMatchObject({ deduplicated: true, record: { id: idOf(1) } });
    const old = await store.memories.add(once(tenant, 3, 'Tea.'), uniting(NOW));
    expect(old).toMatchObject({ deduplicated: false, record: { id: idOf(3) } });
  });

  it('STORE-45: an update to the content of another memory is refused and changes nothing', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(once(tenant, 1, 'Tea.'), uniting(NOW));
    await store.memories.add(once(tenant, 2, 'Coffee.'), uniting(NOW));
    const before = await store.memories.get(tenant, idOf(2));
    const scope = await store.scopes.get(userScope(tenant));
    const patch = { content: newContent('Tea.'), tags: ['new'] };
    const update = store.memories.update({ tenant, id: idOf(2) }, patch, rulesAt(NOW));
    await expect(update).rejects.toMatchObject({ code: 'CONFLICT', details: { id: idOf(1) } });
    expect(await store.memories.get(tenant, idOf(2))).toEqual(before);
    const { sourceHash, changes } = await store.scopes.get(userScope(tenant));
    expect({ sourceHash, changes }).toEqual({
      sourceHash: scope.sourceHash,
      changes: scope.changes,
    });
  });

  it('STORE-45: an update of the content does not change a key that the caller chose', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1, { key: 'drink' }), rulesAt(NOW));
    const patch = { content: newContent('Coffee.') };
    const key = { tenant, id: idOf(1) };
    expect((await store.memories.update(key, patch, rulesAt(NOW))).record.key).toBe('drink');
  });
}

function concurrencySuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-6: one of many concurrent updates of a version succeeds, and the others conflict', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const settled = await Promise.allSettled(
      Array.from({ length: CONCURRENT_UPDATES }, (_, n) =>
        store.memories.update(
          { tenant, id: idOf(1) },
          { tags: [`writer-${n}`], expectedVersion: 1 },
          rulesAt(NOW),
        ),
      ),
    );
    const won = settled.flatMap((each) => (each.status === 'fulfilled' ? [each.value.record] : []));
    const lost = settled.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
    expect(won).toHaveLength(1);
    expect(await store.memories.get(tenant, idOf(1))).toEqual(won[0]);
    for (const reason of lost) expect(reason).toMatchObject({ code: 'CONFLICT' });
  });

  it('STORE-46: concurrent updates without a version are all made, one after another', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    await Promise.all(
      Array.from({ length: CONCURRENT_UPDATES }, (_, n) =>
        store.memories.update(
          { tenant, id: idOf(1) },
          { metadata: { [`field-${n}`]: n } },
          rulesAt(NOW),
        ),
      ),
    );
    const memory = await store.memories.get(tenant, idOf(1));
    expect(memory?.version).toBe(1 + CONCURRENT_UPDATES);
    expect(Object.keys(memory?.metadata ?? {})).toHaveLength(CONCURRENT_UPDATES);
  });

  it('STORE-46: concurrent adds to one scope are all kept and counted', async () => {
    const { store, tenant } = fixture();
    const adds = Array.from({ length: CONCURRENT_UPDATES }, (_, n) =>
      store.memories.add(memoryOf(tenant, n + 1), rulesAt(NOW)),
    );
    await Promise.all(adds);
    expect(await listedIds(store, [userScope(tenant)])).toHaveLength(CONCURRENT_UPDATES);
    const counts = { sourceCount: CONCURRENT_UPDATES, changes: CONCURRENT_UPDATES };
    expect(await store.scopes.get(userScope(tenant))).toMatchObject(counts);
  });
}
