/** A folder whose tenant has more scopes than one run sees to: how it ends, and how it goes on. */
import { describe, expect, test } from 'vitest';

import type { Store } from '#core/ports/store.ts';
import { reconcileFolder } from '#operator/folder/reconcile.ts';
import { watchFolder, type Round } from '#operator/folder/watch-folder.ts';
import { AppliedPolicies } from '#operator/tenant/applied-policies.ts';
import { documents, layerPolicy, tenant } from '../crds/policy-files.ts';
import {
  calendar,
  changedScope,
  folderWith,
  NOW,
  openStore,
  stillPlatform,
} from './policy-store.ts';

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
  test('a tenant that is no longer declared is not gone on with', async () => {
    const { folder, writes } = await longFolder();
    const appliedPolicies = new AppliedPolicies();
    await reconcileFolder({ ...folder, appliedPolicies });
    expect(appliedPolicies.isAnyBegun()).toBe(true);
    const begun = writes();
    await reconcileFolder({
      ...folder,
      dir: await folderWith({ 'b.yaml': BETA }),
      appliedPolicies,
    });
    expect([appliedPolicies.isAnyBegun(), writes()]).toEqual([false, begun]);
  });

  test('a signal ends a run soon, and the next start does what was left', async () => {
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

  test('a run goes on where the one before ended', async () => {
    const { folder, writes, due } = await longFolder();
    const appliedPolicies = new AppliedPolicies();
    const seen: number[] = [];
    do {
      const { outcomes } = await reconcileFolder({ ...folder, appliedPolicies });
      const [acme] = outcomes;
      seen.push(acme !== undefined && 'rescheduled' in acme ? acme.rescheduled : -1);
    } while (appliedPolicies.isAnyBegun() && seen.length < SCOPES);
    expect(seen.length).toBeGreaterThan(2);
    expect(seen.reduce((total, each) => total + each, 0)).toBe(SCOPES);
    expect([writes(), await due()]).toEqual([SCOPES, SCOPES]);
    // Everything is done by then, so the next one has nothing to look at.
    const { outcomes } = await reconcileFolder({ ...folder, appliedPolicies });
    expect(outcomes).toMatchObject([
      { kind: 'Kept', rescheduled: 0 },
      { kind: 'Kept', rescheduled: 0 },
    ]);
  });
});
