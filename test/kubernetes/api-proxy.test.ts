/** The proxy that the operator's proofs rest on: each fault is the one that it says it is. */
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { afterEach, expect, test } from 'vitest';

import type { KubernetesApi, KubernetesObject, WatchEvent } from '#core/ports/kubernetes-api.ts';
import { openKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';

import { startApiProxy, type ApiProxy } from '../cluster/api-proxy.ts';
import { describeUnless } from '../cluster/needs.ts';
import { missingForKubernetes, openTestKubernetes } from '../cluster/test-kubernetes.ts';

const MAPS = { group: '', version: 'v1', kind: 'ConfigMap', plural: 'configmaps' } as const;
const TYPE = { ...MAPS, isNamespaced: true };
const SEED = 7;
const EVERY = 1;
/** Each namespace gets this one from the cluster, some time after it was made. */
const fieldSelector = 'metadata.name!=kube-root-ca.crt';

describeUnless(await missingForKubernetes())('the proxy before an API server', () => {
  let held = new AsyncDisposableStack();
  afterEach(async () => {
    await held.disposeAsync();
    held = new AsyncDisposableStack();
  });

  async function open(): Promise<{ api: KubernetesApi; proxy: ApiProxy; namespace: string }> {
    const cluster = held.use(await openTestKubernetes());
    const namespace = await cluster.createNamespace();
    const { kubeconfig } = cluster;
    const keys = path.dirname(kubeconfig);
    const proxy = held.use(await startApiProxy({ kubeconfig, keys, seed: SEED }));
    const api = held.use(
      openKubernetesApi({
        kubeconfig: proxy.kubeconfig,
        userAgent: 'test/1',
        timers: {
          timer: () => performance.now(),
          wait: (milliseconds, signal) => wait(milliseconds, undefined, { signal }),
        },
      }),
    );
    return { api, proxy, namespace };
  }

  const mapOf = (namespace: string, name: string, value = ''): KubernetesObject => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name },
    ...(value === '' ? {} : { data: { value } }),
  });

  /** The names of the next events after the version that a list has. */
  async function watching(
    { api, namespace }: { api: KubernetesApi; namespace: string },
    act: () => Promise<void>,
    until: (events: readonly WatchEvent[]) => boolean,
  ): Promise<readonly string[]> {
    const { resourceVersion } = await api.list(TYPE, { namespace });
    const ending = new AbortController();
    const options = { namespace, fieldSelector, resourceVersion };
    const watch = api.watch(TYPE, { ...options, timeoutSeconds: 60 }, ending.signal);
    const events: WatchEvent[] = [];
    const acted = act();
    for await (const event of watch) {
      if (event.type !== 'BOOKMARK') events.push(event);
      if (until(events)) break;
    }
    await acted;
    ending.abort();
    return events.map(({ type, object }) => (type === 'ERROR' ? type : object.metadata.name));
  }

  const hasName = (name: string) => (events: readonly WatchEvent[]) =>
    events.some(({ object }) => object.metadata.name === name);

  test('it forwards requests and records verb and resource', async () => {
    const { api, proxy, namespace } = await open();
    await api.create(TYPE, mapOf(namespace, 'one'));
    await api.list(TYPE, { namespace });
    await api.delete(TYPE, { namespace, name: 'one' });
    expect(await api.get(TYPE, { namespace, name: 'one' })).toBeNull();
    expect(Object.fromEntries(proxy.record.counts())).toEqual({
      'create configmaps': 1,
      'delete configmaps': 1,
      'get configmaps': 1,
      'list configmaps': 1,
    });
    expect(proxy.record.writesSince(0)).toHaveLength(2);
    expect(proxy.record.since().map(({ status }) => status)).toEqual([201, 200, 200, 404]);
  });

  test('an injected conflict is returned, and nothing is written', async () => {
    const { api, proxy, namespace } = await open();
    proxy.setFaults({ conflict: EVERY });
    await expect(api.create(TYPE, mapOf(namespace, 'one'))).rejects.toMatchObject({
      code: 'CONFLICT',
    });
    proxy.setFaults({});
    expect(await api.get(TYPE, { namespace, name: 'one' })).toBeNull();
  });

  test('some failed writes take effect although all of them return an error', async () => {
    const { api, proxy, namespace } = await open();
    proxy.setFaults({ failure: EVERY });
    const names = Array.from({ length: 12 }, (_, n) => `map-${String(n)}`);
    for (const name of names) {
      await expect(api.create(TYPE, mapOf(namespace, name))).rejects.toMatchObject({
        details: { httpStatus: 500 },
      });
    }
    proxy.setFaults({});
    const { items } = await api.list(TYPE, { namespace });
    const made = items.filter(({ metadata }) => names.includes(metadata.name));
    expect(made.length).toBeGreaterThan(0);
    expect(made.length).toBeLessThan(names.length);
  });

  test.each([
    ['dropped', { dropped: EVERY }, ['last']],
    ['repeated', { repeated: EVERY }, ['one', 'one', 'two', 'two', 'last']],
    ['late', { late: EVERY }, ['two', 'one', 'last']],
  ] as const)('the events of a watch can be %s', async (_name, faults, expected) => {
    const opened = await open();
    const { api, proxy, namespace } = opened;
    const seen = await watching(
      opened,
      async () => {
        proxy.setFaults(faults);
        for (const name of ['one', 'two']) await api.create(TYPE, mapOf(namespace, name));
        await expect.poll(() => proxy.record.events).toBe(2);
        proxy.setFaults({});
        await api.create(TYPE, mapOf(namespace, 'last'));
      },
      hasName('last'),
    );
    expect(seen).toEqual(expected);
  });

  test('an expired watch reports 410 and ends', async () => {
    const opened = await open();
    const { proxy, api, namespace } = opened;
    const seen = await watching(
      opened,
      async () => {
        await api.create(TYPE, mapOf(namespace, 'one'));
        await expect.poll(() => proxy.expireWatches()).toBe(1);
      },
      (events) => events.some(({ type }) => type === 'ERROR'),
    );
    expect(seen.at(-1)).toBe('ERROR');
  });

  test('a held watch sends only bookmarks until it is cut', async () => {
    const { proxy, api, namespace } = await open();
    const { resourceVersion } = await api.list(TYPE, { namespace });
    const { signal } = new AbortController();
    const options = { namespace, fieldSelector, resourceVersion, timeoutSeconds: 60 };
    const held = api.watch(TYPE, options, signal)[Symbol.asyncIterator]();
    const next = held.next();
    await expect.poll(() => proxy.holdWatches()).toBe(1);
    await api.create(TYPE, mapOf(namespace, 'one'));
    await watching(
      { api, namespace },
      async () => void (await api.create(TYPE, mapOf(namespace, 'two'))),
      hasName('two'),
    );
    proxy.bookmarkWatches();
    const { value } = await next;
    expect(value).toMatchObject({ type: 'BOOKMARK', object: { metadata: { resourceVersion } } });
    const end = held.next();
    proxy.cutWatches();
    await expect(end).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
  });

  test('a watch that is cut fails at once', async () => {
    const opened = await open();
    const cut = watching(
      opened,
      async () => {
        await expect.poll(() => opened.proxy.cutWatches()).toBe(1);
      },
      () => false,
    );
    await expect(cut).rejects.toMatchObject({ code: 'PROVIDER_ERROR' });
  });

  test('a silent watch stays open without events, and a new one receives them', async () => {
    const opened = await open();
    const { proxy, api, namespace } = opened;
    const { resourceVersion } = await api.list(TYPE, { namespace });
    const ending = new AbortController();
    const options = { namespace, fieldSelector, resourceVersion, timeoutSeconds: 60 };
    const silent = api.watch(TYPE, options, ending.signal)[Symbol.asyncIterator]();
    const next = silent.next();
    await expect.poll(() => proxy.silenceWatches()).toBe(1);
    const heard = await watching(
      opened,
      async () => {
        await api.create(TYPE, mapOf(namespace, 'one'));
      },
      hasName('one'),
    );
    expect(heard).toEqual(['one']);
    const first = await Promise.race([next.then(() => 'event'), wait(0, 'nothing')]);
    expect(first).toBe('nothing');
    ending.abort();
    await expect(next).rejects.toMatchObject({ code: 'CANCELLED' });
  });
});
