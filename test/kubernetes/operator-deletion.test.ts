/** What happens to a tenant whose resource is deleted, on a real API server. */
import { expect, test } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { Store } from '#core/ports/store.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import {
  FORCE_RELEASE_ANNOTATION,
  TENANT_FINALIZER,
} from '#operator/tenant/metadata-and-conditions.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes } from '../cluster/test-kubernetes.ts';
import { changedScope } from '../unit/operator/policy-store.ts';
import { openFixture, PATIENCE, type OperatorFixture } from './operator-fixture.ts';
import { openOperatorServer } from './operator-server.ts';
import { shared } from '#test/shared-fixture.ts';

const SCOPE = { tenant: 'acme', layer: 'user', scopeId: 'dana' } as const;

describeUnless(await missingForKubernetes())('the deletion of a tenant', () => {
  const server = shared(openOperatorServer);

  /** A tenant in force with something in the store, about to be deleted. */
  async function applied(reclaimPolicy: string, differing: { store?: Store } = {}) {
    const it = await openFixture(server());
    const ended: string[] = [];
    const refreshes = {
      notify: () => Promise.resolve(),
      end: (tenant: string) => {
        ended.push(tenant);
        return Promise.resolve(null);
      },
    };
    await it.apply(MEMORY_TENANT, { name: 'acme', spec: { reclaimPolicy } });
    const running = it.start({ refreshes, ...differing });
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('True InForce');
    await changedScope(it.store, SCOPE, 3);
    return { it, running, ended };
  }

  function gone(it: OperatorFixture) {
    return expect.poll(() => it.get(MEMORY_TENANT, 'acme'), PATIENCE).toBeNull();
  }

  test('Retain releases the tenant and keeps its data for a new resource', async () => {
    const { it, ended } = await applied('Retain');
    expect((await it.get(MEMORY_TENANT, 'acme'))?.metadata.finalizers).toEqual([TENANT_FINALIZER]);
    await it.api.delete(MEMORY_TENANT, { namespace: it.namespace, name: 'acme' });
    await gone(it);
    const released = await it.store.policies.get('acme');
    expect(released?.releasedAt).not.toBeNull();
    expect(await it.store.scopes.list('acme', 10)).toHaveLength(1);
    expect(ended).toEqual(['acme']);
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('True InForce');
    const again = await it.store.policies.get('acme');
    expect(again).toMatchObject({ generation: 2, releasedAt: null });
    expect(again?.owner.uid).not.toBe(released?.owner.uid);
  });

  test('K8S-04: Erase deletes everything of the tenant', async () => {
    const { it, ended } = await applied('Erase');
    await it.api.delete(MEMORY_TENANT, { namespace: it.namespace, name: 'acme' });
    await gone(it);
    expect(await it.store.policies.get('acme')).toBeNull();
    expect(await it.store.scopes.list('acme', 10)).toEqual([]);
    expect(ended).toEqual(['acme']);
  });

  test('a long erasure runs in steps and reports its progress', async () => {
    const { it, running } = await applied('Erase');
    await running.stop();
    const steps: number[] = [];
    const said: string[] = [];
    // Each step of this store deletes one record; there are forty more.
    const slow: Store = {
      ...it.store,
      eraseTenant: async (tenant, step) => {
        steps.push(step.limit);
        if (steps.length > 40) return it.store.eraseTenant(tenant, step);
        said.push(await it.message(MEMORY_TENANT, 'acme', 'Ready'));
        return { deleted: 1, isDone: false };
      },
    };
    it.start({ store: slow });
    await it.api.delete(MEMORY_TENANT, { namespace: it.namespace, name: 'acme' });
    await gone(it);
    expect(said).toContain('Everything of the tenant is being deleted; 10 records so far.');
    expect(said).toContain('Everything of the tenant is being deleted; 30 records so far.');
    expect(await it.store.policies.get('acme')).toBeNull();
  });

  test('an unavailable store blocks deletion with instructions, and force-release ends it', async () => {
    const { it, running } = await applied('Retain');
    await running.stop();
    const away = async (): Promise<never> => {
      await Promise.resolve();
      throw new VarveError('PROVIDER_ERROR', 'The database does not answer.');
    };
    const policies = { get: away, list: away, put: away, fence: away, release: away, move: away };
    it.start({ store: { ...it.store, policies } });
    await it.api.delete(MEMORY_TENANT, { namespace: it.namespace, name: 'acme' });
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('False CleanupBlocked');
    const message = await it.message(MEMORY_TENANT, 'acme', 'Ready');
    expect(message).toContain(`-n ${it.namespace} ${FORCE_RELEASE_ANNOTATION}=true`);
    const path = '/metadata/annotations';
    const operations = [
      { op: 'add', path, value: { [FORCE_RELEASE_ANNOTATION]: 'true' } },
    ] as const;
    await it.api.patch(MEMORY_TENANT, { namespace: it.namespace, name: 'acme' }, { operations });
    await gone(it);
    expect(await it.store.policies.get('acme')).toMatchObject({ releasedAt: null });
  });

  test('a claim whose resource was deleted without cleanup is taken over', async () => {
    const { it, running } = await applied('Retain');
    await running.stop();
    const operations = [{ op: 'remove', path: '/metadata/finalizers' }] as const;
    const place = { namespace: it.namespace, name: 'acme' };
    await it.api.patch(MEMORY_TENANT, place, { operations });
    await it.api.delete(MEMORY_TENANT, place);
    await it.apply(MEMORY_TENANT, { name: 'acme' });
    it.start();
    await expect
      .poll(() => it.condition(MEMORY_TENANT, 'acme', 'Ready'), PATIENCE)
      .toBe('True InForce');
    const object = await it.get(MEMORY_TENANT, 'acme');
    expect((await it.store.policies.get('acme'))?.owner.uid).toBe(object?.metadata.uid);
  });
});
