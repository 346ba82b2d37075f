/** Leader election on a real API server: what a model of a server can't show. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { KubernetesApi, KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { NO_OPERATOR_METRICS } from '#core/ports/metrics.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { LeaderElector, type ElectionEnd } from '#operator/leader/elect-leader.ts';
import { LEASE } from '#operator/leader/lease.ts';
import type { OpenKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { createTimers } from '#providers/node/timers.ts';
import { describeUnless } from '../cluster/needs.ts';
import {
  missingForKubernetes,
  openTestKubernetes,
  type TestKubernetes,
} from '../cluster/test-kubernetes.ts';
import { openTestApi } from './informer-fixture.ts';

/** Short, so that a test sees a Lease end; long enough for a server that shares two cores. */
const SETTINGS = { leaseMs: 6_000, renewWithinMs: 4_000, retryMs: 1_000 };
const NAME = 'varve-operator';
const PATIENCE = { timeout: 60_000, interval: 100 };

describeUnless(await missingForKubernetes())('leader election on an API server', () => {
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

  /** A candidate that leads until it is stopped or loses the Lease. */
  function candidate(identity: string, namespace: string, through: KubernetesApi = api) {
    const stop = new AbortController();
    const epochs: number[] = [];
    const elector = new LeaderElector({
      api: through,
      place: { namespace, name: NAME },
      identity,
      settings: SETTINGS,
      timers: createTimers(),
      clock: () => Date.now(),
      log: SILENT_LOG,
      metrics: NO_OPERATOR_METRICS,
    });
    const ended: Promise<ElectionEnd> = elector.run(async ({ epoch, signal }) => {
      epochs.push(epoch);
      const either = AbortSignal.any([stop.signal, signal]);
      if (either.aborted) return;
      await new Promise<void>((resolve) => {
        either.addEventListener('abort', () => resolve(), { once: true });
      });
    }, stop.signal);
    return { identity, elector, epochs, stop: () => stop.abort(), ended };
  }

  async function specOf(namespace: string): Promise<Readonly<Record<string, unknown>>> {
    const lease = await api.get(LEASE, { namespace, name: NAME });
    return (lease?.['spec'] ?? {}) as Readonly<Record<string, unknown>>;
  }

  test('the server accepts the Lease as written, and each renewal', async () => {
    const namespace = await cluster.createNamespace();
    const a = candidate('a', namespace);
    await expect.poll(() => a.epochs.length, PATIENCE).toBe(1);
    const first = await specOf(namespace);
    expect(first).toMatchObject({ holderIdentity: 'a', leaseDurationSeconds: 6 });
    await expect
      .poll(async () => (await specOf(namespace))['renewTime'], PATIENCE)
      .not.toBe(first['renewTime']);
    expect((await specOf(namespace))['acquireTime']).toBe(first['acquireTime']);
    a.stop();
    expect(await a.ended).toBe('Stopped');
  });

  test('one of several concurrent candidates leads, and hands over when it stops', async () => {
    const namespace = await cluster.createNamespace();
    const all = ['a', 'b', 'c'].map((name) => candidate(name, namespace));
    const leading = () => all.filter(({ elector }) => elector.isLeader());
    const seen: number[] = [];
    for (let turn = 0; turn < all.length; turn += 1) {
      await expect.poll(() => leading().length, PATIENCE).toBe(1);
      const [leader] = leading();
      seen.push(...(leader?.epochs ?? []));
      leader?.stop();
      expect(await leader?.ended).toBe('Stopped');
    }
    const [first = 0] = seen;
    expect(seen).toEqual([first, first + 1, first + 2]);
    expect((await specOf(namespace))['holderIdentity']).toBeUndefined();
  });

  test('a frozen leader is replaced, and its late write is refused', async () => {
    const namespace = await cluster.createNamespace();
    const late: KubernetesObject[] = [];
    let isFrozen = false;
    // Of what it sends while frozen nothing arrives in time.
    const frozen: KubernetesApi = {
      ...api,
      replace: (type, object, options) => {
        if (!isFrozen) return api.replace(type, object, options);
        late.push(object);
        return new Promise(() => undefined);
      },
    };
    const a = candidate('a', namespace, frozen);
    await expect.poll(() => a.epochs.length, PATIENCE).toBe(1);
    const b = candidate('b', namespace);
    isFrozen = true;
    expect(await a.ended).toBe('Lost');
    const [first = 0] = a.epochs;
    await expect.poll(() => b.epochs, PATIENCE).toEqual([first + 1]);
    expect(late.length).toBeGreaterThan(0);
    for (const object of late) {
      await expect(api.replace(LEASE, object)).rejects.toMatchObject({ code: 'CONFLICT' });
    }
    expect(await specOf(namespace)).toMatchObject({
      holderIdentity: 'b',
      leaseTransitions: first + 1,
    });
    b.stop();
    await b.ended;
  });

  test('a leader ends if a person gives its Lease to another holder', async () => {
    const namespace = await cluster.createNamespace();
    const a = candidate('a', namespace);
    await expect.poll(() => a.epochs.length, PATIENCE).toBe(1);
    const operations = [
      { op: 'replace', path: '/spec/holderIdentity', value: 'somebody' },
    ] as const;
    await api.patch(LEASE, { namespace, name: NAME }, { operations });
    expect(await a.ended).toBe('Lost');
    expect(a.elector.isLeader()).toBe(false);
  });
});
