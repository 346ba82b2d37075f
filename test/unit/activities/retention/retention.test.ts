/** Compaction over a real store: what is removed, what stays, and what is reported. */
import { describe, expect, test } from 'vitest';
import { OPERATIONS } from '#api/operations/table.ts';
import { LOCAL_OPERATOR } from '#api/principal.ts';
import { SESSIONS_PER_STEP } from '#core/retention/retention-contract.ts';
import { SEGMENTS_PER_CALL_MAX } from '#core/ports/scope-records.ts';
import type { Fact } from '#core/records/summary.ts';
import { ownerOf, sessionScope } from '#test/conformance/samples.ts';
import {
  DAY_MS,
  OLD_MS,
  openRetentionHarness,
  statements,
  TENANT,
  type RetentionHarness,
} from './retention-harness.ts';

const HOUR_MS = 3_600_000;
const TEST_MS_MAX = 120_000;
const SESSION = 'call';
const SAID = ['Well, hello there.', ...statements(4, 'travel'), 'Fine by me.'];

async function factsOf(
  { fixture }: RetentionHarness,
  sessionId = SESSION,
): Promise<readonly Fact[]> {
  const scope = sessionScope(TENANT, sessionId);
  return (await fixture.parts.store.summaries.get(scope, ''))?.facts ?? [];
}

async function leafFactsOf({ fixture }: RetentionHarness): Promise<readonly Fact[]> {
  const page = { after: '', limit: SEGMENTS_PER_CALL_MAX };
  const segments = await fixture.parts.store.segments.list(sessionScope(TENANT, SESSION), page);
  return segments.filter(({ level }) => level === 0).flatMap(({ facts }) => facts);
}

/** Every task that the model was given. */
function itemsOf({ fixture }: RetentionHarness) {
  return fixture.calls.flatMap(({ items }) => items);
}

function textsOf(facts: readonly Fact[]): readonly string[] {
  return facts.map(({ text }) => text);
}

