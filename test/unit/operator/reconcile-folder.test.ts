import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { Store } from '#core/ports/store.ts';
import { describeOutcome, type Outcome } from '#operator/folder/outcome-text.ts';
import { reconcileFolder } from '#operator/folder/reconcile-folder.ts';
import {
  calendar,
  changedScope,
  everythingOf,
  folderWith,
  NOW,
  openStore,
  stillPlatform,
} from './policy-store.ts';
import { documents, layerPolicy, tenant } from '../crds/policy-files.ts';

const ACME = tenant('{}');
const KEPT = { kind: 'Kept', tenant: 'acme', rescheduled: 0, isRefreshRequested: false, drift: [] };

interface Fixture {
  readonly store: Store;
  readonly dir: string;
  readonly write: (name: string, text: string) => Promise<void>;
  readonly reconcile: (using?: Partial<Store>) => Promise<readonly Outcome[]>;
}

async function fixture(files: Readonly<Record<string, string>>): Promise<Fixture> {
  const platform = stillPlatform();
  const store = await openStore(platform);
  const dir = await folderWith(files);
  return {
    store,
    dir,
    write: (name, text) => writeFile(path.join(dir, name), text),
    reconcile: async (using = {}) => {
      const options = {
        dir,
        store: { ...store, ...using },
        platform,
        calendar,
        clusterId: 'folder',
      };
      return (await reconcileFolder(options)).outcomes;
    },
  };
}

