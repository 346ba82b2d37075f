/** Scopes too large for one call: summarized segment by segment, and never paid for twice. */
import { describe, expect, test } from 'vitest';
import { createActivities } from '#activities/create-activities.ts';
import { periodOf } from '#core/budget/budget-account.ts';
import { VarveError } from '#core/errors.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { BatchItem, ModelBatch } from '#core/ports/model.ts';
import { BULK_CHUNK_MAX } from '#core/ports/write-rules-and-outcomes.ts';
import type { Fact } from '#core/records/summary.ts';
import type { Memory } from '#core/records/memory.ts';
import { NO_REFRESH_TRIGGER } from '#core/ports/refresh-trigger.ts';
import { HOUR_MS, memoryOf, MINUTE_MS, NOW } from '#test/conformance/samples.ts';
import {
  openFixture,
  type Fixture,
  type FixtureOptions,
} from '../unit/activities/refresh-fixture.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

const TENANT = 'acme';
/** Whole up to a weight of half: some forty of the memories below. */
const WINDOW = 2_000;
const MEMORIES = 150;
const SCOPE = { tenant: TENANT, layer: 'user', scopeId: 'ann' } as const;
const THINGS = ['garden', 'boat', 'library', 'bakery', 'school', 'harbour', 'museum'];

async function openLarge(options: FixtureOptions = {}, count = MEMORIES) {
  const fixture = await openFixture({
    windowTokens: WINDOW,
    answer: (_, extractive) => extractive(),
    ...options,
  });
  const memories = Array.from({ length: count }, (_, n) => memory(fixture, n));
  const rules = { policy: duePolicyOf(defaultPolicy(TENANT), 'user'), now: NOW };
  for (let start = 0; start < count; start += BULK_CHUNK_MAX) {
    const chunk = memories.slice(start, start + BULK_CHUNK_MAX);
    await fixture.parts.store.memories.addMany(chunk, rules);
  }
  return { fixture, ids: memories.map(({ id }) => id) };
}

/** Its id is the same in every run, and with it the places where the scope is cut. */
function memory({ parts }: Fixture, n: number): Memory {
  const content = `Ann planted tree ${String(n)} behind the ${THINGS[n % THINGS.length] ?? ''}.`;
  return memoryOf(TENANT, n, { content, tokenCount: parts.tokens.count(content) });
}

/** Rounds until nothing is left to do; answers how often each kind of outcome came. */
async function refresh(fixture: Fixture) {
  const outcomes = { generated: 0, advanced: 0, refused: 0 };
  for (let rounds = 0; rounds < 40; rounds += 1) {
    const { batches, generated, advanced, refused } = await fixture.round(TENANT);
    outcomes.generated += generated;
    outcomes.advanced += advanced;
    outcomes.refused += refused;
    if (batches === 0) return outcomes;
  }
  throw new Error('It does not come to an end.');
}

const itemsOf = (calls: readonly ModelBatch[]) => calls.flatMap(({ items }) => items);
/** What an item shows, whatever batch it is asked in. */
const shown = ({ task, sources }: BatchItem) =>
  JSON.stringify([task, sources.map(({ id, contentHash }) => [id, contentHash])]);
const tokensOf = ({ items }: ModelBatch) =>
  items.flatMap(({ sources }) => sources).reduce((sum, { tokens }) => sum + tokens, 0);

async function factsOf(fixture: Fixture) {
  const summary = await fixture.parts.store.summaries.get(SCOPE, '');
  return summary?.facts ?? [];
}

const limitTo = (fixture: Fixture, limitTokens: number, onExhausted: 'Reject' | 'Extractive') =>
  fixture.declare(TENANT, ({ budget }) => ({ budget: { ...budget, limitTokens, onExhausted } }));
const allow = ({ parts }: Fixture, limitTokens: number) =>
  parts.store.accounts.setLimits(TENANT, periodOf(NOW), {
    ...defaultPolicy(TENANT).budget,
    limitTokens,
  });

