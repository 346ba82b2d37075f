import path from 'node:path';
import { describe, expect, test } from 'vitest';

import { createPastSessions } from '#api/past-session-cache.ts';
import type { PastSession } from '#core/recall/sessions/past-session.ts';
import type { SessionRecord } from '#core/records/session.ts';
import type { Turn } from '#core/records/turn.ts';
import type { Store } from '#core/ports/store.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import { NOW, rulesAt, turnOf } from '#test/conformance/samples.ts';
import { OPENING, PLATFORM, temporaryFolder } from '#test/conformance/sqlite-adapter.ts';

const TENANT = 'acme';
const SESSION = { tenant: TENANT, sessionId: 'call' };
const HOUR_MS = 3_600_000;

const said = [1, 2, 3].map((n) => turnOf(TENANT, n));

function recordOf(differing: Partial<SessionRecord> = {}): SessionRecord {
  return {
    ...SESSION,
    owner: 'ann',
    opener: '',
    identifiers: {},
    firstAt: NOW,
    lastAt: NOW,
    endedAt: null,
    flushedTo: 0,
    flush: null,
    tags: [],
    version: 1,
    ...differing,
  };
}

/** A process: its cache, and the texts that it had to read. */
function process(store: Store, clock = NOW + HOUR_MS) {
  const read: string[] = [];
  const analyzer = {
    revision: OPENING.analyzer.revision,
    terms: (text: string) => {
      read.push(text);
      return OPENING.analyzer.terms(text);
    },
  };
  const platform = { ...PLATFORM, clock: () => clock };
  const { get, settled } = createPastSessions({ store, analyzer, platform });
  const sessions = {
    get: async (record: SessionRecord, generation: string | null) => {
      const [session] = await get([record], generation);
      if (session === undefined) throw new Error('one for each record');
      return session;
    },
    settled,
  };
  return { read, sessions };
}

async function withStore(use: (store: Store) => Promise<void>): Promise<void> {
  await using temporary = await temporaryFolder();
  const file = path.join(temporary.folder, 'varve.db');
  await using store = await openSqliteStore({ file, ...OPENING });
  await store.turns.append(said, rulesAt(NOW));
  await use(store);
}

/** Prepares the session in a first process, which saves what it can. */
async function askedBefore(store: Store, record = recordOf(), clock?: number): Promise<void> {
  const { sessions } = process(store, clock);
  await sessions.get(record, null);
  await sessions.settled();
}

describe('a session that goes on', () => {
  const shown = ({ passages, columns, turns }: PastSession) => ({
    said: passages.map(({ text, turn, terms }) => [text, turn, terms]),
    ...{ columns, turns },
  });

  test('is prepared by reading only its new turns, and is the same', async () => {
    await withStore(async (store) => {
      const clock = NOW + 60_000;
      const { read, sessions } = process(store, clock);
      const before = await sessions.get(recordOf(), null);
      await store.turns.append([turnOf(TENANT, 4)], rulesAt(NOW));
      read.length = 0;
      const after = await sessions.get(recordOf({ version: 2 }), null);
      expect(read).toEqual([turnOf(TENANT, 4).content]);
      expect(after.passages[0]).toBe(before.passages[0]);
      const alone = await process(store, clock).sessions.get(recordOf({ version: 2 }), null);
      expect(shown(after)).toEqual(shown(alone));
    });
  });

  test('is read again without a turn that was deleted', async () => {
    await withStore(async (store) => {
      const { sessions } = process(store, NOW + 60_000);
      await sessions.get(recordOf(), null);
      await store.turns.delete(SESSION, ['turn-2'], rulesAt(NOW));
      await store.turns.append([turnOf(TENANT, 4)], rulesAt(NOW));
      const after = await sessions.get(recordOf({ version: 2 }), null);
      const contents = [said[0], said[2], turnOf(TENANT, 4)].map((turn) => turn?.content);
      expect(after.passages.map(({ text }) => text)).toEqual(contents);
      expect(after.turns.map(({ turn }) => turn.content)).toEqual(contents);
    });
  });
});

