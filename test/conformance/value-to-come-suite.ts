/** A memory on a day to come ends another one, or the value of a key, on that day, not before. */
import { describe, expect, it } from 'vitest';

import type { AddOutcome, AddRules } from '#core/ports/write-rules-and-outcomes.ts';
import type { Memory } from '#core/records/memory.ts';
import type { Store } from '#core/ports/store.ts';

import { sharedStore, type Open } from './adapter.ts';
import { expectCounts } from './agreement.ts';
import { refresh } from './refresh.ts';
import { DAY_MS, HOUR_MS, idOf, memoryOf, newContent, NOW, rulesAt, userScope } from './samples.ts';
import { listedIds } from './search-samples.ts';

const DAY = NOW + 40 * DAY_MS;
const LATER = DAY + 30 * DAY_MS;
const NOON = NOW + 12 * HOUR_MS;
const WHOLE = { beforeVersion: null, limit: 100 };

/** One addition under the key "rent": its number, its text, the day it holds from, and when. */
interface Said extends Partial<Pick<Memory, 'key' | 'utcOffset' | 'expiresAt' | 'tags'>> {
  readonly from?: number;
  readonly now?: number;
  readonly rules?: Partial<AddRules>;
}

function tenancy(fixture: () => { readonly store: Store; readonly tenant: string }) {
  const { store, tenant } = fixture();
  const say = async (n: number, content: string, said: Said = {}): Promise<AddOutcome> => {
    const { from, now = NOON, rules, ...differing } = said;
    const memory = memoryOf(tenant, n, {
      key: 'rent',
      content,
      validFrom: from ?? now,
      ...differing,
    });
    return store.memories.add(memory, { ...rulesAt(now), onKey: 'Update', ...rules });
  };
  const get = async (n: number) => store.memories.get(tenant, idOf(n));
  const remove = async (n: number, now = NOON) =>
    store.memories.delete({ tenant, id: idOf(n) }, rulesAt(now));
  /** The numbers of the memories that a search may find. */
  const found = async (now: number): Promise<readonly number[]> => {
    const ids = await listedIds(store, [userScope(tenant)], { conditions: { now } });
    return ids.map((id) => Number(id.slice(-12))).toSorted((a, b) => a - b);
  };
  const actions = async (n: number) => {
    const changes = await store.memories.history({ tenant, id: idOf(n) }, WHOLE);
    return changes.map(({ action }) => action);
  };
  return { store, tenant, say, get, remove, found, actions };
}

const OPEN = { state: 'active', validTo: null, supersededBy: null };
const planned = (by: number, validTo: number) => ({
  state: 'active',
  validTo,
  supersededBy: idOf(by),
});

export function valueToComeSuite(open: Open): void {
  describe('memories: a value to come', () => {
    keyedSuite(open);
  });
  describe('memories: a value to come that is changed', () => {
    changedSuite(open);
  });
  describe('memories: a named end to come', () => {
    namedSuite(open);
  });
}

function keyedSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('leaves the value of its key until its day, in the same commit', async () => {
    const { store, tenant, say, get, found, actions } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await refresh(store, userScope(tenant), NOON);
    const { record, scope, deduplicated } = await say(2, 'The rent is 900.', { from: DAY });
    expect({ id: record.id, deduplicated }).toEqual({ id: idOf(2), deduplicated: false });
    expect(scope).toEqual(await store.scopes.get(userScope(tenant)));
    expect(scope).toMatchObject({ sourceCount: 2, droppedSources: [], nextExpiryAt: DAY });
    expect(await get(1)).toMatchObject({ ...planned(2, DAY), content: 'The rent is 800.' });
    expect(await get(2)).toMatchObject({ ...OPEN, key: 'rent', validFrom: DAY });
    expect([await found(NOON), await found(DAY - 1), await found(DAY)]).toEqual([
      [1, 2],
      [1, 2],
      [2],
    ]);
    expect([await actions(1), await actions(2)]).toEqual([['Superseded', 'Added'], ['Added']]);
    await expectCounts(store, userScope(tenant), NOON);
  });

  it('replaces the value at once if it is only later on the same day', async () => {
    const { say, get } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await say(2, 'The rent is 900.', { from: NOON + HOUR_MS });
    expect(await get(1)).toMatchObject({ ...OPEN, content: 'The rent is 900.' });
    expect(await get(2)).toBeNull();
  });

  it('keeps a value that was true earlier as history, once, and leaves the value that holds', async () => {
    const { store, tenant, say, get, remove, found } = tenancy(fixture);
    await say(1, 'The rent is 800.', { from: NOW - DAY_MS });
    const earlier = { from: NOW - 300 * DAY_MS };
    const { record, deduplicated, scope } = await say(2, 'The rent is 700.', earlier);
    const past = { state: 'superseded', validTo: NOW - DAY_MS, supersededBy: idOf(1) };
    expect(record).toMatchObject(past);
    expect(deduplicated).toBe(false);
    expect(scope).toEqual(await store.scopes.get(userScope(tenant)));
    expect(scope).toMatchObject({ sourceCount: 1 });
    expect(await get(1)).toMatchObject({ ...OPEN, content: 'The rent is 800.', version: 1 });
    expect(await found(NOON)).toEqual([1]);
    const again = await say(3, 'The rent is 700.', earlier);
    expect(again).toMatchObject({ deduplicated: true, record: { id: idOf(2) } });
    expect(await get(3)).toBeNull();
    await expectCounts(store, userScope(tenant), NOON);
    await remove(1);
    expect(await get(2)).toMatchObject({ ...OPEN, key: 'rent' });
    expect(await found(NOON)).toEqual([2]);
    await expectCounts(store, userScope(tenant), NOON);
  });

  it('counts the day by the offset of the speaker', async () => {
    const { say, get } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    // Midnight in Tokyo is the afternoon before in UTC.
    const from = NOW + DAY_MS - 9 * HOUR_MS;
    await say(2, 'The rent is 900.', { from, utcOffset: 540 });
    expect(await get(1)).toMatchObject(planned(2, from));
  });

  it('has one effect if it is added twice', async () => {
    const { store, say, get, actions, tenant } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await say(2, 'The rent is 900.', { from: DAY });
    const scope = await store.scopes.get(userScope(tenant));
    const again = await say(3, 'The rent is 900.', { from: DAY });
    expect(again).toMatchObject({ deduplicated: true, record: { id: idOf(2), version: 1 } });
    expect(await get(3)).toBeNull();
    expect(await actions(1)).toEqual(['Superseded', 'Added']);
    expect(await store.scopes.get(userScope(tenant))).toEqual(scope);
  });

  it.each([
    ['the text that holds', 'Update', 'The rent is 800.', { deduplicated: true }],
    ['the text that holds, uniting', 'Unite', 'The rent is 800.', { deduplicated: true }],
    ['another text, uniting', 'Unite', 'The rent is 900.', null],
    ['another text, refusing', 'Refuse', 'The rent is 900.', null],
  ] as const)('with %s: plans nothing', async (_how, onKey, content, expected) => {
    const { say, get } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    const added = say(2, content, { from: DAY, rules: { onKey } });
    if (expected === null) await expect(added).rejects.toMatchObject({ code: 'CONFLICT' });
    else expect(await added).toMatchObject({ ...expected, record: { id: idOf(1) } });
    expect(await get(1)).toMatchObject({ ...OPEN, version: 1 });
    expect(await get(2)).toBeNull();
  });

  it('that comes first: a value said afterwards holds until its day', async () => {
    const { say, get, found } = tenancy(fixture);
    await say(1, 'The rent is 900.', { from: DAY });
    const { record } = await say(2, 'The rent is 800.');
    expect(record).toMatchObject({ id: idOf(2), ...planned(1, DAY) });
    expect(await get(2)).toEqual(record);
    expect(await get(1)).toMatchObject({ ...OPEN, version: 1 });
    await say(3, 'The rent is 850.');
    expect(await get(2)).toMatchObject({ ...planned(1, DAY), content: 'The rent is 850.' });
    expect([await found(NOON), await found(DAY)]).toEqual([[1, 2], [1]]);
  });

  it('that comes first and is then said to hold: holds from then on', async () => {
    const { say, get } = tenancy(fixture);
    await say(1, 'The rent is 900.', { from: DAY });
    await say(2, 'The rent is 900.', { rules: { isSaidAgain: true } });
    expect(await get(1)).toMatchObject({ ...OPEN, validFrom: NOON });
    expect(await get(2)).toBeNull();
  });

  it('a value said before its day replaces only what holds until then', async () => {
    const { say, get, found } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await say(2, 'The rent is 900.', { from: DAY });
    await say(3, 'The rent is 850.');
    expect(await get(1)).toMatchObject({ ...planned(2, DAY), content: 'The rent is 850.' });
    expect(await get(2)).toMatchObject({ ...OPEN, content: 'The rent is 900.' });
    expect([await found(NOON), await found(DAY)]).toEqual([[1, 2], [2]]);
  });

  it('follows a value that expires before its day', async () => {
    const { say, get } = tenancy(fixture);
    await say(1, 'The rent is 800.', { expiresAt: NOON + 1 });
    await say(2, 'The rent is 900.', { from: DAY });
    await say(3, 'The rent is 850.', { now: NOON + 1 });
    expect(await get(1)).toMatchObject({ state: 'superseded', supersededBy: idOf(3) });
    expect(await get(3)).toMatchObject(planned(2, DAY));
  });

  it.each(['Updated', 'Planned'] as const)(
    'from its day on, it holds the key and can itself be %s',
    async (how) => {
      const { store, tenant, say, get, found } = tenancy(fixture);
      await say(1, 'The rent is 800.');
      await say(2, 'The rent is 900.', { from: DAY });
      const from = how === 'Updated' ? DAY : LATER;
      await say(3, 'The rent is 950.', { now: DAY, from });
      expect(await get(1)).toMatchObject({
        state: 'superseded',
        supersededBy: idOf(2),
        validTo: DAY,
      });
      const [content, end] =
        how === 'Updated' ? ['The rent is 950.', OPEN] : ['The rent is 900.', planned(3, LATER)];
      expect(await get(2)).toMatchObject({ content, ...end });
      expect(await found(LATER)).toEqual(how === 'Updated' ? [2] : [3]);
      await expectCounts(store, userScope(tenant), DAY);
    },
  );
}

