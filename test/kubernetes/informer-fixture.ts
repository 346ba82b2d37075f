/** What the tests of the client and the informer do with a real API server. */
import { once } from 'node:events';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import path from 'node:path';
import type { KubernetesApi, KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { NO_OPERATOR_METRICS } from '#core/ports/metrics.ts';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { createInformer, type InformerOptions } from '#operator/informer/informer.ts';
import { openKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { createTimers } from '#providers/node/timers.ts';

export const MAPS = {
  group: '',
  version: 'v1',
  kind: 'ConfigMap',
  plural: 'configmaps',
  isNamespaced: true,
};
/** Each namespace gets this one from the cluster, some time after it was made. */
export const OWN_MAPS = 'metadata.name!=kube-root-ca.crt';
export const PATIENCE = { timeout: 60_000, interval: 100 };

/** No limit of requests: how many tests send is not what they are about. */
export function openTestApi(kubeconfig: string) {
  return openKubernetesApi({
    kubeconfig,
    userAgent: 'varve-operator/test',
    timers: createTimers(),
    requestsPerSecond: 10_000,
    burst: 10_000,
  });
}

export function mapOf(
  namespace: string,
  name: string,
  value: string,
  metadata: object = {},
): KubernetesObject {
  return {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { namespace, name, ...metadata },
    data: { value },
  };
}

/** An informer of the maps of a namespace that runs until it is disposed of. */
export function reflecting(
  api: KubernetesApi,
  namespace: string,
  options: Partial<InformerOptions> = {},
) {
  const stop = new AbortController();
  const ends: string[] = [];
  const informer = createInformer({
    api,
    type: MAPS,
    selection: { namespace, fieldSelector: OWN_MAPS },
    onChange: () => undefined,
    timers: createTimers(),
    metrics: {
      ...NO_OPERATOR_METRICS,
      count: (_name, labels) => {
        if ('reason' in labels) ends.push(String(labels.reason));
      },
    },
    log: SILENT_LOG,
    ...options,
  });
  const running = informer.run(stop.signal);
  return {
    informer,
    ends,
    /** Names and values, as the cache has them. */
    cached: () => valuesOf(informer.objects.list()),
    async [Symbol.asyncDispose]() {
      stop.abort();
      await running;
    },
  };
}

/** Names and values, as the server has them. */
export async function served(api: KubernetesApi, namespace: string): Promise<readonly string[]> {
  const { items } = await api.list(MAPS, { namespace, fieldSelector: OWN_MAPS });
  return valuesOf(items);
}

function valuesOf(objects: readonly KubernetesObject[]): readonly string[] {
  return objects
    .map((object) => `${object.metadata.name}=${JSON.stringify(object['data'])}`)
    .toSorted();
}

export interface CountedLine extends AsyncDisposable {
  /** Leads to the same server by this line. */
  readonly kubeconfig: string;
  opened(): number;
  /** Breaks all connections, and takes no new ones until it is repaired. */
  cut(): void;
  repair(): void;
}

/** A line to the API server that counts connections and can be cut. */
export async function startCountedLine(kubeconfig: string, server: string): Promise<CountedLine> {
  const text = await readFile(kubeconfig, 'utf8');
  const target = new URL(server);
  const sockets = new Set<Socket>();
  let opened = 0;
  let isCut = false;
  const line = createServer((client) => {
    if (isCut) {
      client.destroy();
      return;
    }
    opened += 1;
    const upstream = connect(Number(target.port), target.hostname);
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.once('close', () => {
        sockets.delete(socket);
        client.destroy();
        upstream.destroy();
      });
      // A line that breaks is what this is for.
      socket.on('error', () => socket.destroy());
    }
    client.pipe(upstream);
    upstream.pipe(client);
  });
  line.listen(0, '127.0.0.1');
  await once(line, 'listening');
  const { port } = line.address() as AddressInfo;
  const file = path.join(path.dirname(kubeconfig), `line-${String(port)}.kubeconfig`);
  await writeFile(file, text.replaceAll(server, `https://127.0.0.1:${String(port)}`));
  const cutAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    kubeconfig: file,
    opened: () => opened,
    cut() {
      isCut = true;
      cutAll();
    },
    repair() {
      isCut = false;
    },
    async [Symbol.asyncDispose]() {
      cutAll();
      line.close();
      await Promise.all([once(line, 'close'), rm(file)]);
    },
  };
}