describe('compaction', () => {
  test('ENG-07: clears the text of old turns while the summary is served as before', async () => {
    await using harness = await openRetentionHarness();
    await harness.say(SESSION, SAID);
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    const before = await harness.served(SESSION);
    expect(before).not.toBeNull();
    const { state, counts } = await harness.compact();
    expect(state).toBe('Done');
    expect(counts).toMatchObject({ sessions: 1, turns: SAID.length, unsummarized: 0, waiting: 0 });
    const turns = await harness.turns(SESSION);
    expect(turns.map(({ content }) => content)).toEqual(SAID.map(() => ''));
    const cited = new Set((await factsOf(harness)).flatMap(({ sources }) => sources));
    for (const { id, quotes } of turns) expect(quotes.length > 0).toBe(cited.has(id));
    expect(await harness.served(SESSION)).toEqual(before);
    expect((await harness.compact()).counts).toMatchObject({ turns: 0, sessions: 0 });
  });

  test('keeps cleared turns out of the context of another session of the same user', async () => {
    await using harness = await openRetentionHarness();
    const { ports } = harness.fixture;
    const own = { tenant: TENANT, identifiers: { userId: 'ann' } };
    const turns = [{ role: 'user' as const, content: 'The boat is moored in Lugano.' }];
    const append = OPERATIONS.conversation.append;
    await append.call(ports, LOCAL_OPERATOR, { ...own, sessionId: SESSION, turns });
    const query = 'Where is the boat moored?';
    const contextNow = async () =>
      (await OPERATIONS.context.assemble.call(ports, LOCAL_OPERATOR, { ...own, query })).text;
    expect(await contextNow()).toContain('user: The boat is moored in Lugano.');
    const session = { tenant: TENANT, sessionId: SESSION };
    await OPERATIONS.conversation.flush.call(ports, LOCAL_OPERATOR, session);
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    expect((await harness.compact()).counts).toMatchObject({ turns: 1 });
    expect(await contextNow()).not.toContain('user: The boat');
  });

  test('keeps later turns, and no context shows what was cleared', async () => {
    await using harness = await openRetentionHarness();
    await harness.say(SESSION, statements(3, 'travel'));
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    await harness.say(SESSION, ['The meeting on 4 May is cancelled.']);
    await harness.refresh();
    await harness.compact();
    const context = await harness.context(SESSION);
    expect(context).toContain('user: The meeting on 4 May is cancelled.');
    expect(context).toContain('travel budget of team 1');
    expect(context.match(/user:/gu)).toHaveLength(1);
    const last = (await harness.turns(SESSION)).at(-1);
    expect(last).toMatchObject({ compactedAt: null, quotes: [] });
  });

  test('does not change what a regenerated summary says', async () => {
    await using harness = await openRetentionHarness();
    await harness.say(SESSION, SAID);
    await harness.refresh();
    const before = await factsOf(harness);
    expect(before.length).toBeGreaterThan(2);
    harness.fixture.advance(OLD_MS);
    await harness.compact();
    await harness.refresh();
    const after = await factsOf(harness);
    expect(textsOf(after).toSorted()).toEqual(textsOf(before).toSorted());
    const { facts, droppedFacts } = (await harness.fixture.parts.store.summaries.get(
      sessionScope(TENANT, SESSION),
      '',
    )) ?? { facts: [], droppedFacts: [] };
    expect(droppedFacts).toEqual([]);
    expect(facts.every(({ sources }) => sources.length > 0)).toBe(true);
    const { store } = harness.fixture.parts;
    const record = await store.scopes.get(sessionScope(TENANT, SESSION));
    const sizes = await store.storageSizes(10);
    expect(sizes).toEqual([
      { tenant: TENANT, layer: 'session', bytes: record.sourceBytes, sources: SAID.length },
    ]);
    const quotes = (await harness.turns(SESSION)).map((turn) => turn.quotes.join('\n'));
    expect(record.sourceBytes).toBe(quotes.join('').length);
  });

  test('leaves only the summary in the context of a session whose turns are all cleared', async () => {
    await using harness = await openRetentionHarness();
    await harness.say(SESSION, SAID);
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    await harness.compact();
    const context = await harness.context(SESSION);
    expect(context).not.toMatch(/user:/u);
    expect(context).toContain('travel budget of team 1');
  });
});

describe('a large session', () => {
  test(
    'costs no model call for the parts that did not change',
    { timeout: TEST_MS_MAX },
    async () => {
      await using harness = await openRetentionHarness({
        answer: (_, extractive) => extractive(),
        windowTokens: 4_000,
      });
      await harness.say(SESSION, statements(150, 'travel'));
      await harness.refresh();
      const before = await factsOf(harness);
      expect(itemsOf(harness).length).toBeGreaterThan(3);
      harness.fixture.advance(OLD_MS);
      const { counts } = await harness.compact();
      expect(counts).toMatchObject({ turns: 150 });
      const asked = itemsOf(harness).length;
      await harness.refresh();
      expect(itemsOf(harness)).toHaveLength(asked);
      expect(await factsOf(harness)).toEqual(before);
      // Of leaves too: a leaf that is made again is not to lose what the root passed over.
      const cited = (await leafFactsOf(harness)).flatMap(({ sources }) => sources);
      const turns = await harness.turns(SESSION);
      const kept = turns.filter(({ quotes }) => quotes.length > 0).map(({ id }) => id);
      expect(new Set(kept)).toEqual(new Set(cited));
      await harness.say(SESSION, ['The meeting on 4 May is cancelled.']);
      await harness.refresh();
      const [leaf, ...above] = itemsOf(harness).slice(asked);
      expect(leaf?.task).toBe('Extract');
      expect(leaf?.sources.every(({ text }) => text !== '')).toBe(true);
      expect(above.length).toBeLessThanOrEqual(3);
    },
  );
});

