/** The suite of `SessionRecords`, and of deleting what was said in a session. */
import { describe, expect, it } from 'vitest';

import { VarveError } from '#core/errors.ts';
import { sourceHashOf } from '#core/hash.ts';
import type { Store } from '#core/ports/store.ts';
import { SessionRecord } from '#core/records/session.ts';

import { sharedStore, type Open } from './adapter.ts';
import { allSources } from './refresh.ts';
import { digest, MINUTE_MS, NOW, rulesAt, sessionScope, turnOf } from './samples.ts';

const PAGE = 2;

export function sessionSuite(open: Open): void {
  describe('sessions', () => {
    recordSuite(open);
    flushSuite(open);
    deletionSuite(open);
  });
}

function sessionOf(tenant: string, n: number, differing: Partial<SessionRecord> = {}) {
  const record: SessionRecord = {
    tenant,
    sessionId: `call-${n}`,
    owner: 'local',
    opener: 'user/ann',
    identifiers: { userId: 'ann', projectId: 'checkout' },
    firstAt: NOW,
    lastAt: NOW + n * MINUTE_MS,
    endedAt: null,
    flushedTo: 0,
    flush: null,
    tags: ['support'],
    version: 1,
    ...differing,
  };
  return record;
}

function put({ sessions }: Pick<Store, 'sessions'>, session: SessionRecord) {
  return sessions.change(session.tenant, session.sessionId, () => session);
}

function recordSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('STORE-10: a session is read by id, and changed by a function', async () => {
    const { store, tenant } = fixture();
    const first = sessionOf(tenant, 1);
    expect(await store.sessions.get(tenant, 'call-1')).toBeNull();
    expect(await store.sessions.change(tenant, 'call-1', (before) => before)).toBeNull();
    expect(await put(store, first)).toEqual(first);
    expect(await store.sessions.change(tenant, 'call-1', () => null)).toBeNull();
    const second = { ...first, endedAt: NOW, lastAt: NOW + MINUTE_MS, version: 2 };
    expect(
      await store.sessions.change(tenant, 'call-1', (before) => {
        expect(before).toEqual(first);
        return second;
      }),
    ).toEqual(second);
    const found = await store.sessions.get(tenant, 'call-1');
    expect(found).toEqual(second);
    expect(SessionRecord.parse(found)).toEqual(found);
    expect(await store.sessions.get(`${tenant}x`, 'call-1')).toBeNull();
  });

  it('STORE-10: the sessions of an opener are listed newest first, page by page', async () => {
    const { store, tenant } = fixture();
    const others = [
      sessionOf(tenant, 9, { opener: 'user/bob' }),
      sessionOf(tenant, 8, { opener: '' }),
    ];
    const tied = sessionOf(tenant, 4, { sessionId: 'call-30', lastAt: NOW + 3 * MINUTE_MS });
    const own = [1, 2, 3].map((n) => sessionOf(tenant, n));
    for (const session of [...others, tied, ...own]) await put(store, session);
    const found: string[] = [];
    for (let after: SessionRecord | null = null; ;) {
      const page: readonly SessionRecord[] = await store.sessions.list(tenant, {
        opener: 'user/ann',
        after,
        limit: PAGE,
      });
      found.push(...page.map(({ sessionId }) => sessionId));
      after = page.at(-1) ?? null;
      if (page.length < PAGE) break;
    }
    expect(found).toEqual(['call-3', 'call-30', 'call-2', 'call-1']);
  });

  it('STORE-10: a caller that writes into a listed session changes no later list', async () => {
    const { store, tenant } = fixture();
    await put(store, sessionOf(tenant, 1));
    const list = async () =>
      (await store.sessions.list(tenant, { opener: 'user/ann', after: null, limit: 1 }))[0];
    const listed = await list();
    try {
      listed?.tags.push('mine');
      if (listed !== undefined) listed.identifiers.userId = 'bob';
    } catch (error) {
      // A store may also refuse.
      expect(error).toBeInstanceOf(TypeError);
    }
    expect(await list()).toEqual(sessionOf(tenant, 1));
  });

  it('STORE-10: each of many concurrent changes to a session takes effect', async () => {
    const { store, tenant } = fixture();
    const tags = Array.from({ length: 100 }, (_, at) => `tag-${String(at)}`);
    await Promise.all(
      tags.map((tag) =>
        store.sessions.change(tenant, 'call-1', (before) => {
          const { version, ...session } = before ?? sessionOf(tenant, 1, { tags: [], version: 0 });
          return { ...session, tags: [...session.tags, tag], version: version + 1 };
        }),
      ),
    );
    const found = await store.sessions.get(tenant, 'call-1');
    expect(found?.version).toBe(tags.length);
    expect(found?.tags.toSorted()).toEqual(tags.toSorted());
  });

  it('STORE-10: a failed change fails only its own caller', async () => {
    const { store, tenant } = fixture();
    const refuse = (): never => {
      throw new VarveError('FORBIDDEN', 'No.');
    };
    const [refused, kept] = await Promise.allSettled([
      store.sessions.change(tenant, 'call-1', refuse),
      put(store, sessionOf(tenant, 1)),
    ]);
    expect(refused).toMatchObject({ status: 'rejected', reason: { code: 'FORBIDDEN' } });
    expect(kept.status).toBe('fulfilled');
    expect(await store.sessions.get(tenant, 'call-1')).toEqual(sessionOf(tenant, 1));
  });
}

