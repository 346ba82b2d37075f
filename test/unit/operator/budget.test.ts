/** A limit that changes, and what waits for it. */
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { defaultPolicy } from '#core/records/policy.ts';
import type { Exhaustion } from '#core/records/account.ts';
import { withDue } from '#core/sources/scope-change.ts';
import { applyExhausted } from '#core/refresh/scope-failure.ts';
import { duePolicyOf } from '#core/policy/tenant-policy.ts';
import { reconcileFolder } from '#operator/folder/reconcile.ts';
import {
  calendar,
  changedScope,
  folderWith,
  NOW,
  openStore,
  stillPlatform,
} from './policy-store.ts';
import { tenant } from '../crds/policy-files.ts';

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
  test('with another limit, what waited for budget is due again as it was', async () => {
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

  test('another limit holds for the next period too, where a grant opened it', async () => {
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