describe('a session without a current summary', () => {
  test('waits for its summary and is compacted afterwards', async () => {
    await using harness = await openRetentionHarness();
    await harness.say(SESSION, SAID);
    harness.fixture.advance(OLD_MS);
    expect((await harness.compact()).counts).toMatchObject({ turns: 0, waiting: 1 });
    expect((await harness.turns(SESSION)).every(({ content }) => content !== '')).toBe(true);
    await harness.refresh();
    expect((await harness.compact()).counts).toMatchObject({ turns: SAID.length, waiting: 0 });
  });

  test('loses its text after twice the waiting time, counted as unsummarized', async () => {
    await using harness = await openRetentionHarness();
    await harness.say(SESSION, SAID);
    harness.fixture.advance(OLD_MS + 10 * DAY_MS);
    await harness.say(SESSION, ['The meeting is on 4 May.']);
    harness.fixture.advance(20 * DAY_MS);
    const { counts } = await harness.compact();
    const unsummarized = SAID.length;
    expect(counts).toMatchObject({ turns: unsummarized, unsummarized, quotes: 0, waiting: 0 });
    expect((await harness.turns(SESSION)).at(-1)?.content).toBe('The meeting is on 4 May.');
  });

  test('waits for its summary as long if its turns carry an old date', async () => {
    await using harness = await openRetentionHarness();
    await harness.say('before', ['The meeting is on 4 May.']);
    await harness.refresh();
    const at = harness.fixture.parts.platform.clock() - 100 * DAY_MS;
    const turns = SAID.map((content) => ({ role: 'user' as const, content, at }));
    for (const sessionId of [SESSION, 'before']) {
      await OPERATIONS.conversation.append.call(harness.fixture.ports, LOCAL_OPERATOR, {
        tenant: TENANT,
        sessionId,
        turns,
      });
    }
    harness.fixture.advance(OLD_MS);
    expect((await harness.compact()).counts).toMatchObject({ turns: 1, waiting: 2 });
    await harness.refresh();
    const { counts } = await harness.compact();
    expect(counts).toMatchObject({ turns: 2 * SAID.length, unsummarized: 0, waiting: 0 });
  });

  test('a session that is written to all the time still loses its old turns', async () => {
    await using harness = await openRetentionHarness();
    await harness.say(SESSION, SAID);
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    await harness.say(SESSION, ['The meeting is on 4 May.', 'It is cancelled.']);
    expect((await harness.compact()).counts).toMatchObject({ turns: SAID.length, unsummarized: 0 });
    const record = await harness.fixture.parts.store.scopes.get(sessionScope(TENANT, SESSION));
    expect(record.changes).toBe(2);
  });

  test('a session with nothing left causes no model call and no dead letter', async () => {
    await using harness = await openRetentionHarness({ answer: (_, extractive) => extractive() });
    await harness.say(SESSION, SAID);
    harness.fixture.advance(2 * OLD_MS);
    await harness.compact();
    for (let n = 0; n < 5; n += 1) {
      await harness.fixture.round(TENANT);
      harness.fixture.advance(HOUR_MS);
    }
    expect(harness.fixture.calls).toEqual([]);
    const record = await harness.fixture.parts.store.scopes.get(sessionScope(TENANT, SESSION));
    expect(record).toMatchObject({ deadLetter: null, dueAt: null });
  });

  test('a released tenant keeps its text, and the call is refused', async () => {
    await using harness = await openRetentionHarness();
    await harness.fixture.declare(TENANT, () => ({}));
    await harness.say(SESSION, SAID);
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    const { policies } = harness.fixture.parts.store;
    const now = harness.fixture.parts.platform.clock();
    await policies.release(TENANT, ownerOf('test'), { now });
    await expect(harness.compact()).rejects.toMatchObject({ code: 'FORBIDDEN' });
    expect((await harness.compact(true)).counts).toMatchObject({ turns: 0, waiting: 0 });
    const step = { tenant: TENANT, place: null };
    const activities = harness.fixture.activities as unknown as {
      compactStep(input: typeof step): Promise<{ done: { turns: number } }>;
    };
    expect((await activities.compactStep(step)).done.turns).toBe(0);
    expect((await harness.turns(SESSION)).every(({ content }) => content !== '')).toBe(true);
  });

  test('the policy of the tenant decides how old a turn must be', async () => {
    await using harness = await openRetentionHarness();
    await harness.fixture.declare(TENANT, () => ({ transcriptRetentionDays: 2 }));
    await harness.say(SESSION, SAID);
    await harness.refresh();
    harness.fixture.advance(2 * DAY_MS - 1);
    expect((await harness.compact()).counts).toMatchObject({ turns: 0 });
    harness.fixture.advance(1);
    expect((await harness.compact()).counts).toMatchObject({ turns: SAID.length });
  });
});

