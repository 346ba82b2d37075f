/** When a tenant whose resource is deleted is released: only after all work for it has ended. */
import { describe, expect, test } from 'vitest';
import { UNDER_WAY_MS_MAX } from '#core/refresh/refresh-contract.ts';
import { VarveError } from '#core/errors.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import { cleanUpTenant } from '#operator/cluster/clean-up-tenant.ts';
import type { RefreshLink } from '#operator/cluster/cluster-context.ts';
import { TENANT_FINALIZER } from '#operator/tenant/metadata-and-conditions.ts';
import { StatusWriter } from '#operator/cluster/status-writer.ts';
import { changedScope, NOW, openStore, stillPlatform } from '../policy-store.ts';
import { OWNER, tenantObject } from './resources.ts';

const TENANT = 'acme';
const SCOPE = { tenant: TENANT, layer: 'user', scopeId: 'ann' } as const;
const { signal } = new AbortController();

/** A tenant with one scope, in force until its resource is deleted. */
async function openDeletion(endOf: () => Promise<number | null>) {
  let now = NOW;
  const platform = { ...stillPlatform(), clock: () => now };
  const store = await openStore(platform);
  await store.policies.put(OWNER, defaultPolicy(TENANT), { hash: 'h', now, epoch: 1 });
  await changedScope(store, SCOPE, 1);
  const said: string[] = [];
  const ended: string[] = [];
  const recorded: string[] = [];
  let isHeld = true;
  const leadership = { isLeader: () => true, epoch: () => 1, lose: () => undefined };
  const object = tenantObject({}, { finalizers: [TENANT_FINALIZER] });
  const apply = (_: unknown, written: object): Promise<KubernetesObject> => {
    said.push(JSON.stringify(written));
    return Promise.resolve(object);
  };
  const patch = (): Promise<KubernetesObject> => {
    isHeld = false;
    return Promise.resolve(object);
  };
  const refreshes: RefreshLink = {
    notify: () => Promise.resolve(),
    end: (tenant) => {
      ended.push(tenant);
      return endOf();
    },
  };
  const context = {
    api: { patch },
    leadership,
    platform,
    store,
    refreshes,
    recorder: {
      record: ({ reason }: { reason: string }) => void recorded.push(reason),
      flush: () => Promise.resolve(),
    },
    statuses: new StatusWriter({ api: { apply }, clock: platform.clock, leadership }),
    erased: new Map<string, number>(),
  };
  return {
    store,
    said,
    ended,
    recorded,
    isHeld: () => isHeld,
    advance: (ms: number) => {
      now += ms;
    },
    left: () => store.scopes.list(TENANT, 9),
    cleanUp: (kind: 'Erase' | 'Release') =>
      cleanUpTenant(object, { kind, tenant: TENANT, owner: OWNER }, { context, signal }),
  };
}

describe('releasing a tenant', () => {
  test('Erase ends at once for a tenant without a run', async () => {
    const it = await openDeletion(() => Promise.resolve(null));
    expect(await it.cleanUp('Erase')).toEqual({ kind: 'Done' });
    expect(await it.store.policies.get(TENANT)).toBeNull();
    expect([it.isHeld(), it.said]).toEqual([false, []]);
  });

  test.each<[string, () => Promise<number | null>]>([
    ['a run cut short', () => Promise.resolve(NOW)],
    ['a run with an unknown end', away],
  ])('Erase waits for %s and deletes what it leaves', async (_, endOf) => {
    const it = await openDeletion(endOf);
    expect(await it.cleanUp('Erase')).toEqual({ kind: 'RequeueAfter', ms: 30_000 });
    expect(await it.left()).toEqual([]);
    expect(it.said.at(-1)).toContain('waits for work still under way');
    it.advance(UNDER_WAY_MS_MAX - 1_000);
    // An activity that was at work all the time.
    await changedScope(it.store, SCOPE, 1);
    expect(await it.cleanUp('Erase')).toEqual({ kind: 'RequeueAfter', ms: 1_000 });
    expect(await it.store.policies.get(TENANT)).toMatchObject({ releasedAt: NOW });
    await changedScope(it.store, SCOPE, 1);
    expect(it.isHeld()).toBe(true);
    it.advance(1_000);
    expect(await it.cleanUp('Erase')).toEqual({ kind: 'Done' });
    expect(await it.left()).toEqual([]);
    expect(await it.store.policies.get(TENANT)).toBeNull();
    expect([it.isHeld(), it.recorded.at(-1)]).toEqual([false, 'Erased']);
  });

  test('Erase does not wait for a run cut short long ago', async () => {
    const it = await openDeletion(() => Promise.resolve(NOW - UNDER_WAY_MS_MAX));
    expect(await it.cleanUp('Erase')).toEqual({ kind: 'Done' });
  });

  test.each(['Erase', 'Release'] as const)(
    '%s ends the run even if an earlier attempt died after the release',
    async (kind) => {
      const it = await openDeletion(() => Promise.resolve(null));
      await it.store.policies.release(TENANT, OWNER, { now: NOW, epoch: 1 });
      expect(await it.cleanUp(kind)).toEqual({ kind: 'Done' });
      expect(it.ended).toEqual([TENANT]);
    },
  );

  test('Release does not wait for Temporal', async () => {
    const it = await openDeletion(away);
    expect(await it.cleanUp('Release')).toEqual({ kind: 'Done' });
    expect(await it.left()).toHaveLength(1);
    expect(await it.store.policies.get(TENANT)).toMatchObject({ releasedAt: NOW });
  });
});

function away(): Promise<never> {
  return Promise.reject(new VarveError('PROVIDER_ERROR', 'Temporal is unavailable.'));
}
