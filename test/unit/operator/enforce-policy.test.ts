/** Limits and due marks of tenants with more scopes than one page holds, and when a run ends. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { Exhaustion } from '#core/records/account.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { withDue } from '#core/refresh/scope-transitions.ts';
import { applyExhausted } from '#core/refresh/retries-and-dead-letters.ts';
import { reconcileFolder } from '#operator/folder/reconcile-folder.ts';
import { enforcePolicy } from '#operator/tenant/enforce-policy.ts';
import { ensurePolicyEvent, policyEvent } from '#operator/tenant/policy-changes.ts';
import { ownerOf } from '../../conformance/samples.ts';
import { tenant } from '../crds/policy-files.ts';
import {
  calendar,
  changedScope,
  openStore,
  stillPlatform,
  digest,
  NOW,
  folderWith,
} from './policy-store.ts';
import { duePolicyOf } from '#core/refresh/when-to-refresh.ts';

/** One more than a page. */
const SCOPES = 501;

test('a policy sets the due time of every scope, even beyond one page', async () => {
  const platform = stillPlatform();
  const store = await openStore(platform);
  for (let index = 0; index < SCOPES; index += 1) {
    await changedScope(store, { tenant: 'acme', layer: 'user', scopeId: `user-${index}` }, 1);
  }
  const policy = defaultPolicy('acme');
  const strict = { ...policy.layers.user, updateOnChanges: 1 };
  const applied = { ...policy, layers: { ...policy.layers, user: strict } };
  const first = await enforcePolicy(
    { policy: applied, generation: 1 },
    { store, platform, calendar },
  );
  expect(first).toMatchObject({ rescheduled: SCOPES, isRefreshRequested: true, isComplete: true });
  const due = await store.scopes.list('acme', SCOPES + 1);
  expect(due.filter(({ dueAt }) => dueAt !== platform.clock())).toEqual([]);
  const second = await enforcePolicy(
    { policy: applied, generation: 1 },
    { store, platform, calendar },
  );
  expect(second).toMatchObject({
    rescheduled: 0,
    isRefreshRequested: false,
    isLimitChanged: false,
  });
});

test('limits of a later generation stay unchanged', async () => {
  const platform = stillPlatform();
  const store = await openStore(platform);
  const policy = defaultPolicy('acme');
  const later = { ...policy.budget, limitTokens: 9, policyGeneration: 5 };
  await store.accounts.setLimits('acme', '2026-11', later);
  const late = { ...policy, budget: { ...policy.budget, limitTokens: 1 } };
  const carried = await enforcePolicy(
    { policy: late, generation: 4 },
    { store, platform, calendar },
  );
  expect(carried.isLimitChanged).toBe(false);
  expect(await store.accounts.get('acme', '2026-11', policy.budget)).toMatchObject({
    limitTokens: 9,
  });
});

/** Five hundred and one scopes that the policy in force, of generation 1, makes due. */
async function openMany() {
  const time = { now: stillPlatform().clock(), step: 0 };
  const platform = {
    ...stillPlatform(),
    clock: () => {
      time.now += time.step;
      return time.now;
    },
  };
  const store = await openStore(platform);
  for (let index = 0; index < SCOPES; index += 1) {
    await changedScope(store, { tenant: 'acme', layer: 'user', scopeId: `user-${index}` }, 1);
  }
  const defaults = defaultPolicy('acme');
  const strict = { ...defaults.layers.user, updateOnChanges: 1 };
  const policy = { ...defaults, layers: { ...defaults.layers, user: strict } };
  const put = (hash: string) => store.policies.put(ownerOf('a'), policy, { hash, now: time.now });
  await put('h');
  const due = async () => {
    const scopes = await store.scopes.list('acme', SCOPES + 1);
    return scopes.filter(({ dueAt }) => dueAt !== null).length;
  };
  return { time, platform, store, policy, put, due };
}

