import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { Store } from '#core/ports/store.ts';
import { reconcileFolder } from '#operator/folder/reconcile-folder.ts';
import { watchFolder, type Round } from '#operator/folder/watch-folder.ts';
import { EnforcedPolicies } from '#operator/tenant/enforced-policies.ts';
import { tenant, documents, layerPolicy } from '#test/unit/crds/policy-files.ts';
import {
  calendar,
  folderWith,
  openStore,
  stillPlatform,
  changedScope,
  NOW,
} from '#test/unit/operator/policy-store.ts';

const tokens = (limit: number | string): string => tenant(`budget: { tokens: ${limit} }`);

interface Watched {
  readonly store: Store;
  readonly dir: string;
  readonly messages: readonly string[];
  readonly rounds: readonly Round[];
  readonly limit: () => Promise<number | null | undefined>;
  readonly stop: () => Promise<void>;
}

async function watched(
  text: string,
  resyncMs = 60_000,
  over: (store: Store) => Store = (store) => store,
): Promise<Watched> {
  const messages: string[] = [];
  const rounds: Round[] = [];
  const platform = stillPlatform(messages);
  const store = over(await openStore(platform));
  const dir = await folderWith({ 'tenant.yaml': text });
  const controller = new AbortController();
  const { signal } = controller;
  const running = watchFolder({
    dir,
    store,
    platform,
    calendar,
    clusterId: 'folder',
    signal,
    resyncMs,
    onRound: (round) => void rounds.push(round),
  });
  const stop = async (): Promise<void> => {
    controller.abort();
    await running;
  };
  onTestFinished(stop);
  const limit = async () => (await store.policies.get('acme'))?.policy.budget.limitTokens;
  return { store, dir, messages, rounds, limit, stop };
}

describe('watching a folder', () => {
  test('POLICY-50: an edit is applied soon, and so is a file that is moved into place', async () => {
    const { dir, limit } = await watched(tokens(1));
    await expect.poll(limit).toBe(1);
    await writeFile(path.join(dir, 'tenant.yaml'), tokens(2));
    await expect.poll(limit, { timeout: 3_000 }).toBe(2);
    await writeFile(path.join(dir, '.tenant.swp'), tokens(3));
    await rename(path.join(dir, '.tenant.swp'), path.join(dir, 'tenant.yaml'));
    await expect.poll(limit, { timeout: 3_000 }).toBe(3);
  });

  test('POLICY-51: an invalid file keeps the last good policy and is reported once', async () => {
    const { dir, limit, messages, rounds } = await watched(tokens(1), 50);
    await expect.poll(limit).toBe(1);
    await writeFile(path.join(dir, 'tenant.yaml'), tokens('many'));
    const failed = (): number => rounds.filter(({ kind }) => kind === 'Failed').length;
    await expect.poll(failed, { timeout: 3_000 }).toBeGreaterThan(3);
    expect(messages.filter((message) => message.includes('many'))).toHaveLength(1);
    expect(await limit()).toBe(1);
    await writeFile(path.join(dir, 'tenant.yaml'), tokens(4));
    await expect.poll(limit, { timeout: 3_000 }).toBe(4);
  });

  test('POLICY-52: the folder can disappear and come back', async () => {
    const { dir, limit, rounds } = await watched(tokens(1));
    await expect.poll(limit).toBe(1);
    await rm(dir, { recursive: true });
    await expect.poll(() => rounds.at(-1)?.kind, { timeout: 3_000 }).toBe('Failed');
    expect(await limit()).toBe(1);
    await mkdir(dir);
    await writeFile(path.join(dir, 'tenant.yaml'), tokens(5));
    await expect.poll(limit, { timeout: 6_000 }).toBe(5);
    // The new folder is watched as the old one was.
    await writeFile(path.join(dir, 'tenant.yaml'), tokens(6));
    await expect.poll(limit, { timeout: 6_000 }).toBe(6);
  }, 20_000);

  test('POLICY-53: watching stops at once, even during a wait', async () => {
    const { limit, stop } = await watched(tokens(1));
    await expect.poll(limit).toBe(1);
    const started = performance.now();
    await stop();
    expect(performance.now() - started).toBeLessThan(500);
  });

  test('POLICY-54: without changes, nothing is written and nothing is logged', async () => {
    const { store, messages, rounds, limit } = await watched(tokens(1), 20);
    await expect.poll(limit).toBe(1);
    await expect.poll(() => rounds.length, { timeout: 3_000 }).toBeGreaterThan(10);
    expect(messages).toHaveLength(1);
    expect(await store.events.list('acme', { afterId: null, limit: 10 })).toHaveLength(1);
  });

  test('an unexpected failure of a round is logged once and retried', async () => {
    const failing = { is: true };
    const { limit, messages, rounds } = await watched(tokens(1), 20, (store) => {
      const get = (target: Store, name: keyof Store) => {
        if (name === 'policies' && failing.is) throw new RangeError('the stack is full');
        return target[name];
      };
      return new Proxy(store, { get: (target, name) => get(target, name as keyof Store) });
    });
    const failed = () => rounds.filter(({ kind }) => kind === 'Failed').length;
    await expect.poll(failed, { timeout: 3_000 }).toBeGreaterThan(3);
    expect(messages.filter((message) => message.includes('failed unexpectedly'))).toHaveLength(1);
    failing.is = false;
    await expect.poll(limit, { timeout: 3_000 }).toBe(1);
  });

  test('a folder that cannot be read fails the round and does not end the watch', async () => {
    const dir = path.join(tmpdir(), 'x'.repeat(300));
    const controller = new AbortController();
    onTestFinished(() => controller.abort());
    const platform = stillPlatform([]);
    const store = await openStore(platform);
    const round = await new Promise<Round>((resolve, reject) => {
      const { signal } = controller;
      const folder = { dir, store, platform, calendar, clusterId: 'folder' };
      watchFolder({ ...folder, signal, onRound: resolve }).catch(reject);
    });
    const message = expect.stringContaining('ENAMETOOLONG');
    expect(round).toMatchObject({ kind: 'Failed', error: { code: 'PROVIDER_ERROR', message } });
  });

  test('an erasure is left to the next process, and both log when it is', async () => {
    const { dir, store, messages, limit, stop } = await watched(tenant('reclaimPolicy: Erase'));
    await expect.poll(limit).toBeNull();
    await writeFile(path.join(dir, 'beta.yaml'), tenant('{}', 'beta'));
    await rm(path.join(dir, 'tenant.yaml'));
    const words = 'then Varve erases them';
    const told = () => messages.filter((message) => message.includes(words));
    await expect.poll(told, { timeout: 3_000 }).toHaveLength(1);
    await stop();
    const later: string[] = [];
    const next = new AbortController();
    const folder = { dir, store, platform: stillPlatform(later), calendar, clusterId: 'folder' };
    await watchFolder({ ...folder, signal: next.signal, onRound: () => next.abort() });
    expect(later.filter((message) => message.includes(words))).toEqual(told());
  });
});