function changedSuite(open: Open): void {
  const fixture = sharedStore(open);

  it.each([
    ['another day', 'The rent is 900.', LATER],
    ['another text', 'The rent is 950.', DAY],
    ['another text and day', 'The rent is 950.', LATER],
  ])('a second one with %s replaces the first', async (_what, content, from) => {
    const { say, get, found } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await say(2, 'The rent is 900.', { from: DAY, utcOffset: 60 });
    const { record } = await say(3, content, { from });
    expect(record).toMatchObject({ ...OPEN, id: idOf(2), content, validFrom: from, utcOffset: 0 });
    expect(await get(2)).toEqual(record);
    expect(await get(3)).toBeNull();
    expect(await get(1)).toMatchObject(planned(2, from));
    expect([await found(from - 1), await found(from)]).toEqual([[1, 2], [2]]);
  });

  it.each([
    ['before its day', NOON],
    ['from its day on', LATER],
  ])('deleted %s: the old value has an open end again, and its key', async (_when, now) => {
    const { store, tenant, say, get, remove, found, actions } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await refresh(store, userScope(tenant), NOON);
    await say(2, 'The rent is 900.', { from: DAY });
    const gone = await remove(2, now);
    expect(gone?.scope).toEqual(await store.scopes.get(userScope(tenant)));
    expect(await get(1)).toMatchObject({ ...OPEN, key: 'rent' });
    expect(await found(LATER)).toEqual([1]);
    expect(await actions(1)).toEqual(['Restored', 'Superseded', 'Added']);
    await expectCounts(store, userScope(tenant), now);
    await say(3, 'The rent is 850.', { now });
    expect(await get(1)).toMatchObject({ ...OPEN, content: 'The rent is 850.' });
  });

  it('deleted after a refresh on its day: the old value is a source again', async () => {
    const { store, tenant, say, get, remove } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await say(2, 'The rent is 900.', { from: DAY });
    await refresh(store, userScope(tenant), DAY + 1);
    await remove(2, LATER);
    expect(await get(1)).toMatchObject(OPEN);
    await expectCounts(store, userScope(tenant), LATER);
  });

  it.each([
    ['before its day', NOON],
    ['from its day on', LATER],
  ])('the old value deleted %s: the new one has the key', async (_when, now) => {
    const { store, tenant, say, get, remove } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await say(2, 'The rent is 900.', { from: DAY });
    await remove(1, now);
    await say(3, 'The rent is 950.', { now: LATER });
    expect(await get(2)).toMatchObject({ ...OPEN, content: 'The rent is 950.' });
    expect(await get(3)).toBeNull();
    await expectCounts(store, userScope(tenant), LATER);
  });

  it.each([
    ['holds now', NOON, OPEN],
    ['comes on another day', LATER, planned(3, LATER)],
  ])('replaced by one that names it and %s: moves the end', async (_what, from, end) => {
    const { say, get } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await say(2, 'The rent is 900.', { from: DAY });
    const rules = { supersedes: [idOf(2)] };
    await say(3, 'The rent stays for now.', { from, key: null, rules });
    expect(await get(2)).toMatchObject({ state: 'superseded', supersededBy: idOf(3) });
    expect(await get(1)).toMatchObject({ ...end, content: 'The rent is 800.' });
  });

  it('named by the next value of its key: that value has an open end', async () => {
    const { say, get, found } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await say(2, 'The rent is 900.', { from: DAY });
    const { record } = await say(3, 'The rent is 820.', { rules: { supersedes: [idOf(2)] } });
    expect(record).toMatchObject({ ...OPEN, id: idOf(1), content: 'The rent is 820.' });
    expect(await get(1)).toEqual(record);
    expect(await found(LATER)).toEqual([1]);
  });

  it('named by the next planned value of its key: that one has its place', async () => {
    const { say, get, found } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await say(2, 'The rent is 900.', { from: DAY });
    await say(3, 'The rent is 950.', { from: LATER, rules: { supersedes: [idOf(2)] } });
    expect(await get(1)).toMatchObject(planned(3, LATER));
    expect([await found(NOON), await found(LATER)]).toEqual([[1, 3], [3]]);
    await say(4, 'The rent is 820.');
    expect(await get(1)).toMatchObject({ ...planned(3, LATER), content: 'The rent is 820.' });
  });

  it('updated by its id: keeps the day that the caller gave', async () => {
    const { store, tenant, say, get } = tenancy(fixture);
    await say(1, 'The rent is 800.');
    await say(2, 'The rent is 900.', { from: DAY });
    const patch = { content: { ...newContent('The rent is 950.'), validFrom: NOON } };
    await store.memories.update({ tenant, id: idOf(2) }, patch, rulesAt(NOON));
    expect(await get(2)).toMatchObject({ content: 'The rent is 950.', validFrom: DAY });
    expect(await get(1)).toMatchObject(planned(2, DAY));
  });
}

function namedSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a memory that names others ends them on its day, and deleted, not at all', async () => {
    const { store, tenant, say, get, remove, found } = tenancy(fixture);
    await say(1, 'Ann has a dog.', { key: 'dog' });
    await say(2, 'Ann has a cat.', { key: null });
    const rules = { supersedes: [idOf(1), idOf(2), idOf(9)] };
    await say(3, 'Ann gives the animals away.', { key: null, from: DAY, rules });
    for (const n of [1, 2]) expect(await get(n)).toMatchObject(planned(3, DAY));
    expect([await found(NOON), await found(DAY)]).toEqual([[1, 2, 3], [3]]);
    await say(4, 'Ann has an old dog.', { key: 'dog' });
    expect(await get(1)).toMatchObject({ ...planned(3, DAY), content: 'Ann has an old dog.' });
    await remove(3);
    for (const n of [1, 2]) expect(await get(n)).toMatchObject(OPEN);
    await expectCounts(store, userScope(tenant), NOON);
  });

  it('deleting what holds until then returns what it had ended, until then', async () => {
    const { say, get, remove, found } = tenancy(fixture);
    await say(1, 'Ann lives in Rome.', { key: null });
    await say(2, 'Ann lives in Oslo.', { key: null, rules: { supersedes: [idOf(1)] } });
    const rules = { supersedes: [idOf(2)] };
    await say(3, 'Ann lives in Bath.', { key: null, from: DAY, rules });
    await remove(2);
    expect(await get(1)).toMatchObject(planned(3, DAY));
    expect([await found(NOON), await found(DAY)]).toEqual([[1, 3], [3]]);
    await remove(3);
    expect(await get(1)).toMatchObject(OPEN);
  });

  it('a memory on the day of another that replaces it at once has no part in its end', async () => {
    const { say, get, found } = tenancy(fixture);
    await say(1, 'Ann lives in Rome.', { key: null });
    await say(2, 'Ann lives in Bath.', { key: null, from: DAY, rules: { supersedes: [idOf(1)] } });
    await say(3, 'Ann lives in Oslo.', { key: null, rules: { supersedes: [idOf(1)] } });
    expect(await get(1)).toMatchObject({ state: 'superseded', supersededBy: idOf(3) });
    expect(await found(NOON)).toEqual([2, 3]);
  });
}