describe('enforcing a policy on many scopes', () => {
  test('stops after a minute, and the next run continues from there', async () => {
    const { time, platform, store, policy, due } = await openMany();
    time.step = 1_000;
    let after = null;
    const counts: number[] = [];
    for (let runs = 0; runs < SCOPES; runs += 1) {
      const inForce = { policy, generation: 1, after };
      const carried = await enforcePolicy(inForce, { store, platform, calendar });
      counts.push(carried.rescheduled);
      after = carried.goOnAfter;
      expect(carried.isComplete).toBe(after === null);
      if (after === null) break;
    }
    expect(counts.length).toBeGreaterThan(8);
    expect(Math.max(...counts)).toBeLessThanOrEqual(60);
    expect(counts.reduce((total, each) => total + each, 0)).toBe(SCOPES);
    expect(await due()).toBe(SCOPES);
  });

  test('stops writing once the process no longer leads', async () => {
    const { platform, store, policy, due } = await openMany();
    let asked = 0;
    const requireLeading = (): void => {
      asked += 1;
      if (asked > 7) throw new VarveError('CANCELLED', 'This process leads no more.');
    };
    const run = enforcePolicy(
      { policy, generation: 1 },
      { store, platform, calendar, requireLeading },
    );
    await expect(run).rejects.toMatchObject({ code: 'CANCELLED' });
    expect(await due()).toBe(7);
  });

  test('stops at the abort signal and is incomplete', async () => {
    const { platform, store, policy, due } = await openMany();
    const controller = new AbortController();
    const { signal } = controller;
    let asked = 0;
    const requireLeading = (): void => {
      asked += 1;
      if (asked === 7) controller.abort();
    };
    const carried = await enforcePolicy(
      { policy, generation: 1 },
      { store, platform, calendar, signal, requireLeading },
    );
    expect(carried).toMatchObject({ rescheduled: 7, isComplete: false, goOnAfter: null });
    expect(await due()).toBe(7);
  });

  test('leaves the remaining pages to a newer policy', async () => {
    const { platform, store, policy, put, due } = await openMany();
    let asked = 0;
    const changed: Promise<unknown>[] = [];
    const requireLeading = (): void => {
      asked += 1;
      if (asked === 1) changed.push(put('h-2'));
    };
    const carried = await enforcePolicy(
      { policy, generation: 1 },
      { store, platform, calendar, requireLeading },
    );
    await Promise.all(changed);
    expect(carried).toMatchObject({ rescheduled: SCOPES - 1, isComplete: false });
    expect(await due()).toBe(SCOPES - 1);
  });

  test('writes nothing for a policy no longer in force', async () => {
    const { platform, store, policy, put, due } = await openMany();
    await put('h-2');
    const carried = await enforcePolicy({ policy, generation: 1 }, { store, platform, calendar });
    expect(carried).toMatchObject({ rescheduled: 0, isComplete: false });
    expect(await due()).toBe(0);
  });
});

const DAY_MS = 24 * 60 * 60_000;

async function applied() {
  const store = await openStore(stillPlatform());
  const put = async (hash: string, now = NOW) => {
    const result = await store.policies.put(ownerOf('a'), defaultPolicy('acme'), { hash, now });
    if (result.kind !== 'Applied') throw new Error(result.kind);
    return result.record;
  };
  const ids = async () => {
    const events = await store.events.list('acme', { afterId: null, limit: 10 });
    return events.map(({ id }) => id);
  };
  return { store, put, ids };
}

test('the event of a policy is appended once, however often it is checked', async () => {
  const { store, put, ids } = await applied();
  const record = await put('h');
  const other = { ...policyEvent(record, digest), id: '0' };
  await store.events.append({ ...other, type: 'memory_refresh_retried' });
  for (const late of [0, DAY_MS]) {
    await ensurePolicyEvent(record, store, { digest, now: NOW + late });
  }
  expect(await ids()).toEqual(['0', policyEvent(record, digest).id]);
});

test('an existing event is found by reading alone', async () => {
  const { store, put, ids } = await applied();
  const record = await put('h');
  await ensurePolicyEvent(record, store, { digest, now: NOW });
  const append = () => Promise.reject(new Error('It was put again.'));
  const events = { ...store.events, append };
  await ensurePolicyEvent(record, { events }, { digest, now: NOW });
  expect(await ids()).toHaveLength(1);
});

