/**
 * Death between every two steps of every write. With transactions the write is then whole or
 * absent. Without, it may have begun: no scope then reads as fresh that is not, and the next look
 * for due work finishes the write or takes it back, so that it is whole or absent again.
 */
import { describe, expect, it } from 'vitest';

import { sourceHashOf } from '#core/hash.ts';
import { defaultPolicy } from '#core/policy.ts';
import type { Store } from '#core/ports/store.ts';
import type { Scope } from '#core/scope.ts';
import { freshnessOf } from '#core/staleness.ts';

import { answerOf } from './answer-suite.ts';
import type { Open, Opened } from './adapter.ts';
import { allSources, claim, commitOf, refresh } from './refresh.ts';
import {
  digest,
  eventOf,
  HOUR_MS,
  idOf,
  leaseOf,
  memoryOf,
  MINUTE_MS,
  newContent,
  NOW,
  ownerOf,
  policyOf,
  rulesAt,
  sessionScope,
  turnOf,
  userScope,
} from './samples.ts';

const TENANT = 'acme';
const SCOPE = userScope(TENANT);
const BUDGET = { ...defaultPolicy(TENANT).budget, limitTokens: 100 };
/** More steps than any write has; a write that takes more would not end. */
const STEPS_MAX = 100;

/** Writes that change the sources of a scope. */
const SOURCE_WRITES: ReadonlySet<string> = new Set([
  'memories.add',
  'memories.add with the key of an expired memory',
  'memories.update',
  'memories.delete',
  'turns.append',
]);

type Write = (store: Store) => Promise<unknown>;

const WRITES: Readonly<Record<string, Write>> = {
  'memories.add': (store) =>
    store.memories.add(
      memoryOf(TENANT, 9, { embeddingGeneration: 'hash-1', vector: [0, 1], key: 'key-9' }),
      rulesAt(NOW),
    ),
  'memories.add with the key of an expired memory': (store) =>
    store.memories.add(memoryOf(TENANT, 9, { key: 'expiring' }), rulesAt(NOW + 10)),
  'memories.update': (store) =>
    store.memories.update(
      { tenant: TENANT, id: idOf(1) },
      { content: { ...newContent('Other.'), vector: [1, 1], embeddingGeneration: 'hash-1' } },
      rulesAt(NOW),
    ),
  'memories.delete': (store) =>
    store.memories.delete({ tenant: TENANT, id: idOf(1) }, rulesAt(NOW)),
  'turns.append': (store) =>
    store.turns.append([turnOf(TENANT, 2), turnOf(TENANT, 3)], rulesAt(NOW)),
  'scopes.lease': async (store) => {
    const scope = await store.scopes.get(SCOPE);
    await store.scopes.lease([{ scope, lease: leaseOf(scope) }], NOW);
  },
  'scopes.replace': async (store) => {
    const scope = await store.scopes.get(SCOPE);
    await store.scopes.replace({ ...scope, attempts: 1, version: scope.version + 1 });
  },
  'summaries.commit': async (store) => {
    const claimed = await claim(store, SCOPE, NOW);
    await store.summaries.commit(commitOf(claimed.record, claimed, NOW));
  },
  'summaries.commit of an empty scope': async (store) => {
    const claimed = { record: await store.scopes.get(SCOPE), sources: [] };
    await store.summaries.commit(commitOf(claimed.record, claimed, NOW));
  },
  'accounts.reserve': (store) => reserve(store, 'attempt-2'),
  'accounts.settle': (store) =>
    store.accounts.settle({ tenant: TENANT, attemptId: 'attempt-1' }, null, {
      outcome: 'UnknownOutcome',
      now: NOW,
    }),
  'accounts.setLimits': (store) =>
    store.accounts.setLimits(TENANT, '2026-11', { ...BUDGET, limitTokens: 7 }),
  'answers.put': (store) => store.answers.put(answerOf(TENANT, { attemptId: 'attempt-2' })),
  'answers.close': (store) => store.answers.close(TENANT, 'batch-1'),
  'policies.put': (store) =>
    store.policies.put(ownerOf('a'), policyOf(TENANT, 5), { hash: 'hash-2', now: NOW }),
  'wakes.want': (store) => store.wakes.want(TENANT),
  'wakes.acknowledge': (store) => store.wakes.acknowledge(TENANT, 1),
  'events.append': (store) => store.events.append(eventOf(TENANT, 'e-9')),
};

