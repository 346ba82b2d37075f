/** The suite of `TurnRecords`, and of sources, which turns and memories share. */
import { describe, expect, it } from 'vitest';

import { sourceHashOf } from '#core/hash.ts';

import { sharedStore, type Open } from './adapter.ts';
import { allSources } from './refresh.ts';
import {
  digest,
  HOUR_MS,
  memoryOf,
  NOW,
  rulesAt,
  sessionScope,
  turnOf,
  userScope,
} from './samples.ts';

const LOOK = { id: 'c1', name: 'look', arguments: { at: ['sea', null, 1.5] } };

export function turnSuite(open: Open): void {
  describe('turns', () => {
    appendSuite(open);
  });
  describe('sources', () => {
    sourceSuite(open);
  });
}

function appendSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-10: turns are stored whole and in order, with sequence numbers from 1', async () => {
    const { store, tenant } = fixture();
    const first = turnOf(tenant, 1, { speaker: 'Ann', toolCalls: [LOOK] });
    const second = turnOf(tenant, 2, { role: 'tool', toolCallId: 'c1', saidUnits: 0 });
    await store.turns.append([first, second], rulesAt(NOW));
    await store.turns.append([turnOf(tenant, 3)], rulesAt(NOW));
    const session = { tenant, sessionId: 'call' };
    const all = await store.turns.latest(session, 10);
    expect(all.map(({ sequence, id }) => [sequence, id])).toEqual([
      [1, 'turn-1'],
      [2, 'turn-2'],
      [3, 'turn-3'],
    ]);
    expect(all[0]).toEqual({ ...first, sequence: 1 });
    expect(all[1]).toEqual({ ...second, sequence: 2 });
    const newest = await store.turns.latest(session, 2);
    expect(newest.map(({ id }) => id)).toEqual(['turn-2', 'turn-3']);
    expect(await store.turns.latest({ tenant, sessionId: 'other' }, 10)).toEqual([]);
  });

  it('STORE-11: a turn that the session already has is not changed and not counted', async () => {
    const { store, tenant } = fixture();
    await store.turns.append([turnOf(tenant, 1)], rulesAt(NOW));
    const again = turnOf(tenant, 1, { content: 'Other words.', contentHash: 'other' });
    const batch = [again, turnOf(tenant, 2), turnOf(tenant, 2)];
    const { appended, skipped, scope } = await store.turns.append(batch, rulesAt(NOW));
    expect(appended).toBe(1);
    expect(skipped).toEqual([{ id: 'turn-1', reason: 'Differs' }]);
    expect(scope).toMatchObject({ sourceCount: 2, sourceTokens: 14, changes: 2 });
    const [first, second] = await store.turns.latest({ tenant, sessionId: 'call' }, 10);
    expect(first?.content).toBe(turnOf(tenant, 1).content);
    expect(second?.sequence).toBe(2);
    const repeated = await store.turns.append(batch, rulesAt(NOW + 1));
    expect(repeated).toEqual({ appended: 0, skipped, scope });
  });

  it('STORE-12: each turn of a call counts as one change, and the scope is written once', async () => {
    const { store, tenant } = fixture();
    const turns = [1, 2, 3].map((n) => turnOf(tenant, n));
    const { scope } = await store.turns.append(turns, rulesAt(NOW));
    expect(scope).toMatchObject({ layer: 'session', scopeId: 'call', changes: 3, version: 1 });
    expect(scope).toMatchObject({ dueAt: NOW, dueTrigger: 'Changes' });
    expect(scope.sourceHash).toBe(sourceHashOf(digest, turns));
  });

  it('STORE-13: a call without turns, or with turns of two sessions, is refused', async () => {
    const { store, tenant } = fixture();
    const mixed = [turnOf(tenant, 1), turnOf(tenant, 2, { sessionId: 'other' })];
    for (const turns of [[], mixed]) {
      const append = store.turns.append(turns, rulesAt(NOW));
      await expect(append).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    }
    expect(await store.scopes.list(tenant, 10)).toEqual([]);
  });
}

function sourceSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-14: the sources of a session are its memories by id and then its turns, page by page', async () => {
    const { store, tenant } = fixture();
    for (const n of [2, 1]) {
      const memory = memoryOf(tenant, n, sessionScope(tenant));
      await store.memories.add(memory, rulesAt(NOW));
    }
    const turns = Array.from({ length: 12 }, (_, at) => turnOf(tenant, at + 1));
    await store.turns.append(turns, rulesAt(NOW));
    const sources = await allSources(store, sessionScope(tenant), NOW);
    expect(sources.map(({ kind }) => kind).slice(0, 3)).toEqual(['memory', 'memory', 'turn']);
    expect(sources).toHaveLength(14);
    const positions = sources.map(({ position }) => position);
    expect(positions).toEqual(positions.toSorted());
    expect(sources.at(-1)).toMatchObject({ id: 'turn-12', speaker: 'user', tokens: 7 });
  });

  it('STORE-15: memories that expired, were superseded, or belong to another scope are not sources', async () => {
    const { store, tenant } = fixture();
    const memories = [
      memoryOf(tenant, 1),
      memoryOf(tenant, 2, { expiresAt: NOW + HOUR_MS }),
      memoryOf(tenant, 3, { validTo: NOW + HOUR_MS, expiresAt: NOW + 2 * HOUR_MS }),
      memoryOf(tenant, 4, { state: 'superseded' }),
      memoryOf(tenant, 5, { scopeId: 'bob' }),
    ];
    for (const memory of memories) await store.memories.add(memory, rulesAt(NOW));
    const before = await allSources(store, userScope(tenant), NOW);
    const end = NOW + HOUR_MS;
    expect(before.map(({ expiresAt }) => expiresAt)).toEqual([null, end, end]);
    const after = await allSources(store, userScope(tenant), NOW + HOUR_MS);
    expect(after.map(({ id }) => id)).toEqual([memories[0]?.id]);
  });

  it('STORE-16: a compacted turn is still a source, with its quotes as text', async () => {
    const { store, tenant } = fixture();
    const compacted = { compactedAt: NOW, content: '', quotes: ['first words', 'last words'] };
    const turn = turnOf(tenant, 1, compacted);
    await store.turns.append([turn], rulesAt(NOW));
    const [source] = await allSources(store, sessionScope(tenant), NOW);
    const { contentHash } = turn;
    expect(source).toMatchObject({ text: 'first words\nlast words', contentHash });
  });
}