describe('reconciling a folder', () => {
  test('stores a new tenant with owner, generation and event', async () => {
    const { store, reconcile } = await fixture({ 'a.yaml': ACME });
    const [outcome] = await reconcile();
    expect(outcome).toMatchObject({ kind: 'Applied', generation: 1, reason: 'New' });
    const record = await store.policies.get('acme');
    expect(record?.owner).toEqual({
      cluster: 'folder',
      namespace: 'default',
      name: 'acme',
      uid: 'folder/default/acme',
    });
    const events = await store.events.list('acme', { afterId: null, limit: 10 });
    expect(events.map(({ type }) => type)).toEqual(['memory_policy_applied']);
  });

  test('writes nothing the second time', async () => {
    const { store, reconcile } = await fixture({
      'a.yaml': tenant('budget: { tokens: 5 }'),
      'b.yaml': layerPolicy('layer: user\nupdateOnChanges: 1'),
    });
    await changedScope(store, { tenant: 'acme', layer: 'user', scopeId: 'dana' }, 2);
    await reconcile();
    const before = await everythingOf(store, 'acme');
    const outcomes = await reconcile(refusingWrites(store));
    expect(outcomes).toEqual([KEPT]);
    expect(await everythingOf(store, 'acme')).toBe(before);
  });

  test('after a lower threshold makes a changed scope due now and requests a refresh', async () => {
    const { store, write, reconcile } = await fixture({ 'a.yaml': ACME });
    const scope = { tenant: 'acme', layer: 'team', scopeId: 'payments' } as const;
    await changedScope(store, scope, 3);
    const quiet = { tenant: 'acme', layer: 'org', scopeId: 'commerce' } as const;
    await changedScope(store, quiet, 0);
    const [first] = await reconcile();
    expect(first).toMatchObject({ rescheduled: 2, isRefreshRequested: false });
    const dueAt = NOW - 60_000 + 3_600_000;
    expect(await store.scopes.get(scope)).toMatchObject({ dueTrigger: 'Interval', dueAt });
    await write('b.yaml', layerPolicy('layer: team\nupdateOnChanges: 3'));
    const [outcome] = await reconcile();
    expect(outcome).toMatchObject({ generation: 2, rescheduled: 1, isRefreshRequested: true });
    expect(await store.scopes.get(scope)).toMatchObject({ dueTrigger: 'Changes', dueAt: NOW });
    expect(await store.scopes.get(quiet)).toMatchObject({ dueTrigger: 'MaxAge' });
    expect((await store.refreshRequests.get('acme')).wanted).toBeGreaterThan(0);
  });

  test('sets the limits of the period by the policy and keeps its reservations', async () => {
    const files = { 'a.yaml': tenant('budget: { tokens: 100 }') };
    const { store, write, reconcile } = await fixture(files);
    await reconcile();
    const call = { attemptId: 'x', batchId: 'b', purpose: 'summary', model: 'm' } as const;
    const attempt = { tenant: 'acme', ...call };
    const budget = { limitTokens: 100, limitMicroDollars: null, onExhausted: 'Reject' } as const;
    const amount = { tokens: 60, microDollars: 0 };
    await store.accounts.reserve({ attempt, amount, budget, now: NOW });
    await changedScope(store, { tenant: 'acme', layer: 'user', scopeId: 'dana' }, 3);
    await reconcile();
    await write('a.yaml', tenant('budget: { tokens: 50, dollars: "1.5" }'));
    const [outcome] = await reconcile();
    // Who stood still for want of budget is looked at again.
    expect(outcome).toMatchObject({ rescheduled: 0, isRefreshRequested: true });
    const account = await store.accounts.get('acme', '2026-11', budget);
    expect(account).toMatchObject({ limitTokens: 50, limitMicroDollars: 1_500_000 });
    expect(account.open).toHaveLength(1);
  });

  test('refuses a tenant of another owner and leaves it unchanged', async () => {
    const { store, reconcile } = await fixture({ 'a.yaml': ACME });
    const owner = { cluster: 'production', namespace: 'memory', name: 'acme', uid: '1' };
    const first = await fixture({ 'a.yaml': ACME });
    await first.reconcile();
    const foreign = await first.store.policies.get('acme');
    if (foreign === null) throw new Error('There is no policy.');
    await store.policies.put(owner, foreign.policy, { hash: 'h', now: NOW });
    const before = await everythingOf(store, 'acme');
    const [outcome] = await reconcile();
    expect(outcome).toEqual({ kind: 'Refused', tenant: 'acme', owner });
    const words = outcome === undefined ? '' : describeOutcome(outcome);
    expect(words).toContain('memory/acme of production');
    expect(await everythingOf(store, 'acme')).toBe(before);
  });

  test('POLICY-40: refuses a tenant that another owner claimed after the plan', async () => {
    const { store, reconcile } = await fixture({ 'a.yaml': ACME });
    await reconcile();
    const unseen = { ...store.policies, list: async () => [] };
    const owner = { cluster: 'other', namespace: 'n', name: 'n', uid: 'u' };
    const put = async () => ({ kind: 'Claimed', owner }) as const;
    const [outcome] = await reconcile({ policies: { ...unseen, put } });
    expect(outcome).toEqual({ kind: 'Refused', tenant: 'acme', owner });
  });

  test('POLICY-41: applies no file if one has a mistake', async () => {
    const { store, write, reconcile } = await fixture({ 'a.yaml': ACME });
    await reconcile();
    await write('a.yaml', tenant('budget: { tokens: 5 }'));
    await write('b.yaml', tenant('budget: { tokens: many }', 'beta'));
    await expect(reconcile()).rejects.toMatchObject({ code: 'INVALID_INPUT' });
    expect((await store.policies.get('acme'))?.policy.budget.limitTokens).toBeNull();
  });

  test('POLICY-42: keeps the policy of a tenant whose YAML is gone and reports it', async () => {
    const files = { 'a.yaml': ACME, 'b.yaml': tenant('{}', 'beta') };
    const { store, dir, reconcile } = await fixture(files);
    await reconcile();
    await rm(path.join(dir, 'b.yaml'));
    const outcomes = await reconcile();
    expect(outcomes.map(({ kind, tenant: id }) => [kind, id])).toEqual([
      ['Kept', 'acme'],
      ['Orphaned', 'beta'],
    ]);
    expect(await store.policies.get('beta')).not.toBeNull();
  });

  test('POLICY-43: reaches the same state after a death at any call', async () => {
    const perChange = layerPolicy('layer: user\nupdateOnChanges: 1');
    const files = { 'a.yaml': documents(tenant('budget: { tokens: 7 }'), perChange) };
    const scope = { tenant: 'acme', layer: 'user', scopeId: 'dana' } as const;
    for (let call = 1; call <= 18; call += 1) {
      const { store, reconcile } = await fixture(files);
      await changedScope(store, scope, 1);
      const fate = await reconcile(dyingAt(store, call)).catch((error: unknown) => error);
      expect(fate instanceof Death || Array.isArray(fate)).toBe(true);
      await reconcile();
      expect((await store.policies.get('acme'))?.generation).toBe(1);
      expect(await store.scopes.get(scope)).toMatchObject({ dueAt: NOW, dueTrigger: 'Changes' });
      const events = await store.events.list('acme', { afterId: null, limit: 10 });
      expect(events.map(({ type }) => type)).toEqual(['memory_policy_applied']);
      expect(await reconcile(refusingWrites(store))).toEqual([KEPT]);
    }
  });

  test('appends the missing event of a policy replaced meanwhile', async () => {
    const { store, write, reconcile } = await fixture({ 'a.yaml': ACME });
    const append = () => Promise.reject(new Death());
    await expect(reconcile({ events: { ...store.events, append } })).rejects.toThrow(Death);
    await write('a.yaml', tenant('budget: { tokens: 7 }'));
    await reconcile();
    const events = await store.events.list('acme', { afterId: null, limit: 10 });
    const told = events.map(({ attributes }) => Number(attributes['generation']));
    expect(told.toSorted((a, b) => a - b)).toEqual([1, 2]);
  });

  test('POLICY-44: retries a scope that others write at the same time', async () => {
    const { store, reconcile } = await fixture({ 'a.yaml': ACME });
    const scope = { tenant: 'acme', layer: 'user', scopeId: 'dana' } as const;
    await changedScope(store, scope, 3);
    let lost = 0;
    const replace: Store['scopes']['replace'] = async (record) => {
      if (lost >= 2) return store.scopes.replace(record);
      lost += 1;
      const current = await store.scopes.get(scope);
      const [changes, version] = [current.changes + 1, current.version + 1];
      await store.scopes.replace({ ...current, changes, version });
      return store.scopes.replace(record);
    };
    await reconcile({ scopes: { ...store.scopes, replace } });
    expect(await store.scopes.get(scope)).toMatchObject({ changes: 5, dueAt: NOW });
  });

  test('POLICY-45: goes on to the next tenant if the store fails for one', async () => {
    const { store, reconcile } = await fixture({ 'a.yaml': ACME, 'b.yaml': tenant('{}', 'beta') });
    const put: Store['policies']['put'] = async (owner, policy, write) => {
      if (policy.tenant === 'acme') throw new VarveError('TIMEOUT', 'The store is busy.');
      return store.policies.put(owner, policy, write);
    };
    const outcomes = await reconcile({ policies: { ...store.policies, put } });
    expect(outcomes).toMatchObject([
      { kind: 'Failed', tenant: 'acme', code: 'TIMEOUT' },
      { kind: 'Applied', tenant: 'beta' },
    ]);
  });

  test('POLICY-46: fails with a clear error if the folder is missing or is a file', async () => {
    const { dir } = await fixture({ 'a.yaml': ACME });
    const platform = stillPlatform();
    const store = await openStore(platform);
    const places = { none: 'no file or folder of that name', 'a.yaml': 'a file where' };
    for (const [place, words] of Object.entries(places)) {
      const options = {
        dir: path.join(dir, place),
        store,
        platform,
        calendar,
        clusterId: 'folder',
      };
      await expect(reconcileFolder(options)).rejects.toThrow(words);
      await expect(reconcileFolder(options)).rejects.not.toThrow(dir);
    }
  });

  test('POLICY-47: reads only YAML files, and none above a megabyte', async () => {
    const files = { 'a.yaml': ACME, '.hidden.yaml': ':', 'notes.md': ':' };
    const { write, reconcile } = await fixture(files);
    await expect(reconcile()).resolves.toHaveLength(1);
    await write('large.yml', '#'.repeat(1_048_577));
    await expect(reconcile()).rejects.toThrow(/large\.yml[^]*at most 1048576 bytes[^]*1048577/);
  });
});

class Death extends Error {}

/** A store that dies at its n-th call: before it, so that the call has no effect. */
function dyingAt(store: Store, fatalCall: number): Partial<Store> {
  let calls = 0;
  return wrapped(store, (_, call) => {
    calls += 1;
    if (calls >= fatalCall) throw new Death();
    return call();
  });
}

function refusingWrites(store: Store): Partial<Store> {
  return wrapped(store, (method, call) => {
    if (!['get', 'list'].includes(method)) throw new Death(`${method} was called.`);
    return call();
  });
}

function wrapped(
  store: Store,
  around: (method: string, call: () => unknown) => unknown,
): Partial<Store> {
  const wrap = <T extends object>(records: T): T =>
    new Proxy(records, {
      get: (target, method) => {
        const original: unknown = Reflect.get(target, method);
        if (typeof original !== 'function') return original;
        return async (...inputs: readonly unknown[]) =>
          around(String(method), () => Reflect.apply(original, target, inputs) as unknown);
      },
    });
  return {
    policies: wrap(store.policies),
    accounts: wrap(store.accounts),
    scopes: wrap(store.scopes),
    refreshRequests: wrap(store.refreshRequests),
    events: wrap(store.events),
  };
}
