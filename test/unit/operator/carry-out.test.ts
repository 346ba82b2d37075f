/** Limits and due marks of tenants with more scopes than one page holds. */
import { expect, test } from 'vitest';
import { defaultPolicy } from '#core/policy.ts';
import { carryOut } from '#operator/carry-out.ts';
import { changedScope, openStore, stillPlatform } from './policy-store.ts';

/** One more than a page. */
const SCOPES = 501;

test('K8S-02: every scope has the due time of the policy, however many there are', async () => {
  const platform = stillPlatform();
  const store = await openStore(platform);
  for (let index = 0; index < SCOPES; index += 1) {
    await changedScope(store, { tenant: 'acme', layer: 'user', scopeId: `user-${index}` }, 1);
  }
  const policy = defaultPolicy('acme');
  const strict = { ...policy.layers.user, updateOnChanges: 1 };
  const applied = { ...policy, layers: { ...policy.layers, user: strict } };
  const first = await carryOut({ policy: applied, generation: 1 }, { store, platform });
  expect(first).toMatchObject({ rescheduled: SCOPES, isWoken: true, isComplete: true });
  const due = await store.scopes.list('acme', SCOPES + 1);
  expect(due.filter(({ dueAt }) => dueAt !== platform.clock())).toEqual([]);
  const second = await carryOut({ policy: applied, generation: 1 }, { store, platform });
  expect(second).toMatchObject({ rescheduled: 0, isWoken: false, isLimitChanged: false });
});

test('K8S-04: limits of a later generation are left as they are', async () => {
  const platform = stillPlatform();
  const store = await openStore(platform);
  const policy = defaultPolicy('acme');
  const later = { ...policy.budget, limitTokens: 9, policyGeneration: 5 };
  await store.accounts.setLimits('acme', '2026-11', later);
  const late = { ...policy, budget: { ...policy.budget, limitTokens: 1 } };
  const carried = await carryOut({ policy: late, generation: 4 }, { store, platform });
  expect(carried.isLimitChanged).toBe(false);
  expect(await store.accounts.get('acme', '2026-11', policy.budget)).toMatchObject({
    limitTokens: 9,
  });
});
