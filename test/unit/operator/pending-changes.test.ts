import { expect, test } from 'vitest';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { PendingChanges } from '#operator/cluster/pending-changes.ts';

const tenant = (name: string, generation: number, observedGeneration?: number) =>
  ({
    apiVersion: 'memory.varve.dev/v1alpha1',
    kind: 'MemoryTenant',
    metadata: { name, uid: `uid-of-${name}`, generation },
    ...(observedGeneration === undefined ? {} : { status: { observedGeneration } }),
  }) satisfies KubernetesObject;

const tenants = (...objects: readonly KubernetesObject[]) => new Map([['MemoryTenant', objects]]);

test('what its status names is not unsynced', () => {
  const ages = new PendingChanges().look(tenants(tenant('acme', 3, 3)), 1_000);
  expect(ages).toEqual([{ kind: 'MemoryTenant', forMs: 0 }]);
});

test('the oldest counts from the look that saw its generation first', () => {
  const unsynced = new PendingChanges();
  unsynced.look(tenants(tenant('acme', 1)), 1_000);
  const both = tenants(tenant('acme', 1), tenant('other', 2, 1));
  expect(unsynced.look(both, 5_000)).toEqual([{ kind: 'MemoryTenant', forMs: 4_000 }]);
  const synced = tenants(tenant('acme', 1, 1), tenant('other', 2, 1));
  expect(unsynced.look(synced, 7_000)).toEqual([{ kind: 'MemoryTenant', forMs: 2_000 }]);
});

test('another change begins anew', () => {
  const unsynced = new PendingChanges();
  unsynced.look(tenants(tenant('acme', 1)), 1_000);
  expect(unsynced.look(tenants(tenant('acme', 2)), 9_000)).toEqual([
    { kind: 'MemoryTenant', forMs: 0 },
  ]);
});