describe('the report of a compaction', () => {
  test('ENG-08: is one event with counts, or none if nothing was cleared', async () => {
    await using harness = await openRetentionHarness();
    await harness.compact();
    await harness.say(SESSION, SAID);
    await harness.say('other', statements(2, 'garden'));
    await harness.refresh();
    await harness.say('late', ['Not summarized yet.']);
    harness.fixture.advance(OLD_MS);
    const { counts } = await harness.compact();
    await harness.compact();
    const events = await harness.events('memory_compaction_completed');
    expect(events.map(({ attributes }) => attributes)).toEqual([counts]);
    expect(counts).toMatchObject({ sessions: 2, turns: SAID.length + 2, waiting: 1 });
    expect(counts?.bytesFreed).toBeGreaterThan(0);
    expect(counts?.quotes).toBeGreaterThan(2);
  });

  test('has the same counts for a dry run, which writes nothing', async () => {
    await using harness = await openRetentionHarness();
    for (let n = 0; n <= SESSIONS_PER_STEP; n += 1) {
      await harness.say(`session-${String(n)}`, ['Well, hello there.', ...statements(1, 'travel')]);
    }
    await harness.refresh();
    harness.fixture.advance(OLD_MS);
    const dry = await harness.compact(true);
    expect(dry.state).toBe('Preview');
    expect(await harness.compact(true)).toEqual(dry);
    expect(dry.counts).toMatchObject({ sessions: SESSIONS_PER_STEP + 1 });
    expect(await harness.events('memory_compaction_completed')).toEqual([]);
    expect((await harness.compact()).counts).toEqual(dry.counts);
  });

  test('includes sessions behind many that wait', async () => {
    await using harness = await openRetentionHarness();
    for (let n = 0; n < 2 * SESSIONS_PER_STEP + 3; n += 1) {
      await harness.say(`waiting-${String(n)}`, ['Well, hello there.']);
    }
    harness.fixture.advance(HOUR_MS);
    const { store } = harness.fixture.parts;
    await harness.say('ready', SAID);
    for (const { scopeId, ...scope } of await store.scopes.list(TENANT, 100)) {
      const at = harness.fixture.parts.platform.clock();
      const given = { code: 'TIMEOUT', reason: 'TIMEOUT', at };
      if (scopeId === 'ready') continue;
      await store.scopes.replace({
        ...scope,
        scopeId,
        deadLetter: given,
        dueAt: null,
        dueTrigger: null,
        changes: 0,
        version: scope.version + 1,
      });
    }
    for (let n = 0; n < 4; n += 1) await harness.fixture.round(TENANT, 'Due');
    harness.fixture.advance(OLD_MS);
    const { counts } = await harness.compact();
    expect(counts).toMatchObject({
      turns: SAID.length,
      sessions: 1,
      waiting: 2 * SESSIONS_PER_STEP + 3,
    });
  });

  test('is refused to a principal bound to identifiers', async () => {
    await using harness = await openRetentionHarness();
    const bound = { ...LOCAL_OPERATOR, bound: { sessionId: SESSION } };
    const asked = OPERATIONS.memory.compact.call(harness.fixture.ports, bound, { tenant: TENANT });
    await expect(asked).rejects.toMatchObject({ code: 'FORBIDDEN' });
  });
});
