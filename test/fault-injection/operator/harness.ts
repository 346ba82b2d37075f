/**
 * One namespace of an API server, a store, and the operators that work on both. Each operator goes
 * through a proxy that records what it asks and can let things go wrong.
 */
import { randomUUID } from 'node:crypto';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

import { VarveError } from '#core/errors.ts';
import type { KubernetesApi } from '#core/ports/kubernetes-api.ts';
import type { Clock } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import { openKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { createTimers } from '#providers/node/timers.ts';
import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';

import { startApiProxy, type ApiProxy } from '../../cluster/api-proxy.ts';
import type { Cluster } from '../../cluster/control-plane/cluster.ts';
import { endState } from './end-state.ts';
import { startReplica, type Replica, type ReplicaOptions } from './replica.ts';
import type { TemporalFixture } from './temporal-fixture.ts';

export interface OperatorHarness extends AsyncDisposable {
  readonly namespace: string;
  /** The administrator's own way to the server. */
  readonly api: KubernetesApi;
  readonly store: Store;
  readonly proxy: ApiProxy;
  /** Starts a replica, which is started again whenever it ends by itself, as a pod would be. */
  start(options?: ReplicaOptions): Replica;
  /** Without the history of how often a policy changed, unless it is asked for. */
  state(of?: { readonly hasHistory: boolean }): Promise<string>;
}

export interface HarnessOptions {
  readonly cluster: Cluster;
  readonly temporal: TemporalFixture;
  readonly seed: number;
  /** How much quicker than the clock the operator's time passes; 1 by default. */
  readonly speed?: number;
}

/** Nothing that is looked for here takes longer, on a machine that is shared. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 200;
/** The proof's own requests are not what is measured. */
const UNLIMITED = { requestsPerSecond: 10_000, burst: 10_000 };

export async function openHarness(options: HarnessOptions): Promise<OperatorHarness> {
  const { cluster, temporal, seed, speed = 1 } = options;
  const { kubeconfig } = cluster;
  await using held = new AsyncDisposableStack();
  const timers = createTimers();
  const userAgent = 'proof/1';
  const api = held.use(openKubernetesApi({ kubeconfig, userAgent, timers, ...UNLIMITED }));
  const namespace = `scenario-${randomUUID().slice(0, 8)}`;
  await api.create(NAMESPACES, {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace },
  });
  const keys = path.dirname(kubeconfig);
  const proxy = held.use(await startApiProxy({ kubeconfig, keys, seed }));
  const platform = createPlatform();
  const openedAt = Date.now();
  const clock: Clock = () => Math.round(openedAt + (Date.now() - openedAt) * speed);
  const store = held.use(
    await openSqliteStore({ file: IN_MEMORY, platform, analyzer: createTextAnalyzer() }),
  );
  const replicas = new Set<Replica>();
  held.defer(async () => {
    await Promise.all([...replicas].map((replica) => replica.stop()));
  });
  const kept = held.move();
  return {
    namespace,
    api,
    store,
    proxy,
    start: (replica = {}) => {
      const place = { speed, clock, namespace, store, proxy, temporal };
      const started = startReplica({ ...replica, ...place });
      replicas.add(started);
      return started;
    },
    state: ({ hasHistory } = { hasHistory: false }) =>
      endState({ api, store, namespace, hasHistory, now: clock() }),
    [Symbol.asyncDispose]: () => kept.disposeAsync(),
  };
}

/**
 * Null is not yet, and so is a server that is about to answer.
 * @throws Error naming what did not come
 */
export async function eventually<T>(
  what: string,
  look: () => Promise<T | null>,
  patienceMs = PATIENCE_MS,
): Promise<T> {
  const until = performance.now() + patienceMs;
  for (;;) {
    const found = await look().catch(notYet);
    if (found !== null) return found;
    if (performance.now() > until) throw new Error(`${what} did not come.`);
    await pause(LOOK_MS);
  }
}

function notYet(error: unknown): null {
  if (error instanceof VarveError && error.retryable) return null;
  throw error;
}

const NAMESPACES = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  plural: 'namespaces',
  isNamespaced: false,
} as const;
