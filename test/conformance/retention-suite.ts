/**
 * The suite of compaction: old turns lose their text and its bytes at once, and nothing else is
 * lost.
 */
import { describe, expect, it } from 'vitest';

import { COMPACTED_PER_CALL_MAX } from '#core/retention/compacted-turn.ts';
import type { Store } from '#core/ports/store.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import { utf8Bytes } from '#core/storable-text.ts';

import { answerOf } from './answer-suite.ts';
import { sharedStore, type Open } from './adapter.ts';
import { claim, commitOf, refresh } from './refresh.ts';
import {
  DAY_MS,
  leaseOf,
  memoryOf,
  MINUTE_MS,
  NOW,
  rulesAt,
  sessionScope,
  turnOf,
} from './samples.ts';
import { putSegments, segmentIdOf, segmentOf } from './segment-suite.ts';

const LATER = NOW + 60 * MINUTE_MS;
const SESSION = 'call';
const noteOf = (note: string) => ({ id: 'c1', name: 'note', arguments: { note } });

/** As many turns as asked for, one a minute, in calls of three. */
async function talk(store: Store, tenant: string, count: number, sessionId = SESSION) {
  const turns = Array.from({ length: count }, (_, at) => {
    const said = `The ${String(at + 1)}. thing said; Ann has ${String(at)} roses. It was late.`;
    return turnOf(tenant, at + 1, { sessionId, content: said, toolCalls: [noteOf(said)] });
  });
  for (let at = 0; at < count; at += 3) {
    await store.turns.append(turns.slice(at, at + 3), rulesAt(NOW));
  }
  return turns;
}

function keptOf(n: number, quotes: readonly string[] = []) {
  return { id: `turn-${String(n)}`, sequence: n, quotes };
}

/** Until nothing of what is asked for is left; a store may do a part of it at a time. */
async function compactAll(
  store: Store,
  seen: ScopeRecord,
  turns: readonly ReturnType<typeof keptOf>[],
): Promise<{ scope: ScopeRecord; bytes: number; count: number }> {
  let [scope, bytes, count] = [seen, 0, 0];
  for (let calls = 0; calls <= turns.length; calls += 1) {
    const done = await store.turns.compact({ scope, turns }, rulesAt(LATER));
    if (done === null) throw new Error('Nobody else wrote to the scope.');
    ({ scope } = done);
    bytes += done.bytes;
    count += done.turns.length;
    if (done.turns.length === 0) return { scope, bytes, count };
  }
  throw new Error('The compaction has no end.');
}

export function retentionSuite(open: Open): void {
  describe('old turns', () => {
    listSuite(open);
    compactSuite(open);
    refusalSuite(open);
    leftoverSuite(open);
  });
}

function listSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('tenants, sessions, and turns are found by the age of their text', async () => {
    const { store, tenant } = fixture();
    await talk(store, tenant, 5);
    await store.turns.append([turnOf(tenant, 0, { sessionId: 'early' })], rulesAt(NOW));
    await store.turns.append([turnOf(tenant, 50, { sessionId: 'late' })], rulesAt(NOW));
    const [found] = await store.turns.tenantsWithText({ after: before(tenant), limit: 1 });
    expect(found).toEqual({ tenant, oldestAt: NOW });
    const until = NOW + 2 * MINUTE_MS;
    const sessions = (place: { from: number; skip: number } | null, limit = 10) =>
      store.turns.oldSessions(tenant, { until, place, limit });
    const early = { sessionId: 'early', oldestAt: NOW };
    const call = { sessionId: SESSION, oldestAt: NOW + MINUTE_MS };
    expect(await sessions(null)).toEqual([early, call]);
    expect(await sessions(null, 1)).toEqual([early]);
    expect(await sessions({ from: NOW, skip: 1 })).toEqual([call]);
    expect(await sessions({ from: NOW + MINUTE_MS, skip: 0 })).toEqual([call]);
    const old = (after: number, limit = 10) =>
      store.turns.old({ tenant, sessionId: SESSION }, { until, after, limit });
    expect((await old(0)).map(({ sequence }) => sequence)).toEqual([1, 2]);
    expect((await old(1)).map(({ sequence }) => sequence)).toEqual([2]);
    expect((await old(0, 1)).map(({ sequence }) => sequence)).toEqual([1]);
  });

  it('a turn of an imported chat is old from when it was stored, not from when it was said', async () => {
    const { store, tenant } = fixture();
    const storedAt = NOW + 2 * MINUTE_MS;
    const said = [
      turnOf(tenant, 1, { at: NOW - 100 * DAY_MS, storedAt }),
      turnOf(tenant, 3, { storedAt }),
    ];
    await store.turns.append(said, rulesAt(storedAt));
    const tenants = await store.turns.tenantsWithText({ after: before(tenant), limit: 1_000 });
    expect(tenants).toContainEqual({ tenant, oldestAt: storedAt });
    const oldAt = async (until: number) => {
      const query = { until, limit: 10 };
      const sessions = await store.turns.oldSessions(tenant, { ...query, place: null });
      const session = { tenant, sessionId: SESSION };
      const turns = await store.turns.old(session, { ...query, after: 0 });
      return { sessions, turns: turns.map(({ id }) => id) };
    };
    const session = { sessionId: SESSION, oldestAt: storedAt };
    expect(await oldAt(storedAt - 1)).toEqual({ sessions: [], turns: [] });
    expect(await oldAt(storedAt)).toEqual({ sessions: [session], turns: ['turn-1'] });
    expect((await oldAt(NOW + 3 * MINUTE_MS)).turns).toEqual(['turn-1', 'turn-3']);
  });

  it('tenants are listed page by page, each once', async () => {
    const { store, tenant } = fixture();
    const names = ['a', 'b', 'c'].map((name) => `${tenant}-${name}`);
    for (const name of names) await talk(store, name, 2);
    const found: string[] = [];
    for (let after = tenant; ;) {
      const [next] = await store.turns.tenantsWithText({ after, limit: 1 });
      if (next === undefined || !names.includes(next.tenant)) break;
      found.push(next.tenant);
      after = next.tenant;
    }
    expect(found).toEqual(names);
  });

  it('sessions are listed page by page, each once, even if some are compacted', async () => {
    const { store, tenant } = fixture();
    const said = [3, 1, 1, 2, 1];
    const names = said.map((_, n) => `session-${String(n)}`);
    for (const [n, sessionId] of names.entries()) {
      // Two turns of the same moment, and one that is later than all first ones.
      const at = NOW + (said[n] ?? 0);
      const turns = [at, at, NOW + 9].map((time, order) =>
        turnOf(tenant, order + 1, { sessionId, at: time }),
      );
      await store.turns.append(turns, rulesAt(NOW));
    }
    const gone = await store.scopes.get(sessionScope(tenant, 'session-1'));
    const taken = [keptOf(1), keptOf(2)];
    await compactAll(store, gone, taken);
    const found: string[] = [];
    for (let place = { from: 0, skip: 0 }; ;) {
      const query = { until: LATER, place, limit: 1 };
      const [next] = await store.turns.oldSessions(tenant, query);
      if (next === undefined) break;
      found.push(next.sessionId);
      const from = next.oldestAt;
      place = { from, skip: from === place.from ? place.skip + 1 : 1 };
    }
    const order = [2, 4, 3, 0, 1].map((n) => names[n]);
    expect(found).toEqual(order);
  });

  it('segments of a scope are listed page by page', async () => {
    const { store, tenant } = fixture();
    const scope = sessionScope(tenant);
    await putSegments(
      store,
      [0, 1, 2].map((n) => segmentOf(scope, n)),
    );
    await putSegments(store, [segmentOf(sessionScope(tenant, 'other'), 4)]);
    const ids = [0, 1, 2].map(segmentIdOf).toSorted();
    const [first] = await store.segments.list(scope, { after: '', limit: 1 });
    const rest = await store.segments.list(scope, { after: first?.segmentId ?? '', limit: 9 });
    expect([first, ...rest].map((each) => each?.segmentId)).toEqual(ids);
  });
}

/** A name that comes just before the tenant's. */
function before(tenant: string): string {
  return tenant.slice(0, -1);
}

function compactSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('ENG-07: a compacted turn keeps its quotes and everything but its text', async () => {
    const { store, tenant } = fixture();
    const said = await talk(store, tenant, 4);
    const seen = await store.scopes.get(sessionScope(tenant));
    const turns = [keptOf(1, ['Ann has 0 roses.']), keptOf(2)];
    await compactAll(store, seen, turns);
    const [first, second, third] = await store.turns.latest({ tenant, sessionId: SESSION }, 4);
    const emptied = { content: '', toolCalls: [], compactedAt: LATER };
    const quotes = ['Ann has 0 roses.'];
    expect(first).toEqual({ ...said[0], ...emptied, quotes, sequence: 1 });
    expect(second).toEqual({ ...said[1], ...emptied, quotes: [], sequence: 2 });
    expect(third).toEqual({ ...said[2], sequence: 3 });
  });

  it('after a compaction, the summary stays fresh and the scope counts fewer bytes', async () => {
    const { store, tenant } = fixture();
    const said = await talk(store, tenant, 5);
    const scope = sessionScope(tenant);
    await refresh(store, scope, NOW);
    const seen = await store.scopes.get(scope);
    const turns = [1, 2, 3, 4].map((n) => keptOf(n, n === 1 ? ['Ann has 0 roses.'] : []));
    const done = await compactAll(store, seen, turns);
    const textOf = (at: number) => utf8Bytes(said[at]?.content ?? '');
    const freed = [0, 1, 2, 3].reduce((sum, at) => sum + textOf(at), -16);
    expect(done).toMatchObject({ count: 4, bytes: freed });
    const { version, ...rest } = seen;
    expect(done.scope).toEqual({
      ...rest,
      sourceBytes: 16 + textOf(4),
      version: done.scope.version,
    });
    expect(done.scope.version).toBeGreaterThan(version);
    expect(await store.scopes.get(scope)).toEqual(done.scope);
    const { sources } = await claim(store, scope, LATER);
    expect(sources.reduce((sum, { bytes }) => sum + bytes, 0)).toBe(done.scope.sourceBytes);
    const again = commitOf(done.scope, await claim(store, scope, LATER), LATER);
    expect(again.scope.sourceBytes).toBe(done.scope.sourceBytes);
    const size = (await store.storageSizes(10_000)).find((row) => row.tenant === tenant);
    expect(size).toMatchObject({ layer: 'session', bytes: done.scope.sourceBytes, sources: 5 });
  });

  it('a compacted turn is not compacted again and keeps its quotes', async () => {
    const { store, tenant } = fixture();
    await talk(store, tenant, 2);
    const seen = await store.scopes.get(sessionScope(tenant));
    const { scope } = await compactAll(store, seen, [keptOf(1, ['It was late.'])]);
    const session = { tenant, sessionId: SESSION };
    const query = { until: LATER, after: 0, limit: 9 };
    expect((await store.turns.old(session, query)).map(({ id }) => id)).toEqual(['turn-2']);
    const again = await store.turns.compact({ scope, turns: [keptOf(1)] }, rulesAt(LATER + 1));
    expect(again).toEqual({ turns: [], bytes: 0, scope });
    const [first] = await store.turns.latest(session, 2);
    expect(first).toMatchObject({ quotes: ['It was late.'], compactedAt: LATER });
    await compactAll(store, scope, [keptOf(2)]);
    const found = await store.turns.oldSessions(tenant, { until: LATER, place: null, limit: 9 });
    expect(found).toEqual([]);
    const [next] = await store.turns.tenantsWithText({ after: before(tenant), limit: 1 });
    expect(next?.tenant).not.toBe(tenant);
  });

  it('a compaction of more turns than a call may name is refused', async () => {
    const { store, tenant } = fixture();
    await talk(store, tenant, COMPACTED_PER_CALL_MAX + 1);
    const seen = await store.scopes.get(sessionScope(tenant));
    const all = Array.from({ length: COMPACTED_PER_CALL_MAX + 1 }, (_, at) => keptOf(at + 1));
    const refused = store.turns.compact({ scope: seen, turns: all }, rulesAt(LATER));
    await expect(refused).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    const { count } = await compactAll(store, seen, all.slice(1));
    expect(count).toBe(COMPACTED_PER_CALL_MAX);
  });
}