describe('a quiet session that another process has read', () => {
  test('is prepared without reading its texts again, and is the same', async () => {
    await withStore(async (store) => {
      const first = process(store);
      const prepared = await first.sessions.get(recordOf(), null);
      await first.sessions.settled();
      expect(first.read).toEqual(said.map(({ content }) => content));

      const second = process(store);
      const again = await second.sessions.get(recordOf(), null);
      expect(second.read).toEqual([]);
      const shown = ({ passages, columns, index, turns }: typeof again) => ({
        said: passages.map(({ text, turn, startsLine, terms }) => [text, turn, startsLine, terms]),
        ...{ columns, index, turns },
      });
      expect(shown(again)).toEqual(shown(prepared));
    });
  });

  test('is read again if a turn came later, and saved with it', async () => {
    await withStore(async (store) => {
      await askedBefore(store);
      await store.turns.append([turnOf(TENANT, 4)], rulesAt(NOW));
      const later = process(store);
      const { turns } = await later.sessions.get(recordOf({ version: 2 }), null);
      await later.sessions.settled();
      expect([turns.length, later.read.length]).toEqual([4, 4]);

      const last = process(store);
      await last.sessions.get(recordOf({ version: 2 }), null);
      expect(last.read).toEqual([]);
    });
  });

  test.for<[string, Partial<SessionRecord>, number, boolean]>([
    ['had its last turn an hour ago', {}, NOW + HOUR_MS, true],
    ['had its last turn a minute ago', {}, NOW + 60_000, false],
    ['ended a minute ago', { endedAt: NOW }, NOW + 60_000, true],
  ])('is saved only if it is quiet: %s', async ([, record, clock, isSaved]) => {
    await withStore(async (store) => {
      await askedBefore(store, recordOf(record), clock);
      expect((await store.turns.analysis(SESSION)) !== null).toBe(isSaved);
    });
  });

  test('is read again after its saved analysis was damaged', async () => {
    await withStore(async (store) => {
      await askedBefore(store);
      const [saved, scope] = await Promise.all([
        store.turns.analysis(SESSION),
        store.scopes.get({ tenant: TENANT, layer: 'session', scopeId: 'call' }),
      ]);
      if (saved === null || scope === null) throw new Error('saved before');
      await store.turns.saveAnalysis({ ...saved, content: 'damaged' }, scope, NOW);
      const next = process(store);
      expect((await next.sessions.get(recordOf(), null)).turns).toHaveLength(3);
      expect(next.read).toHaveLength(3);
    });
  });

  test('answers without the words of a turn that was deleted', async () => {
    await withStore(async (store) => {
      await askedBefore(store);
      await store.turns.delete(SESSION, ['turn-2'], rulesAt(NOW));
      const next = process(store);
      const { passages } = await next.sessions.get(recordOf({ version: 2 }), null);
      expect(passages.map(({ text }) => text)).toEqual([said[0]?.content, said[2]?.content]);
    });
  });

  test('is searched in its newest turns if it is longer than what is read', async () => {
    const count = 20_003;
    const turns = Array.from({ length: count }, (_, at): Turn => {
      return { ...turnOf(TENANT, at + 1, { content: `Word${String(at + 1)}.` }), sequence: at + 1 };
    });
    const long = {
      analysis: () => Promise.resolve(null),
      saveAnalysis: () => Promise.resolve(false),
      latest: (_: unknown, limit: number) => Promise.resolve(turns.slice(-limit)),
      page: (_: unknown, { after, limit }: { after: number; limit: number }) =>
        Promise.resolve(turns.slice(after, after + limit)),
    };
    await withStore(async (store) => {
      const { sessions } = process({ ...store, turns: { ...store.turns, ...long } });
      const read = await sessions.get(recordOf(), null);
      expect(read.turns).toHaveLength(20_000);
      expect(read.passages.at(-1)?.text).toBe(`Word${String(count)}.`);
    });
  });

  test('is prepared if nothing can be saved', async () => {
    await withStore(async (store) => {
      const full: Store['turns']['saveAnalysis'] = () => Promise.reject(new Error('disk is full'));
      const { sessions } = process({ ...store, turns: { ...store.turns, saveAnalysis: full } });
      expect((await sessions.get(recordOf(), null)).turns).toHaveLength(3);
      await expect(sessions.settled()).resolves.toBeUndefined();
    });
  });

  test('has vectors of the current model alone, whatever was saved', async () => {
    await withStore(async (store) => {
      const vectors: Turn['vectors'] = { generation: 'model-1', passages: ['_A'] };
      await store.turns.append([turnOf(TENANT, 4, { vectors })], rulesAt(NOW));
      await askedBefore(store);
      const { sessions } = process(store);
      const [of1, of2] = await Promise.all([
        sessions.get(recordOf(), 'model-1'),
        sessions.get(recordOf(), 'model-2'),
      ]);
      expect([of1.vectors?.dimensions, of2.vectors]).toEqual([2, null]);
    });
  });
});
