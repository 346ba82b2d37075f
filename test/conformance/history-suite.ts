/** The suite of histories: exactly the changes that were made, with who made each and when. */
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import type { MemoryChange } from '#core/records/memory.ts';

import { sharedStore, type Open } from './adapter.ts';
import { uniting } from './deduplication-suite.ts';
import { embedded } from './search-samples.ts';
import { idOf, memoryOf, newContent, NOW, rulesAt } from './samples.ts';

export const WHOLE = { beforeVersion: null, limit: 100 };

function ruled(now: number, by: string) {
  return { ...rulesAt(now), by };
}

/** The changes of the first memory, the newest first, by what tells them apart. */
async function changesOf(store: Store, tenant: string, n = 1): Promise<unknown[]> {
  const changes = await store.memories.history({ tenant, id: idOf(n) }, WHOLE);
  return changes.map(({ version, action, principal, at }) => [version, action, principal, at]);
}

export function historySuite(open: Open): void {
  describe('memories: history', () => {
    changeSuite(open);
  });
  describe('memories: changes that are not in the history', () => {
    refusalSuite(open);
  });
}

function changeSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-47: every change records who made it and when, newest first', async () => {
    const { store, tenant } = fixture();
    const key = { tenant, id: idOf(1) };
    await store.memories.add(memoryOf(tenant, 1), ruled(NOW, 'ann'));
    await store.memories.update(key, { tags: ['new'] }, ruled(NOW + 1, 'bob'));
    await store.memories.update(key, { content: newContent('New.') }, rulesAt(NOW + 2));
    await store.memories.delete(key, ruled(NOW + 3, 'eve'));
    expect(await changesOf(store, tenant)).toEqual([
      [4, 'Deleted', 'eve', NOW + 3],
      [3, 'Updated', 'varve', NOW + 2],
      [2, 'Updated', 'bob', NOW + 1],
      [1, 'Added', 'ann', NOW],
    ]);
  });

  it('STORE-47: a change keeps the previous values of only the fields it changed', async () => {
    const { store, tenant } = fixture();
    const key = { tenant, id: idOf(1) };
    const memory = memoryOf(tenant, 1, { tags: ['old'], metadata: { depth: 1, kept: true } });
    await store.memories.add(memory, rulesAt(NOW));
    await store.memories.update(key, { tags: ['new'] }, rulesAt(NOW + 1));
    await store.memories.update(key, { metadata: { depth: 2 } }, rulesAt(NOW + 2));
    await store.memories.update(key, { content: newContent('New.') }, rulesAt(NOW + 3));
    const [content, metadata, tags] = await store.memories.history(key, WHOLE);
    expect(content?.before).toMatchObject({
      content: memory.content,
      contentHash: memory.contentHash,
    });
    expect(metadata?.before).toMatchObject({ metadata: { depth: 1, kept: true } });
    expect(tags?.before).toMatchObject({ tags: ['old'] });
    expect(Object.keys(tags?.before ?? {})).not.toContain('content');
    expect(Object.keys(content?.before ?? {})).not.toContain('tags');
  });

  it('STORE-47: a history names the scope and contains no vectors', async () => {
    const { store, tenant } = fixture();
    const key = { tenant, id: idOf(1) };
    const memory = embedded(tenant, 1, [0.5, 0.5]);
    await store.memories.add(memory, rulesAt(NOW));
    await store.memories.update(key, { content: newContent('New.') }, rulesAt(NOW));
    const changes = await store.memories.history(key, WHOLE);
    const { layer, scopeId } = memory;
    for (const change of changes) {
      expect(change).toMatchObject({ tenant, memoryId: memory.id, layer, scopeId });
      expect(Object.keys(change.before)).not.toContain('vector');
    }
  });

  it('STORE-47: uniting tags and giving up a key are changes too', async () => {
    const { store, tenant } = fixture();
    const ending = { key: 'k', content: 'Tea.', expiresAt: NOW + 5 };
    await store.memories.add(memoryOf(tenant, 1, ending), uniting(NOW));
    await store.memories.add(memoryOf(tenant, 2, { ...ending, tags: ['t'] }), uniting(NOW + 1));
    await store.memories.add(memoryOf(tenant, 3, ending), ruled(NOW + 5, 'ann'));
    expect(await changesOf(store, tenant)).toEqual([
      [3, 'Superseded', 'ann', NOW + 5],
      [2, 'United', 'varve', NOW + 1],
      [1, 'Added', 'varve', NOW],
    ]);
    expect(await changesOf(store, tenant, 2)).toEqual([]);
  });

  it('STORE-47: a history includes bulk changes', async () => {
    const { store, tenant } = fixture();
    const memories = [1, 2].map((n) => memoryOf(tenant, n));
    await store.memories.addMany(memories, ruled(NOW, 'ann'));
    await store.memories.deleteMany([{ tenant, id: idOf(2) }], ruled(NOW + 1, 'bob'));
    expect(await changesOf(store, tenant)).toEqual([[1, 'Added', 'ann', NOW]]);
    expect(await changesOf(store, tenant, 2)).toEqual([
      [2, 'Deleted', 'bob', NOW + 1],
      [1, 'Added', 'ann', NOW],
    ]);
  });

  it('STORE-47: a memory that reuses a deleted id is recorded as added', async () => {
    const { store, tenant } = fixture();
    const key = { tenant, id: idOf(1) };
    await store.memories.add(memoryOf(tenant, 1), ruled(NOW, 'ann'));
    await store.memories.delete(key, ruled(NOW + 1, 'bob'));
    await store.memories.add(memoryOf(tenant, 1), ruled(NOW + 2, 'eve'));
    expect(await changesOf(store, tenant)).toEqual([
      [2, 'Deleted', 'bob', NOW + 1],
      [1, 'Added', 'eve', NOW + 2],
    ]);
    expect(await store.memories.history(key, { beforeVersion: 1, limit: 9 })).toEqual([]);
  });

  it('STORE-48: a history is read page by page, and each change appears once', async () => {
    const { store, tenant } = fixture();
    const key = { tenant, id: idOf(1) };
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    for (let n = 2; n <= 7; n += 1) {
      await store.memories.update(key, { tags: [`tag-${n}`] }, rulesAt(NOW));
    }
    const versions: number[] = [];
    for (let page: readonly MemoryChange[] = []; ;) {
      const beforeVersion = page.at(-1)?.version ?? null;
      page = await store.memories.history(key, { beforeVersion, limit: 3 });
      versions.push(...page.map(({ version }) => version));
      if (page.length < 3) break;
    }
    expect(versions).toEqual([7, 6, 5, 4, 3, 2, 1]);
  });
}

function refusalSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-49: an unknown memory has no history', async () => {
    const { store, tenant } = fixture();
    expect(await changesOf(store, tenant, 404)).toEqual([]);
  });

  it('STORE-49: a refused change is not in the history', async () => {
    const { store, tenant } = fixture();
    const key = { tenant, id: idOf(1) };
    await store.memories.add(memoryOf(tenant, 1, { key: 'k' }), rulesAt(NOW));
    const refused = [
      store.memories.add(memoryOf(tenant, 1, { content: 'Other.' }), rulesAt(NOW)),
      store.memories.add(memoryOf(tenant, 2, { key: 'k', content: 'Other.' }), rulesAt(NOW)),
      store.memories.update(key, { tags: ['late'], expectedVersion: 9 }, rulesAt(NOW)),
      store.memories.update({ tenant, id: idOf(3) }, { tags: [] }, rulesAt(NOW)),
    ];
    for (const { status } of await Promise.allSettled(refused)) expect(status).toBe('rejected');
    await store.memories.delete({ tenant, id: idOf(3) }, rulesAt(NOW));
    expect(await changesOf(store, tenant)).toEqual([[1, 'Added', 'varve', NOW]]);
    for (const n of [2, 3]) expect(await changesOf(store, tenant, n)).toEqual([]);
  });

  it('STORE-49: a history has one change per version, even after concurrent updates', async () => {
    const { store, tenant } = fixture();
    await store.memories.add(memoryOf(tenant, 1), rulesAt(NOW));
    const updates = Array.from({ length: 20 }, (_, n) =>
      store.memories.update(
        { tenant, id: idOf(1) },
        { tags: [`tag-${n}`], ...(n % 2 === 0 ? { expectedVersion: 1 + n } : {}) },
        ruled(NOW, `writer-${n}`),
      ),
    );
    const settled = await Promise.allSettled(updates);
    const made = settled.flatMap((each) =>
      each.status === 'fulfilled' ? [each.value.record] : [],
    );
    const changes = await store.memories.history({ tenant, id: idOf(1) }, WHOLE);
    const versions = made.map(({ version }) => version).toSorted((a, b) => b - a);
    expect(changes.map(({ version }) => version)).toEqual([...versions, 1]);
    for (const { version, tags } of made) {
      const [tag = ''] = tags;
      const change = changes.find((each) => each.version === version);
      expect(change?.principal).toBe(tag.replace('tag', 'writer'));
    }
  });
}