function flushSuite(open: Open): void {
  const fixture = sharedStore(open);
  const flushOf = (id: string, dueAt: number): SessionRecord['flush'] => ({
    id,
    dueAt,
    through: null,
    attempts: 0,
    heading: 'Session',
    layers: ['user', 'session'],
  });

  it('STORE-10: a flush is found by its id, and due flushes are listed longest due first', async () => {
    const { store, tenant } = fixture();
    const sessions = [
      sessionOf(tenant, 1, { flush: flushOf('flush-1', NOW + MINUTE_MS) }),
      sessionOf(tenant, 2, { flush: flushOf('flush-2', NOW) }),
      sessionOf(tenant, 3, { flush: flushOf('flush-3', NOW + 2 * MINUTE_MS) }),
      sessionOf(tenant, 4),
    ];
    for (const session of sessions) await put(store, session);
    const due = { tenant, now: NOW + MINUTE_MS, limit: 9 };
    const found = await store.sessions.dueFlushes(due);
    expect(found.map(({ sessionId }) => sessionId)).toEqual(['call-2', 'call-1']);
    const all = await store.sessions.dueFlushes({ now: NOW, limit: 999 });
    expect(all.filter((each) => each.tenant === tenant)).toEqual([sessions[1]]);
    expect(await store.sessions.ofFlush(tenant, 'flush-3')).toEqual(sessions[2]);
    expect(await store.sessions.ofFlush(`${tenant}x`, 'flush-3')).toBeNull();
    const done = { ...sessionOf(tenant, 2), version: 2 };
    await put(store, done);
    expect(await store.sessions.ofFlush(tenant, 'flush-2')).toBeNull();
  });
}

function deletionSuite(open: Open): void {
  const fixture = sharedStore(open);
  const coded = { generation: 'g', passages: ['AAAA', 'BBBB'] };

  it('STORE-10: turns are read page by page, with their vectors', async () => {
    const { store, tenant } = fixture();
    const turns = [1, 2, 3, 4, 5].map((n) => turnOf(tenant, n, { vectors: coded }));
    await store.turns.append(turns.slice(0, 3), rulesAt(NOW));
    await store.turns.append(turns.slice(3), rulesAt(NOW));
    const session = { tenant, sessionId: 'call' };
    const first = await store.turns.page(session, { after: 0, limit: 2 });
    expect(first.map(({ id }) => id)).toEqual(['turn-1', 'turn-2']);
    expect(first[0]).toEqual({ ...turns[0], sequence: 1 });
    const rest = await store.turns.page(session, { after: 2, limit: 10 });
    expect(rest.map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
    expect(await store.turns.page({ tenant, sessionId: 'x' }, { after: 0, limit: 9 })).toEqual([]);
    expect(await store.turns.get(session, 'turn-2')).toEqual({ ...turns[1], sequence: 2 });
    expect(await store.turns.get({ tenant, sessionId: 'x' }, 'turn-2')).toBeNull();
  });

  it('STORE-10: a deleted turn leaves only its place, which stays taken', async () => {
    const { store, tenant } = fixture();
    const turns = [1, 2, 3].map((n) => turnOf(tenant, n, { vectors: coded, speaker: 'Ann' }));
    await store.turns.append(turns, rulesAt(NOW));
    const session = { tenant, sessionId: 'call' };
    const ids = ['turn-2', 'turn-9', 'turn-2'];
    const { deleted, scope } = await store.turns.delete(session, ids, rulesAt(NOW + 1));
    expect(deleted).toEqual(['turn-2']);
    expect(scope).toMatchObject({ sourceCount: 3, sourceTokens: 14, changes: 4 });
    const all = await store.turns.page(session, { after: 0, limit: 10 });
    expect(all.map(({ sequence }) => sequence)).toEqual([1, 2, 3]);
    expect(all[1]).toMatchObject({ content: '', contentHash: '', quotes: [], toolCalls: [] });
    expect(all[1]).toMatchObject({ vectors: null, speaker: null, tokenCount: 0 });
    expect(JSON.stringify(all[1])).not.toContain('minutes into');
    expect(scope.sourceHash).toBe(sourceHashOf(digest, all));
    const sources = await allSources(store, sessionScope(tenant), NOW);
    expect(sources.map(({ text }) => text !== '')).toEqual([true, false, true]);
    const again = await store.turns.append(turns.slice(1, 2), rulesAt(NOW + 2));
    expect(again.appended).toBe(0);
    const twice = await store.turns.delete(session, ['turn-2'], rulesAt(NOW + 3));
    expect(twice.deleted).toEqual([]);
    expect((await store.turns.append([turnOf(tenant, 4)], rulesAt(NOW))).appended).toBe(1);
    expect((await store.turns.latest(session, 1))[0]).toMatchObject({ sequence: 4 });
  });
}
