/** What else a compaction counts and deletes, what it skips, and which tenants it checks. */
import { describe, expect, test } from 'vitest';
import { SOURCES_PER_SCOPE_MAX } from '#activities/load-batch.ts';
import {
  compactStep,
  compactTenant,
  startCompactions,
} from '#activities/retention/retention-activities.ts';
import { VarveError } from '#core/errors.ts';
import { NO_METRICS, type Metrics } from '#core/ports/metrics.ts';
import { TENANTS_PER_LOOK } from '#core/retention/retention-contract.ts';
import { answerOf } from '#test/conformance/answer-suite.ts';
import { ownerOf, rulesAt, turnOf } from '#test/conformance/samples.ts';
import {
  DAY_MS,
  OLD_MS,
  openRetentionHarness,
  statements,
  TENANT,
  type RetentionHarness,
} from './retention-harness.ts';

const SESSION = 'call';
const { signal } = new AbortController();

/** Counts by name and labels. */
function counting(): Metrics & { readonly counted: Record<string, number> } {
  const counted: Record<string, number> = {};
  return {
    ...NO_METRICS,
    counted,
    count: (name, labels, by = 1) => {
      const key = [name, ...Object.values<string>(labels)].join(' ');
      counted[key] = (counted[key] ?? 0) + by;
    },
  };
}

describe('a compaction', () => {
  test('ENG-08: counts turns, bytes and waiting sessions', async () => {
    await using harness = await openRetentionHarness();
    await harness.say(SESSION, statements(3, 'travel'));
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    await harness.say('late', ['Well, hello there.']);
    harness.fixture.advance(OLD_MS);
    const metrics = counting();
    const ports = { ...harness.fixture.parts, metrics };
    const rules = { tenant: TENANT, dryRun: false };
    const { bytesFreed } = await compactTenant(ports, rules, { signal });
    expect(bytesFreed).toBeGreaterThan(0);
    harness.fixture.advance(OLD_MS);
    await compactTenant(ports, rules, { signal });
    expect(metrics.counted).toEqual({
      'memory_compaction_turns_total Summarized': 3,
      'memory_compaction_turns_total Unsummarized': 1,
      memory_compaction_bytes_freed_total: bytesFreed + 'Well, hello there.'.length,
      'memory_compaction_sessions_waiting_total NotCovered': 1,
    });
  });

  test('leaves entities, memories and summaries of a session unchanged', async () => {
    await using harness = await openRetentionHarness();
    const { store } = harness.fixture.parts;
    const place = { layer: 'session', identifiers: { sessionId: SESSION } };
    const content = 'Bergen is where the team meets.';
    const id = await harness.fixture.add(TENANT, content, { ...place, kind: 'entity' });
    await harness.say(SESSION, statements(2, 'travel'));
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    const before = [await store.memories.get(TENANT, id), await store.summaries.list(TENANT, 10)];
    expect((await harness.compact()).counts).toMatchObject({ turns: 2 });
    expect([await store.memories.get(TENANT, id), await store.summaries.list(TENANT, 10)]).toEqual(
      before,
    );
    expect(before[0]).toMatchObject({ content, kind: 'entity' });
  });

  test('clears the text of old unfinished answers, but not of later ones', async () => {
    await using harness = await openRetentionHarness();
    const { answers } = harness.fixture.parts.store;
    const now = harness.fixture.parts.platform.clock();
    await answers.put(answerOf(TENANT, { attemptId: 'old', at: now }));
    harness.fixture.advance(OLD_MS);
    await answers.put(answerOf(TENANT, { attemptId: 'late', at: now + OLD_MS }));
    expect((await harness.compact(true)).counts).toMatchObject({ answers: 0 });
    expect((await harness.compact()).counts).toMatchObject({ answers: 1 });
    const left = await answers.ofBatch(TENANT, 'batch-1');
    expect(left.map(({ attemptId, text }) => [attemptId, text === null])).toEqual([
      ['old', true],
      ['late', false],
    ]);
    expect(await harness.events('memory_compaction_completed')).toHaveLength(1);
  });

  test.each([
    ['passes over a corrupt session', 'CORRUPT', { turns: 1, waiting: 1 }],
    ['fails on a temporary error, to be retried', 'TIMEOUT', null],
  ] as const)('%s', async (_, code, counts) => {
    await using harness = await openRetentionHarness();
    await harness.say('broken', statements(1, 'travel'));
    await harness.say('sound', statements(1, 'garden'));
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    const { parts } = harness.fixture;
    const { summaries } = parts.store;
    const get: typeof summaries.get = (scope, audience) => {
      if (scope.scopeId === 'broken') throw new VarveError(code, 'It is not to be read.');
      return summaries.get(scope, audience);
    };
    const store = { ...parts.store, summaries: { ...summaries, get } };
    const done = compactTenant({ ...parts, store }, { tenant: TENANT, dryRun: false }, { signal });
    if (counts === null) await expect(done).rejects.toMatchObject({ code });
    else expect(await done).toMatchObject(counts);
  });
});