async function fill(store: Store): Promise<void> {
  const embedded = { embeddingGeneration: 'hash-1', vector: [1, 0] };
  await store.memories.add(memoryOf(TENANT, 1, embedded), rulesAt(NOW));
  const expiring = { key: 'expiring', expiresAt: NOW + 5 };
  await store.memories.add(memoryOf(TENANT, 2, expiring), rulesAt(NOW));
  await store.turns.append([turnOf(TENANT, 1)], rulesAt(NOW));
  await refresh(store, SCOPE, NOW);
  await store.memories.add(memoryOf(TENANT, 3), rulesAt(NOW));
  await reserve(store, 'attempt-1');
  await store.answers.put(answerOf(TENANT));
  await store.policies.put(ownerOf('a'), policyOf(TENANT), { hash: 'hash-1', now: NOW });
  await store.wakes.want(TENANT);
}

function reserve(store: Store, attemptId: string): Promise<unknown> {
  const whole = { tenant: TENANT, batchId: 'b', purpose: 'summary', model: 'm' } as const;
  const attempt = { ...whole, attemptId };
  const amount = { tokens: 10, microDollars: 0 };
  return store.accounts.reserve({ attempt, amount, budget: BUDGET, now: NOW });
}

/** What the store holds before the write and after it, from a run in which nothing dies. */
async function ends(open: Open, write: Write): Promise<{ before: unknown; after: unknown }> {
  await using opened = await open();
  await fill(opened.store);
  const before = await opened.dump();
  await write(opened.store);
  return { before, after: await opened.dump() };
}

/** Runs the write with death at a step, and opens what the next process finds. */
async function dieIn(opened: Opened, write: Write, step: number): Promise<'died' | 'finished'> {
  opened.dieAt(step);
  let failed = false;
  try {
    await write(opened.store);
  } catch {
    failed = true;
  }
  // A store must not report a success that it died in.
  expect(failed).toBe(opened.hasDied());
  await opened.reopen();
  return failed ? 'died' : 'finished';
}

/** What the next process makes of what it finds, once it has looked for due work. */
async function recovered(opened: Opened): Promise<unknown> {
  if (opened.traits.transactions) return opened.dump();
  const later = NOW + MINUTE_MS;
  await opened.store.scopes.due(TENANT, { until: later, now: later, limit: 10 });
  return opened.dump();
}

/** Whether the summary is of the sources as they are, or is known not to be. */
async function readsTrue(store: Store, scope: Scope): Promise<boolean> {
  const summary = await store.summaries.get(scope, '');
  const record = await store.scopes.get(scope);
  const policy = { maxAgeMs: HOUR_MS };
  const recipeHash = summary?.recipeHash ?? '';
  const freshness = freshnessOf({ summary, scope: record, recipeHash, policy, now: NOW });
  const sources = await allSources(store, scope, NOW);
  return freshness.kind === 'Stale' || summary?.sourceHash === sourceHashOf(digest, sources);
}

export function crashSuite(open: Open): void {
  describe('death', () => {
    it.each(Object.entries(WRITES))(
      'TMP-02: %s is whole or absent after a death at any step',
      async (_, write) => {
        const { before, after } = await ends(open, write);
        expect(after).not.toEqual(before);
        await using opened = await open();
        await fill(opened.store);
        let deaths = 0;
        for (let step = 0; step < STEPS_MAX; step += 1) {
          if ((await dieIn(opened, write, step)) === 'finished') break;
          deaths += 1;
          const found = await recovered(opened);
          if (JSON.stringify(found) === JSON.stringify(after)) break;
          expect(found).toEqual(before);
        }
        expect(deaths).toBeGreaterThanOrEqual(opened.traits.stepsMin);
        expect(await opened.dump()).toEqual(after);
        expect(await opened.store.health()).toMatchObject({ ok: true, findings: [] });
      },
    );

    it.each(Object.entries(WRITES).filter(([name]) => SOURCE_WRITES.has(name)))(
      'SUM-21: no scope reads as fresh that is not, after a death at any step of %s',
      async (_, write) => {
        const scopes = [SCOPE, sessionScope(TENANT)];
        for (let step = 0, end = 'died'; end === 'died'; step += 1) {
          expect(step).toBeLessThan(STEPS_MAX);
          await using opened = await open();
          await fill(opened.store);
          for (const scope of scopes) await refresh(opened.store, scope, NOW);
          end = await dieIn(opened, write, step);
          for (const scope of scopes) expect(await readsTrue(opened.store, scope)).toBe(true);
          await recovered(opened);
          for (const scope of scopes) expect(await readsTrue(opened.store, scope)).toBe(true);
        }
      },
    );
  });
}
