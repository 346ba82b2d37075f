/** Limits and due marks of tenants with more scopes than one page holds, and when a run ends. */
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import { defaultPolicy } from '#core/records/policy.ts';
import { ownerOf } from '#test/conformance/samples.ts';
import { enforcePolicy } from '#operator/tenant/enforce-policy.ts';
import { calendar, changedScope, openStore, stillPlatform } from './policy-store.ts';

/** One more than a page. */
const SCOPES = 501;

test('every scope has the due time of the policy, however many there are', async () => {
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

test('limits of a later generation are left as they are', async () => {
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

describe('a run for many scopes', () => {
  test('ends after a minute, and the next one goes on where it ended', async () => {
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

  test('writes nothing more once the process leads no more', async () => {
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

  test('ends with its signal, and is not complete', async () => {
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

  test('leaves further pages to a policy that came in between', async () => {
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

  test('writes nothing by a policy that is not in force any more', async () => {
    const { platform, store, policy, put, due } = await openMany();
    await put('h-2');
    const carried = await enforcePolicy({ policy, generation: 1 }, { store, platform, calendar });
    expect(carried).toMatchObject({ rescheduled: 0, isComplete: false });
    expect(await due()).toBe(0);
  });
});