test('each generation has its own event, in order', async () => {
  const { store, put, ids } = await applied();
  const records = [await put('h'), await put('h-2', NOW + 1), await put('h', NOW + 2)];
  for (const record of records.toReversed()) {
    await ensurePolicyEvent(record, store, { digest, now: NOW + 2 });
  }
  expect(await ids()).toEqual(records.map((record) => policyEvent(record, digest).id));
  const events = await store.events.list('acme', { afterId: null, limit: 10 });
  expect(events.map(({ at, attributes }) => [at, attributes['generation']])).toEqual([
    [NOW, 1],
    [NOW + 1, 2],
    [NOW + 2, 3],
  ]);
});

test('generations applied at the same moment have different events', async () => {
  const { put } = await applied();
  const records = [await put('h'), await put('h-2'), await put('h')];
  expect(new Set(records.map((record) => policyEvent(record, digest).id)).size).toBe(3);
});

test('an event that may have expired is not appended again', async () => {
  const { store, put, ids } = await applied();
  const record = await put('h');
  await ensurePolicyEvent(record, store, { digest, now: NOW + 8 * DAY_MS });
  expect(await ids()).toEqual([]);
});

test('the id of an event is a UUIDv7 of the time its policy was applied', async () => {
  const { put } = await applied();
  const { id } = policyEvent(await put('h'), digest);
  expect(id).toMatch(/^[\da-f]{8}-[\da-f]{4}-7[\da-f]{3}-8[\da-f]{3}-[\da-f]{12}$/u);
  expect(Number.parseInt(id.replace('-', '').slice(0, 12), 16)).toBe(NOW);
});

const EXHAUSTION: Exhaustion = {
  measure: 'tokens',
  limit: 5,
  spent: 0,
  reserved: 0,
  requested: 9,
  periodEndsAt: NOW + 86_400_000,
};
const DUE_POLICY = duePolicyOf(defaultPolicy('acme'), 'user');

/** A folder with one tenant, whose spec can be written anew. */
async function fixture(spec: string) {
  const platform = stillPlatform();
  const store = await openStore(platform);
  const dir = await folderWith({ 'a.yaml': tenant(spec) });
  return {
    store,
    write: (other: string) => writeFile(path.join(dir, 'a.yaml'), tenant(other)),
    reconcile: async () => {
      return (await reconcileFolder({ dir, store, platform, calendar, clusterId: 'folder' }))
        .outcomes;
    },
  };
}

describe('the budget of a policy', () => {
  test('makes scopes waiting for budget due again when the limit changes', async () => {
    const { store, write, reconcile } = await fixture('budget: { tokens: 5 }');
    const scope = { tenant: 'acme', layer: 'user', scopeId: 'dana' } as const;
    const record = await changedScope(store, scope, 3);
    await reconcile();
    const due = withDue(record, DUE_POLICY, NOW);
    const held = { ...applyExhausted(due, EXHAUSTION, NOW), version: 2 };
    const current = await store.scopes.get(scope);
    await store.scopes.replace({ ...held, version: current.version + 1 });
    const wanted = (await store.refreshRequests.get('acme')).wanted;
    await reconcile();
    expect(await store.scopes.get(scope)).toMatchObject({ dueAt: NOW + 15 * 60_000 });
    await write('budget: { tokens: 500 }');
    const [outcome] = await reconcile();
    expect(outcome).toMatchObject({ rescheduled: 1, isRefreshRequested: true });
    expect(await store.scopes.get(scope)).toMatchObject({ hold: null, dueAt: NOW });
    expect((await store.refreshRequests.get('acme')).wanted).toBe(wanted + 1);
  });

  test('also sets the limit of the next period if a grant opened it', async () => {
    const { store, write, reconcile } = await fixture('budget: { tokens: 5 }');
    await reconcile();
    const budget = { limitTokens: 5, limitMicroDollars: null, onExhausted: 'Reject' } as const;
    const amount = { tokens: 7, microDollars: 0 };
    const by = { principal: 'local', reason: 'more', at: NOW };
    const grant = { id: 'g', key: 'g', amount, ...by };
    await store.accounts.grant({ tenant: 'acme', period: '2026-12', budget }, grant);
    await write('budget: { tokens: 50 }');
    await reconcile();
    const next = await store.accounts.get('acme', '2026-12', budget);
    expect(next).toMatchObject({ limitTokens: 50, granted: amount });
  });
});
