/** The informer on a real API server, over connections and proxies that fail. */
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { OpenKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { startApiProxy } from '../cluster/api-proxy.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import {
  mapOf,
  MAPS,
  openTestApi,
  PATIENCE,
  reflecting,
  served,
  startCountedLine,
} from './informer-fixture.ts';

const SEED = 11;

describeUnless(await missingForKubernetes())('an informer of an API server', () => {
  let cluster: TestKubernetes;
  let api: OpenKubernetesApi;
  beforeAll(async () => {
    cluster = await openTestKubernetes();
    api = openTestApi(cluster.kubeconfig);
  });
  afterAll(async () => {
    await api[Symbol.asyncDispose]();
    await cluster[Symbol.asyncDispose]();
  });

  async function write(namespace: string, rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      const name = `map-${String(round % 5)}`;
      if (round % 4 === 3) await api.delete(MAPS, { namespace, name });
      else {
        const map = mapOf(namespace, name, String(round));
        await api.apply(MAPS, map, { fieldManager: 'test', force: true });
      }
    }
  }

  test('it lists existing objects page by page, and receives changes', async () => {
    const namespace = await cluster.createNamespace();
    const names = Array.from({ length: 501 }, (_none, at) => `map-${String(at)}`);
    await Promise.all(names.map((name) => api.create(MAPS, mapOf(namespace, name, '1'))));
    await using watched = reflecting(api, namespace);
    await expect.poll(() => watched.informer.hasSynced(), PATIENCE).toBe(true);
    expect(watched.informer.objects.size()).toBe(501);
    await write(namespace, 20);
    const now = await served(api, namespace);
    await expect.poll(() => watched.cached(), PATIENCE).toEqual(now);
    expect(watched.ends).toEqual([]);
  });

  test('a cut connection is resumed where it ended', async () => {
    const namespace = await cluster.createNamespace();
    await using line = await startCountedLine(cluster.kubeconfig, api.server);
    await using client = openTestApi(line.kubeconfig);
    await using watched = reflecting(client, namespace);
    await expect.poll(() => watched.informer.hasSynced(), PATIENCE).toBe(true);
    line.cut();
    await write(namespace, 10);
    await expect.poll(() => watched.ends.length, PATIENCE).toBeGreaterThan(1);
    line.repair();
    const now = await served(api, namespace);
    await expect.poll(() => watched.cached(), PATIENCE).toEqual(now);
    expect(new Set(watched.ends)).toEqual(new Set(['Disconnected']));
  });

  test('it converges despite dropped, repeated, and late events', async () => {
    const namespace = await cluster.createNamespace();
    const { kubeconfig } = cluster;
    const keys = path.dirname(kubeconfig);
    await using proxy = await startApiProxy({ kubeconfig, keys, seed: SEED });
    await using client = openTestApi(proxy.kubeconfig);
    await using watched = reflecting(client, namespace, { relistAfterMs: 2_000 });
    await expect.poll(() => watched.informer.hasSynced(), PATIENCE).toBe(true);
    proxy.setFaults({ dropped: 0.2, repeated: 0.2, late: 0.2, failure: 0.1 });
    await write(namespace, 60);
    const now = await served(api, namespace);
    await expect.poll(() => watched.cached(), PATIENCE).toEqual(now);
  });

  test('a watch that falls silent or expires is replaced', async () => {
    const namespace = await cluster.createNamespace();
    const { kubeconfig } = cluster;
    const keys = path.dirname(kubeconfig);
    await using proxy = await startApiProxy({ kubeconfig, keys, seed: SEED });
    await using client = openTestApi(proxy.kubeconfig);
    await using watched = reflecting(client, namespace, { idleMs: 3_000 });
    await expect.poll(() => watched.informer.hasSynced(), PATIENCE).toBe(true);
    const faults = [
      () => proxy.silenceWatches(),
      () => proxy.expireWatches(),
      () => proxy.cutWatches(),
    ];
    for (const [round, fault] of faults.entries()) {
      await expect.poll(fault, PATIENCE).toBe(1);
      await write(namespace, 3 + round);
      const now = await served(api, namespace);
      await expect.poll(() => watched.cached(), PATIENCE).toEqual(now);
    }
    expect(new Set(watched.ends)).toEqual(new Set(['Idle', 'Expired', 'Disconnected']));
  });

  test('a stopped informer leaves no watch on the server', async () => {
    const namespace = await cluster.createNamespace();
    const { kubeconfig } = cluster;
    const keys = path.dirname(kubeconfig);
    await using proxy = await startApiProxy({ kubeconfig, keys, seed: SEED });
    await using client = openTestApi(proxy.kubeconfig);
    {
      await using watched = reflecting(client, namespace);
      await expect.poll(() => watched.informer.hasSynced(), PATIENCE).toBe(true);
      await write(namespace, 3);
      await expect.poll(() => watched.informer.objects.size(), PATIENCE).toBe(3);
    }
    await expect.poll(() => proxy.cutWatches(), PATIENCE).toBe(0);
  });
});