const SCOPES = 150;
/** So that a run, which lasts a minute, sees to sixty. */
const STEP_MS = 1_000;
const BETA = tenant('{}', 'beta');
const FILES = {
  'a.yaml': documents(tenant('{}'), layerPolicy('layer: user\nupdateOnChanges: 1')),
  'b.yaml': BETA,
};

async function longFolder() {
  const time = { now: NOW };
  const clock = () => (time.now += STEP_MS);
  const platform = { ...stillPlatform(), clock };
  const opened = await openStore(platform);
  for (let n = 0; n < SCOPES; n += 1) {
    await changedScope(opened, { tenant: 'acme', layer: 'user', scopeId: `user-${String(n)}` }, 1);
  }
  /** Told of each scope that is written. */
  let onWrite: (count: number) => void = () => undefined;
  let writes = 0;
  const replace: Store['scopes']['replace'] = (record) => {
    writes += 1;
    onWrite(writes);
    return opened.scopes.replace(record);
  };
  const store = { ...opened, scopes: { ...opened.scopes, replace } };
  const folder = { dir: await folderWith(FILES), store, platform, calendar, clusterId: 'folder' };
  return {
    folder,
    store,
    writes: () => writes,
    onWrite: (told: (count: number) => void) => {
      onWrite = told;
    },
    due: async () => {
      const scopes = await store.scopes.list('acme', SCOPES + 1);
      return scopes.filter(({ dueAt }) => dueAt !== null).length;
    },
  };
}

describe('a folder with many scopes', () => {
  test('work for a tenant that is no longer declared stops', async () => {
    const { folder, writes } = await longFolder();
    const enforcedPolicies = new EnforcedPolicies();
    await reconcileFolder({ ...folder, enforcedPolicies });
    expect(enforcedPolicies.isAnyBegun()).toBe(true);
    const begun = writes();
    await reconcileFolder({
      ...folder,
      dir: await folderWith({ 'b.yaml': BETA }),
      enforcedPolicies,
    });
    expect([enforcedPolicies.isAnyBegun(), writes()]).toEqual([false, begun]);
  });

  test('a signal ends a run soon, and the next start does the rest', async () => {
    const { folder, store, onWrite, due } = await longFolder();
    const ending = new AbortController();
    onWrite((count) => {
      if (count === 7) ending.abort();
    });
    const rounds: Round[] = [];
    await watchFolder({
      ...folder,
      signal: ending.signal,
      onRound: (round) => void rounds.push(round),
    });
    expect(await due()).toBe(7);
    expect(rounds).toEqual([]);
    expect(await store.policies.get('beta')).toBeNull();

    onWrite(() => undefined);
    const next = new AbortController();
    await watchFolder({
      ...folder,
      signal: next.signal,
      resyncMs: 3_600_000,
      onRound: () => {
        void due().then((count) => count === SCOPES && next.abort());
      },
    });
    expect(await due()).toBe(SCOPES);
    expect(await store.policies.get('beta')).not.toBeNull();
  });

  test('a run continues where the previous one ended', async () => {
    const { folder, writes, due } = await longFolder();
    const enforcedPolicies = new EnforcedPolicies();
    const seen: number[] = [];
    do {
      const { outcomes } = await reconcileFolder({ ...folder, enforcedPolicies });
      const [acme] = outcomes;
      seen.push(acme !== undefined && 'rescheduled' in acme ? acme.rescheduled : -1);
    } while (enforcedPolicies.isAnyBegun() && seen.length < SCOPES);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.reduce((total, each) => total + each, 0)).toBe(SCOPES);
    expect([writes(), await due()]).toEqual([SCOPES, SCOPES]);
    // Everything is done by then, so the next one has nothing to look at.
    const { outcomes } = await reconcileFolder({ ...folder, enforcedPolicies });
    expect(outcomes).toMatchObject([
      { kind: 'Kept', rescheduled: 0 },
      { kind: 'Kept', rescheduled: 0 },
    ]);
  });
});
