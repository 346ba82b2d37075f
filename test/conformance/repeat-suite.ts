/** A memory that only repeats another one, from another source, holds when that source is gone. */
import { describe, expect, it } from 'vitest';

import { sharedStore, type Open } from './adapter.ts';
import { expectAgreement } from './agreement.ts';
import { refresh } from './refresh.ts';
import { idOf, memoryOf, newContent, NOW, rulesAt, userScope } from './samples.ts';

const LATER = NOW + 1_000;

export function repeatSuite(open: Open): void {
  const fixture = sharedStore(open);
  const said = () => {
    const { store, tenant } = fixture();
    const scope = userScope(tenant);
    const say = async (n: number, content: string, rules: object = {}, differing: object = {}) => {
      const memory = memoryOf(tenant, n, { content, ...differing });
      return store.memories.add(memory, { ...rulesAt(NOW), ...rules });
    };
    const get = async (n: number) => store.memories.get(tenant, idOf(n));
    const remove = async (n: number, isSourceGone: boolean) =>
      store.memories.delete({ tenant, id: idOf(n) }, { ...rulesAt(LATER), isSourceGone });
    const agree = async () => {
      await expectAgreement(store, scope, LATER);
    };
    return { store, tenant, scope, say, get, remove, agree };
  };
  const behind = (n: number) => ({ state: 'superseded', supersededBy: idOf(n), isRepeat: true });
  const holds = { state: 'active', supersededBy: null, validTo: null };

  describe('memories: a repeat from another source', () => {
    it('waits behind the memory that it repeats, and is no source', async () => {
      const { store, scope, say, get, agree } = said();
      await say(1, 'I live in Berlin.');
      const {
        record,
        deduplicated,
        scope: after,
      } = await say(2, 'My home is Berlin.', {
        repeats: idOf(1),
      });
      expect(record).toMatchObject(behind(1));
      expect(deduplicated).toBe(false);
      expect(after).toEqual(await store.scopes.get(scope));
      expect(after).toMatchObject({ sourceCount: 1 });
      expect(await get(1)).toMatchObject({ ...holds, version: 1 });
      await agree();
    });

    it('takes the place of a memory whose source is gone, in its own words', async () => {
      const { store, scope, say, get, remove, agree } = said();
      await say(1, 'I live in Berlin.');
      await say(2, 'My home is Berlin.', { repeats: idOf(1) });
      await say(3, 'Berlin is where I live.', { repeats: idOf(1) });
      await refresh(store, scope, NOW);
      const gone = await remove(1, true);
      expect(gone?.scope).toEqual(await store.scopes.get(scope));
      expect(await get(1)).toBeNull();
      const heir = await get(2);
      expect(heir).toMatchObject({ ...holds, content: 'My home is Berlin.', version: 2 });
      expect(heir).not.toHaveProperty('isRepeat');
      expect(await get(3)).toMatchObject(behind(2));
      await agree();
      await remove(2, true);
      expect(await get(3)).toMatchObject(holds);
      await remove(3, true);
      expect(await store.scopes.get(scope)).toMatchObject({ sourceCount: 0 });
      await agree();
    });

    it('is deleted with a memory that is deleted for itself', async () => {
      const { store, scope, say, get, remove, agree } = said();
      await say(1, 'I live in Berlin.');
      await say(2, 'My home is Berlin.', { repeats: idOf(1) });
      const gone = await remove(1, false);
      expect([await get(1), await get(2)]).toEqual([null, null]);
      expect(gone?.scope).toEqual(await store.scopes.get(scope));
      await agree();
    });

    it('is deleted when the memory that it repeats gets another text', async () => {
      const { store, tenant, say, get, agree } = said();
      await say(1, 'I live in Berlin.');
      await say(2, 'My home is Berlin.', { repeats: idOf(1) });
      const content = { ...newContent('I live in Bonn.'), validFrom: LATER };
      await store.memories.update({ tenant, id: idOf(1) }, { content }, rulesAt(LATER));
      expect(await get(2)).toBeNull();
      await agree();
    });

    it('ends what the memory has ended, and ends with what has ended the memory', async () => {
      const { say, get, remove, agree } = said();
      await say(1, 'I live in Rome.');
      await say(2, 'I live in Berlin.', { supersedes: [idOf(1)] });
      await say(3, 'My home is Berlin.', { repeats: idOf(2) });
      await say(4, 'I live in Oslo.', { supersedes: [idOf(2)] });
      await remove(2, true);
      const ended = await get(3);
      expect(ended).toMatchObject({ state: 'superseded', supersededBy: idOf(4) });
      expect(ended).not.toHaveProperty('isRepeat');
      expect(await get(1)).toMatchObject({ state: 'superseded', supersededBy: idOf(3) });
      await agree();
      await remove(4, true);
      expect([await get(1), await get(3)]).toMatchObject([{ state: 'superseded' }, holds]);
      await remove(3, true);
      expect(await get(1)).toMatchObject(holds);
      await agree();
    });

    it.each([
      { which: 'is unknown', repeats: 9, scopeId: 'ann' },
      { which: 'is of another scope', repeats: 1, scopeId: 'bob' },
    ])('holds at once if the memory $which', async ({ repeats, scopeId }) => {
      const { say, get } = said();
      await say(1, 'I live in Berlin.');
      await say(2, 'My home is Berlin.', { repeats: idOf(repeats) }, { scopeId });
      expect(await get(2)).toMatchObject(holds);
    });

    it('leaves its place to another one if it has expired', async () => {
      const { say, get, remove } = said();
      await say(1, 'I live in Berlin.');
      await say(2, 'My home is Berlin.', { repeats: idOf(1) }, { expiresAt: LATER });
      await say(3, 'Berlin is where I live.', { repeats: idOf(1) });
      await remove(1, true);
      expect([await get(2), await get(3)]).toMatchObject([behind(3), holds]);
    });
  });
}