describe('a large scope', () => {
  test('is summarized in calls within the token limit of the model, each node once', async () => {
    await using fixture = (await openLarge()).fixture;
    expect(await refresh(fixture)).toMatchObject({ generated: 1, refused: 0 });
    const asked = itemsOf(fixture.calls);
    expect(new Set(asked.map(shown)).size).toBe(asked.length);
    expect(new Set(asked.map(({ task }) => task))).toEqual(new Set(['Extract', 'Select']));
    for (const call of fixture.calls) expect(tokensOf(call)).toBeLessThan(WINDOW);
    const read = asked.filter(({ task }) => task === 'Extract').flatMap(({ sources }) => sources);
    expect(new Set(read.map(({ id }) => id)).size).toBe(MEMORIES);
    const summary = await fixture.summary(TENANT);
    expect(summary).toMatchObject({ sourceCount: MEMORIES, freshness: { stale: false } });
    for (const { text } of await factsOf(fixture)) expect(text).toMatch(/^Ann planted tree/);
  });

  test('continues unfinished work at once, with its original trigger', async () => {
    await using fixture = (await openLarge({}, 900)).fixture;
    expect(await fixture.round(TENANT)).toMatchObject({ advanced: 1, modelCalls: 8 });
    expect(await fixture.scope(TENANT)).toMatchObject({ lease: null, dueTrigger: 'Changes' });
    const window = await fixture.activities.readWindow({ tenant: TENANT });
    expect(window).toMatchObject({ kind: 'Open', closesInMs: 0, pending: 1 });
    for (let rounds = 0; rounds < 20; rounds += 1) {
      if ((await fixture.round(TENANT, 'Due')).generated > 0) break;
    }
    expect((await fixture.parts.store.summaries.get(SCOPE, ''))?.trigger).toBe('Changes');
  });

  test('regenerates at most four nodes after a change and keeps the other facts', async () => {
    const { fixture, ids } = await openLarge();
    await using open = fixture;
    await refresh(open);
    const before = await factsOf(open);
    const called = open.calls.length;
    await open.remove(TENANT, ids[75] ?? '');
    await refresh(open);
    const nodes = itemsOf(open.calls.slice(called));
    expect(nodes.map(({ task }) => task)).toEqual([
      'Extract',
      ...nodes.slice(1).map(() => 'Select'),
    ]);
    expect(nodes.length).toBeLessThanOrEqual(4);
    const changed = new Set(nodes[0]?.sources.map(({ id }) => id));
    const others = (facts: readonly Fact[]) =>
      facts.filter(({ sources }) => !sources.some((id) => changed.has(id)));
    const after = new Set((await factsOf(open)).map((fact) => JSON.stringify(fact)));
    const same = others(before).filter((fact) => after.has(JSON.stringify(fact)));
    expect(same.length).toBeGreaterThanOrEqual(others(before).length - 2);
    expect(others(before).length).toBeGreaterThan(10);
    expect((await open.summary(TENANT))?.sourceCount).toBe(MEMORIES - 1);
  });

  test('keeps the answers from before a failed call', async () => {
    let failures = 0;
    await using fixture = (
      await openLarge({
        answer: (_, extractive) => {
          failures += 1;
          return failures % 3 === 0
            ? Promise.reject(new VarveError('PROVIDER_ERROR', 'It is down.'))
            : extractive();
        },
      })
    ).fixture;
    for (let rounds = 0; rounds < 30; rounds += 1) {
      if ((await fixture.round(TENANT)).generated > 0) break;
      fixture.advance(2 * MINUTE_MS);
    }
    expect((await fixture.summary(TENANT))?.freshness.stale).toBe(false);
    const good = fixture.calls.filter((_, index) => (index + 1) % 3 !== 0);
    const asked = itemsOf(good).map(shown);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test('pays once for a stored answer whose facts were not stored', async () => {
    await using fixture = (await openLarge()).fixture;
    const { store } = fixture.parts;
    let losses = 2;
    const put: typeof store.segments.put = async (segments) => {
      losses -= 1;
      if (losses >= 0) throw new VarveError('PROVIDER_ERROR', 'The store is gone.');
      await store.segments.put(segments);
    };
    const dying = { ...fixture.parts, store: { ...store, segments: { ...store.segments, put } } };
    const { signal } = new AbortController();
    const activities = createActivities(dying, NO_REFRESH_TRIGGER, () => ({ signal }));
    const claim = { tenant: TENANT, claimId: 'claim', kind: 'Stale' } as const;
    const [batch] = (await activities.claimBatches(claim)).batches;
    const key = { tenant: TENANT, batchId: batch?.batchId ?? '' };
    await expect(activities.summarizeBatch(key)).rejects.toThrow('The store is gone.');
    await expect(activities.summarizeBatch(key)).rejects.toThrow('The store is gone.');
    expect(fixture.calls).toHaveLength(1);
    const report = await activities.summarizeBatch(key);
    expect(report).toMatchObject({ called: true });
    await activities.commitBatch(key);
    await refresh(fixture);
    const asked = itemsOf(fixture.calls).map(shown);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test('has an attempt per call to a model without a price', async () => {
    await using fixture = (await openLarge({ isFree: true })).fixture;
    const { activities, parts } = fixture;
    const claim = { tenant: TENANT, claimId: 'claim', kind: 'Stale' } as const;
    const [batch] = (await activities.claimBatches(claim)).batches;
    const key = { tenant: TENANT, batchId: batch?.batchId ?? '' };
    expect(await activities.summarizeBatch(key)).toMatchObject({ calls: 0 });
    const answers = await parts.store.answers.ofBatch(TENANT, key.batchId);
    expect(fixture.calls.length).toBeGreaterThan(2);
    expect(new Set(answers.map(({ attemptId }) => attemptId)).size).toBe(fixture.calls.length);
    expect(new Set(answers.map(({ promptHash }) => promptHash)).size).toBe(fixture.calls.length);
    expect(await activities.commitBatch(key)).toMatchObject({ generated: 1 });
  });

  test('keeps what was paid for when the budget ends midway', async () => {
    await using fixture = (await openLarge()).fixture;
    await limitTo(fixture, 10_500, 'Reject');
    expect((await refreshUntilHeld(fixture)).generated).toBe(0);
    const before = itemsOf(fixture.calls).map(shown);
    expect(before.length).toBeGreaterThan(2);
    await limitTo(fixture, 1_000_000, 'Reject');
    await allow(fixture, 1_000_000);
    fixture.advance(HOUR_MS);
    expect(await refresh(fixture)).toMatchObject({ generated: 1 });
    const asked = itemsOf(fixture.calls).map(shown);
    expect(new Set(asked).size).toBe(asked.length);
  });

  test('gets an extractive fallback without budget, and a summary by the model later', async () => {
    await using fixture = (await openLarge()).fixture;
    await limitTo(fixture, 10, 'Extractive');
    expect(await refresh(fixture)).toMatchObject({ generated: 1 });
    expect(await fixture.summary(TENANT)).toMatchObject({
      model: 'extractive',
      freshness: { stale: true, reason: 'RecipeChanged' },
    });
    await limitTo(fixture, 1_000_000, 'Extractive');
    await allow(fixture, 1_000_000);
    fixture.advance(24 * HOUR_MS);
    expect(await refresh(fixture)).toMatchObject({ generated: 1 });
    expect(await fixture.summary(TENANT)).toMatchObject({
      model: 'metered',
      freshness: { stale: false },
    });
  });

  test('has a stale summary, and no loop, if sources change during the last call', async () => {
    let open: Fixture | null = null;
    const { fixture, ids } = await openLarge({
      answer: async (batch, extractive) => {
        const answer = await extractive();
        const isRoot = batch.items.some(({ tokensMax }) => tokensMax === 500);
        if (isRoot) await open?.remove(TENANT, ids.pop() ?? '');
        return answer;
      },
    });
    await using held = fixture;
    open = held;
    for (let rounds = 0; rounds < 20; rounds += 1) {
      if ((await held.round(TENANT)).generated > 0) break;
    }
    open = null;
    const left = new Set(ids);
    const facts = await factsOf(held);
    expect(facts.length).toBeGreaterThan(3);
    expect(facts.flatMap(({ sources }) => sources).filter((id) => !left.has(id))).toEqual([]);
    expect((await held.summary(TENANT))?.freshness.stale).toBe(true);
    await refresh(held);
    expect((await held.summary(TENANT))?.freshness.stale).toBe(false);
  });

  test('is renewed without a model call if its summary is only too old', async () => {
    await using fixture = (await openLarge()).fixture;
    await refresh(fixture);
    const called = fixture.calls.length;
    fixture.advance(24 * HOUR_MS);
    expect(await fixture.round(TENANT, 'Due')).toMatchObject({ generated: 1, modelCalls: 0 });
    expect(fixture.calls).toHaveLength(called);
    expect((await fixture.summary(TENANT))?.freshness.stale).toBe(false);
  });

  test('drops the segments that its last summary does not use', async () => {
    const { fixture, ids } = await openLarge({}, 60);
    await using open = fixture;
    await refresh(open);
    const { segments } = open.parts.store;
    const asked: string[] = [];
    const spied = {
      ...segments,
      find: (...call: Parameters<typeof segments.find>) => {
        asked.push(...call[1]);
        return segments.find(...call);
      },
    };
    const watched = { ...open.parts, store: { ...open.parts.store, segments: spied } };
    const { signal } = new AbortController();
    const activities = createActivities(watched, NO_REFRESH_TRIGGER, () => ({ signal }));
    await open.remove(TENANT, ids[0] ?? '');
    const claim = { tenant: TENANT, claimId: 'claim', kind: 'Stale' } as const;
    const [batch] = (await activities.claimBatches(claim)).batches;
    const key = { tenant: TENANT, batchId: batch?.batchId ?? '' };
    await activities.summarizeBatch(key);
    expect((await segments.find(SCOPE, asked)).length).toBeGreaterThan(1);
    await activities.commitBatch(key);
    for (const id of ids.slice(5)) await open.remove(TENANT, id);
    await refresh(open);
    expect(await segments.find(SCOPE, asked)).toEqual([]);
  });
});

/** Rounds until the scope waits for budget. */
async function refreshUntilHeld(fixture: Fixture) {
  let generated = 0;
  for (let rounds = 0; rounds < 40; rounds += 1) {
    generated += (await fixture.round(TENANT)).generated;
    if ((await fixture.scope(TENANT)).hold !== null) return { generated };
  }
  throw new Error('The budget did not end.');
}