describe('a session too large for one read', () => {
  /** Its record says that it has as many sources as a summary may have, and more. */
  function largeStore({ fixture }: RetentionHarness, most: number) {
    const { store } = fixture.parts;
    const { scopes } = store;
    const asked = { sources: 0 };
    const get: typeof scopes.get = async (scope) => {
      return { ...(await scopes.get(scope)), sourceCount: SOURCES_PER_SCOPE_MAX };
    };
    const sources: typeof scopes.sources = (scope, page) => {
      asked.sources += 1;
      if (asked.sources > most) throw new VarveError('CONTENT_TOO_LONG', 'It is not to be read.');
      return scopes.sources(scope, page);
    };
    return { ...store, scopes: { ...scopes, get, sources } };
  }

  test('is not read if no fact cites an old turn', async () => {
    await using harness = await openRetentionHarness();
    await harness.say(SESSION, ['Well, hello there.']);
    harness.fixture.advance(2 * OLD_MS);
    const ports = { ...harness.fixture.parts, store: largeStore(harness, 0) };
    const counts = await compactTenant(ports, { tenant: TENANT, dryRun: false }, { signal });
    expect(counts).toMatchObject({ turns: 1, waiting: 0 });
  });

  test('keeps the quotes that its facts cite', async () => {
    await using harness = await openRetentionHarness();
    await harness.say(SESSION, ['Well, hello there.', ...statements(2, 'travel')]);
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    const expected = await harness.compact(true);
    const ports = { ...harness.fixture.parts, store: largeStore(harness, 1) };
    const counts = await compactTenant(ports, { tenant: TENANT, dryRun: false }, { signal });
    expect(counts).toEqual(expected.counts);
    const kept = (await harness.turns(SESSION)).map(({ quotes }) => quotes.length > 0);
    expect(kept).toEqual([false, true, true]);
  });
});

describe('a cancelled compaction step', () => {
  test('skips no session: the next compaction takes the rest', async () => {
    await using harness = await openRetentionHarness();
    for (const session of ['a', 'b', 'c']) await harness.say(session, statements(1, session));
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    const controller = new AbortController();
    const call = { signal: controller.signal, report: () => controller.abort() };
    const step = compactStep(harness.fixture.parts, { tenant: TENANT, place: null }, call);
    await expect(step).rejects.toThrow(/aborted/u);
    expect((await harness.compact()).counts).toMatchObject({ sessions: 2 });
  });
});

describe('the search for old turns', () => {
  async function startsOf(harness: RetentionHarness, failing: readonly string[] = []) {
    const asked: string[] = [];
    const start = async (tenant: string) => {
      asked.push(tenant);
      if (failing.includes(tenant)) throw new VarveError('PROVIDER_ERROR', 'It is unavailable.');
      return asked.length > 1 ? ('UnderWay' as const) : ('Started' as const);
    };
    const report = await startCompactions(harness.fixture.parts, { start }, { after: null });
    return { asked, report };
  }

  async function say(harness: RetentionHarness, tenant: string, at: number): Promise<void> {
    const { turns } = harness.fixture.parts.store;
    await turns.append([turnOf(tenant, 1, { at })], rulesAt(at));
  }

  test('finds tenants by their own policy or the default, but no released ones', async () => {
    await using harness = await openRetentionHarness();
    const { store, platform } = harness.fixture.parts;
    const now = platform.clock();
    for (const tenant of ['default-old', 'patient', 'released', 'strict']) {
      await say(harness, tenant, now);
    }
    await harness.fixture.declare('patient', () => ({ transcriptRetentionDays: 90 }));
    await harness.fixture.declare('strict', () => ({ transcriptRetentionDays: 1 }));
    await harness.fixture.declare('released', () => ({ transcriptRetentionDays: 1 }));
    await store.policies.release('released', ownerOf('test'), { now });
    harness.fixture.advance(DAY_MS - 1);
    expect((await startsOf(harness)).asked).toEqual([]);
    harness.fixture.advance(1);
    expect((await startsOf(harness)).asked).toEqual(['strict']);
    harness.fixture.advance(OLD_MS);
    const { asked, report } = await startsOf(harness);
    expect(asked).toEqual(['default-old', 'strict']);
    expect(report).toEqual({ started: 1, underWay: 1, failed: 0, after: null });
  });

  test('finds tenants that have only the text of an old unfinished answer', async () => {
    await using harness = await openRetentionHarness();
    const { answers } = harness.fixture.parts.store;
    const at = harness.fixture.parts.platform.clock();
    await say(harness, 'b', at);
    for (const tenant of ['a', 'b', 'c']) await answers.put(answerOf(tenant, { at }));
    await answers.put(answerOf('late', { at: at + DAY_MS }));
    harness.fixture.advance(30 * DAY_MS);
    expect((await startsOf(harness)).asked).toEqual(['a', 'b', 'c']);
    const rules = { tenant: 'a', dryRun: false };
    const counts = await compactTenant(harness.fixture.parts, rules, { signal });
    expect(counts).toMatchObject({ answers: 1, turns: 0 });
    expect((await startsOf(harness)).asked).toEqual(['b', 'c']);
  });

  test('goes on with other tenants if the run of one cannot be started', async () => {
    await using harness = await openRetentionHarness();
    for (const tenant of ['a', 'b'])
      await say(harness, tenant, harness.fixture.parts.platform.clock());
    harness.fixture.advance(OLD_MS);
    const { asked, report } = await startsOf(harness, ['a']);
    expect(asked).toEqual(['a', 'b']);
    expect(report).toMatchObject({ failed: 1, underWay: 1 });
  });

  test('stops after a full page of tenants and tells where to continue', async () => {
    await using harness = await openRetentionHarness();
    const names = Array.from({ length: TENANTS_PER_LOOK }, (_, n) => {
      return `tenant-${String(n).padStart(3, '0')}`;
    });
    for (const tenant of names) await say(harness, tenant, harness.fixture.parts.platform.clock());
    expect((await startsOf(harness)).report.after).toBe(names.at(-1));
  });
});
