/** The suite of `SubjectRecords`: who has a Markdown memory, and who has something new in it. */
import { describe, expect, it } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { SubjectRecord } from '#core/records/subject-record.ts';

import { sharedStore, type Open } from './adapter.ts';
import { ANN, subjectIdOf, subjectOf } from './document-samples.ts';
import { idOf, NOW } from './samples.ts';

const PAGE = 2;

export function subjectSuite(open: Open): void {
  describe('subjects', () => {
    recordSuite(open);
    listSuite(open);
  });
}

function recordSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a subject is read by key and by id, and written only at its next version', async () => {
    const { store, tenant } = fixture();
    const first = subjectOf(tenant);
    expect(await store.subjects.get(tenant, ANN)).toBeNull();
    expect(await store.subjects.byId(tenant, first.subjectId)).toBeNull();
    expect(await store.subjects.put({ ...first, version: 2 })).toBe(false);
    expect(await store.subjects.put(first)).toBe(true);
    expect(await store.subjects.put({ ...first, hasNew: false })).toBe(false);
    const last = { at: NOW, dreamId: idOf(1), outcome: 'Dreamed' } as const;
    const second = { ...first, hasNew: false, processedHash: 'h', tombstones: ['t'], last };
    expect(await store.subjects.put({ ...second, version: 2 })).toBe(true);
    expect(await store.subjects.put({ ...second, version: 2 })).toBe(false);
    expect(await store.subjects.put({ ...second, version: 4 })).toBe(false);
    const found = await store.subjects.get(tenant, ANN);
    expect(found).toEqual({ ...second, version: 2 });
    expect(SubjectRecord.parse(found)).toEqual(found);
    expect(await store.subjects.byId(tenant, first.subjectId)).toEqual(found);
    expect(await store.subjects.byId(tenant, subjectIdOf(2))).toBeNull();
  });

  it('two subjects cannot have the same id', async () => {
    const { store, tenant } = fixture();
    await store.subjects.put(subjectOf(tenant));
    expect(await store.subjects.put(subjectOf(tenant, { subject: 'user/bob' }))).toBe(false);
    expect(await store.subjects.get(tenant, 'user/bob')).toBeNull();
    expect(await store.subjects.byId(tenant, subjectIdOf(1))).toMatchObject({ subject: ANN });
  });

  it('one of two concurrent changes to a version of a subject succeeds', async () => {
    const { store, tenant } = fixture();
    await store.subjects.put(subjectOf(tenant));
    const both = await Promise.all(
      ['a', 'b'].map((processedHash) =>
        store.subjects.put(subjectOf(tenant, { processedHash, version: 2 })),
      ),
    );
    expect(both.filter(Boolean)).toHaveLength(1);
    expect(await store.subjects.get(tenant, ANN)).toMatchObject({
      processedHash: both[0] === true ? 'a' : 'b',
      version: 2,
    });
  });
}

function listSuite(open: Open): void {
  const fixture = sharedStore(open);
  /** In the order of their keys, every second one with something new. */
  const KEYS = ['agent/', 'agent/0', 'agent/zoe', 'user/agent', 'user/ann', 'user/zoe/x'];
  const fill = async (store: Store, tenant: string): Promise<void> => {
    for (const [n, subject] of KEYS.entries()) {
      const record = subjectOf(tenant, { subject, subjectId: subjectIdOf(n), hasNew: n % 2 === 1 });
      expect(await store.subjects.put(record)).toBe(true);
    }
  };
  type Asked = Omit<Parameters<Store['subjects']['list']>[1], 'after' | 'limit'>;
  const keysOf = async (store: Store, tenant: string, asked: Asked): Promise<string[]> => {
    const keys: string[] = [];
    for (;;) {
      const page = { ...asked, after: keys.at(-1) ?? '', limit: PAGE };
      const found = await store.subjects.list(tenant, page);
      if (found.length === 0) return keys;
      // Each page ends later than the one before it, so that there is a last one.
      expect((found.at(-1)?.subject ?? '') > page.after).toBe(true);
      expect(found.length).toBeLessThanOrEqual(PAGE);
      keys.push(...found.map(({ subject }) => subject));
    }
  };

  it.each([
    [{}, KEYS],
    [{ kind: 'agent' }, KEYS.slice(1, 3)],
    [{ kind: 'user' }, KEYS.slice(3)],
    [{ hasNew: true }, ['agent/0', 'user/agent', 'user/zoe/x']],
    [{ hasNew: false }, ['agent/', 'agent/zoe', 'user/ann']],
    [{ kind: 'user', hasNew: true }, ['user/agent', 'user/zoe/x']],
    [{ kind: 'agent', hasNew: false }, ['agent/zoe']],
  ] as const)('subjects are listed by key, page by page: %j', async (asked, keys) => {
    const { store, tenant } = fixture();
    await fill(store, tenant);
    expect(await keysOf(store, tenant, asked)).toEqual(keys);
  });

  it('a subject without new blocks is not listed among those with new ones', async () => {
    const { store, tenant } = fixture();
    await fill(store, tenant);
    const agent = subjectOf(tenant, { subject: 'agent/0', subjectId: subjectIdOf(1), version: 2 });
    expect(await store.subjects.put({ ...agent, hasNew: false })).toBe(true);
    expect(await keysOf(store, tenant, { hasNew: true })).toEqual(['user/agent', 'user/zoe/x']);
    expect(await store.subjects.put({ ...agent, hasNew: true, version: 3 })).toBe(true);
    expect(await keysOf(store, tenant, { hasNew: true })).toContain('agent/0');
  });
}