function refusalSuite(open: Open): void {
  const fixture = sharedStore(open);

  it('a compaction does nothing if the session changed meanwhile', async () => {
    const { store, tenant } = fixture();
    await talk(store, tenant, 2);
    const seen = await store.scopes.get(sessionScope(tenant));
    await store.memories.add(memoryOf(tenant, 1, sessionScope(tenant)), rulesAt(NOW));
    expect(
      await store.turns.compact({ scope: seen, turns: [keptOf(1)] }, rulesAt(LATER)),
    ).toBeNull();
    const [first] = await store.turns.latest({ tenant, sessionId: SESSION }, 2);
    expect(first?.compactedAt).toBeNull();
  });

  it('a compaction does nothing while a summary of the session is being made', async () => {
    const { store, tenant } = fixture();
    await talk(store, tenant, 2);
    const free = await store.scopes.get(sessionScope(tenant));
    const lease = leaseOf(free, { until: LATER });
    const [leased = free] = await store.scopes.lease([{ scope: free, lease }], NOW);
    const compaction = { scope: leased, turns: [keptOf(1)] };
    expect(await store.turns.compact(compaction, rulesAt(LATER - 1))).toBeNull();
    const done = await store.turns.compact(compaction, rulesAt(LATER));
    expect(done?.turns).toHaveLength(1);
  });

  it('a summary made before a compaction is not committed after it', async () => {
    const { store, tenant } = fixture();
    const scope = sessionScope(tenant);
    await talk(store, tenant, 2);
    const claimed = await claim(store, scope, NOW);
    const commit = commitOf(claimed.record, claimed, NOW);
    await compactAll(store, claimed.record, [keptOf(1)]);
    expect(await store.summaries.commit(commit)).toBe(false);
  });

  it('a compaction does not change turns of another session', async () => {
    const { store, tenant } = fixture();
    await talk(store, tenant, 2);
    await talk(store, tenant, 2, 'other');
    const seen = await store.scopes.get(sessionScope(tenant, 'other'));
    await compactAll(store, seen, [keptOf(1)]);
    const turns = await store.turns.latest({ tenant, sessionId: SESSION }, 2);
    expect(turns.map(({ compactedAt }) => compactedAt)).toEqual([null, null]);
  });
}

function leftoverSuite(open: Open): void {
  it('no text of a compacted turn remains in the store', async () => {
    await using opened = await open();
    const { store } = opened;
    const tenant = 'acme';
    const content = `The xylophone stands in the hall. ${'Nobody plays it. '.repeat(400)}`;
    const turn = turnOf(tenant, 1, { content, toolCalls: [noteOf('violoncello')] });
    await store.turns.append([turn, turnOf(tenant, 2)], rulesAt(NOW));
    for (const text of ['xylophone', 'violoncello']) expect(await opened.raw()).toContain(text);
    const scope = await store.scopes.get(sessionScope(tenant));
    await compactAll(store, scope, [keptOf(1, ['Nobody plays it.'])]);
    const raw = await opened.raw();
    for (const text of ['xylophone', 'violoncello']) expect(raw).not.toContain(text);
    expect(raw).toContain('Nobody plays it.');
    expect(raw).toContain('What was said 2 minutes into the call.');
  });

  const fixture = sharedStore(open);

  it('unfinished old answers lose their text, oldest first', async () => {
    const { store, tenant } = fixture();
    for (const n of [1, 2, 3]) {
      const attempt = { attemptId: `attempt-${String(n)}`, at: NOW + n };
      await store.answers.put(answerOf(tenant, attempt));
    }
    const forget = (until: number, limit: number) => store.answers.forget(tenant, { until, limit });
    expect(await forget(NOW, 9)).toBe(0);
    expect(await forget(NOW + 2, 1)).toBe(1);
    expect(await forget(NOW + 2, 9)).toBe(1);
    expect(await forget(NOW + 2, 9)).toBe(0);
    const left = await store.answers.ofBatch(tenant, 'batch-1');
    expect(left.map(({ state, text }) => [state, text === null])).toEqual([
      ['committed', true],
      ['committed', true],
      ['paid', false],
    ]);
  });

  it('tenants are found by their oldest answer that still has text', async () => {
    const { store, tenant } = fixture();
    const names = ['a', 'b', 'c'].map((name) => `${tenant}-${name}`);
    for (const name of names) {
      await store.answers.put(answerOf(name, { attemptId: 'attempt-2', at: NOW + 2 }));
      await store.answers.put(answerOf(name, { at: NOW + 1 }));
    }
    const [a = '', b = '', c = ''] = names;
    await store.answers.forget(a, { until: NOW + 1, limit: 9 });
    await store.answers.forget(b, { until: NOW + 2, limit: 9 });
    const look = (after: string, limit: number) => store.answers.tenantsWithText({ after, limit });
    expect(await look(tenant, 2)).toEqual([
      { tenant: a, oldestAt: NOW + 2 },
      { tenant: c, oldestAt: NOW + 1 },
    ]);
    expect(await look(tenant, 1)).toEqual([{ tenant: a, oldestAt: NOW + 2 }]);
    expect((await look(a, 1)).map((each) => each.tenant)).toEqual([c]);
  });
}
