/** The informer while the API server and etcd are down for a while. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { startControlPlane, type ControlPlane } from '../cluster/control-plane.ts';
import { missingForControlPlane } from '../cluster/control-plane/programs.ts';
import { describeUnless } from '../cluster/needs.ts';
import { mapOf, MAPS, openTestApi, PATIENCE, reflecting, served } from './informer-fixture.ts';

const NAMESPACE = 'default';
const APPLY = { fieldManager: 'test', force: true };

describeUnless(await missingForControlPlane())('while the control plane is restarted', () => {
  let plane: ControlPlane;
  let api: OpenKubernetesApi;
  beforeAll(async () => {
    plane = await startControlPlane();
    api = openTestApi(plane.kubeconfig);
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await plane[Symbol.asyncDispose]();
  });

  const put = (name: string, value: string) =>
    api.apply(MAPS, mapOf(NAMESPACE, name, value), APPLY);

  test('K8S-03: a watch survives a restart of the API server, and receives later changes', async () => {
    await using watched = reflecting(api, NAMESPACE);
    await expect.poll(() => watched.informer.hasSynced(), PATIENCE).toBe(true);
    await put('before', '1');
    await plane.kill('kube-apiserver', 'SIGKILL');
    await expect.poll(() => watched.ends.length, PATIENCE).toBeGreaterThan(0);
    await plane.start('kube-apiserver');
    await put('after', '2');
    const now = await served(api, NAMESPACE);
    await expect.poll(() => watched.cached(), PATIENCE).toEqual(now);
    expect(watched.ends).toContain('Disconnected');
  });

  test('a watch survives a restart of etcd', async () => {
    await using watched = reflecting(api, NAMESPACE);
    await expect.poll(() => watched.informer.hasSynced(), PATIENCE).toBe(true);
    await plane.kill('etcd', 'SIGKILL');
    await plane.start('etcd');
    await expect
      .poll(
        () =>
          put('etcd', '3').then(
            () => true,
            () => false,
          ),
        PATIENCE,
      )
      .toBe(true);
    const now = await served(api, NAMESPACE);
    await expect.poll(() => watched.cached(), PATIENCE).toEqual(now);
  });

  test('watching a version that etcd has compacted fails with 410', async () => {
    const { resourceVersion } = await api.list(MAPS, { namespace: NAMESPACE });
    for (let round = 0; round < 5; round += 1) await put('compacted', String(round));
    const last = await put('compacted', 'last');
    const response = await fetch(`${plane.etcd}/v3/kv/compaction`, {
      method: 'POST',
      body: JSON.stringify({ revision: last.metadata.resourceVersion, physical: true }),
    });
    expect(response.status).toBe(200);
    // Until it is restarted the API server still remembers the changes by itself.
    await plane.kill('kube-apiserver', 'SIGKILL');
    await plane.start('kube-apiserver');
    const told: unknown[] = [];
    const options = { namespace: NAMESPACE, resourceVersion, timeoutSeconds: 10 };
    try {
      for await (const event of api.watch(MAPS, options, new AbortController().signal)) {
        told.push(event.object['code']);
        break;
      }
    } catch (error) {
      told.push((error as { details: { httpStatus: number } }).details.httpStatus);
    }
    expect(told).toEqual([410]);
  });
});
