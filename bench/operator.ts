/**
 * `npm run bench -- operator [COUNT]`: starts an operator in a cluster with that many new tenants.
 * The time is bounded by the operator's own request limit, so it is compared with that. Its memory
 * is compared with the resources as JSON, as the server has them at the end, without the managed
 * fields, which the cache drops.
 */
import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { KubernetesApi, KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { NO_OPERATOR_METRICS, type OperatorMetrics } from '#core/ports/metrics.ts';
import { createClusterOperator } from '#operator/cluster/cluster-operator.ts';
import { openKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { REQUEST_BURST, REQUESTS_PER_SECOND } from '#providers/kubernetes/request-limiter.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { createCalendar } from '#providers/node/calendar.ts';
import { createTimers } from '#providers/node/timers.ts';
import { openSqliteStore } from '#providers/sqlite/store.ts';
import {
  startBenchControlPlane,
  declareTenants,
  installDefinitions,
  isInForce,
  listTenants,
} from './operator/many-tenants.ts';

const COUNT = 1_000;
const NAMESPACE = 'default';
/**
 * A first start with this share of the tenants, so that the fixed cost of a process is in both
 * measurements.
 */
const WARM_UP_SHARE = 0.1;
/** The measurement's own requests are not limited. */
const UNLIMITED = { requestsPerSecond: 10_000, burst: 10_000 };
const LOOK_MS = 500;
/** A first collection may free what held objects that only the next one, a moment later, finds. */
const COLLECTIONS = 5;
const COLLECTION_MS = 100;
/** Code is compiled on demand, however many resources there are. */
const SPACES_OF_CODE = /code|trusted/u;
const DEFINITIONS_MS_MAX = 60_000;
const KIB = 1_024;

export async function run([count]: readonly string[]): Promise<void> {
  const tenants = count === undefined ? COUNT : Number(count);
  await using held = new AsyncDisposableStack();
  const { kubeconfig } = held.use(await startBenchControlPlane());
  const timers = createTimers();
  const userAgent = 'bench/1';
  const api = held.use(openKubernetesApi({ kubeconfig, userAgent, timers, ...UNLIMITED }));
  await installDefinitions(api);
  await untilServed(api);
  const folder = await mkdtemp(path.join(tmpdir(), 'varve-bench-operator-'));
  held.defer(() => rm(folder, { recursive: true, force: true }));
  const start = { kubeconfig, api, folder };

  const few = Math.ceil(tenants * WARM_UP_SHARE);
  await declareTenants(api, NAMESPACE, { from: 0, to: few });
  const warm = await converge({ ...start, tenants: few });
  const warmBytes = warm.heapBytes - (await heapBytes());
  await declareTenants(api, NAMESPACE, { from: few, to: tenants });
  const measured = await converge({ ...start, tenants });
  const allBytes = measured.heapBytes - (await heapBytes());
  const objects = await listTenants(api, NAMESPACE);
  const jsonBytes = JSON.stringify(objects.map(withoutManagedFields)).length / tenants;

  const added = tenants - few;
  const keptBytes = (allBytes - warmBytes) / added;
  const { requests, seconds } = measured;
  const limitSeconds = Math.max(0, requests - REQUEST_BURST) / REQUESTS_PER_SECOND;
  console.log(
    `${String(added)} new tenants of ${String(tenants)} in force after ${seconds.toFixed(1)} s ` +
      `and ${String(requests)} requests (${(requests / added).toFixed(2)} for each new one)`,
  );
  console.log(
    `${(seconds / limitSeconds).toFixed(2)} times the ${limitSeconds.toFixed(1)} s that the ` +
      `limit of ${String(REQUESTS_PER_SECOND)} requests a second asks for (wanted ≤ 1.3)`,
  );
  const perThousand = (bytes: number) => `${((bytes * 1_000) / KIB).toFixed(0)} KiB`;
  console.log(
    `${perThousand(keptBytes)} of memory for 1,000 tenants: ` +
      `${(keptBytes / jsonBytes).toFixed(2)} times their ${perThousand(jsonBytes)} as JSON`,
  );
}

interface Start {
  readonly kubeconfig: string;
  /** The API client of the measurement. */
  readonly api: KubernetesApi;
  readonly folder: string;
  readonly tenants: number;
}

interface Converged {
  readonly seconds: number;
  readonly requests: number;
  /** Taken while the operator still runs. */
  readonly heapBytes: number;
}

/** Runs an operator with its usual limits until every tenant is in force. */
async function converge({ kubeconfig, api, folder, tenants }: Start): Promise<Converged> {
  await using held = new AsyncDisposableStack();
  const timers = createTimers();
  const platform = createPlatform();
  const analyzer = createTextAnalyzer();
  const file = path.join(folder, 'varve.db');
  const store = held.use(await openSqliteStore({ file, platform, analyzer }));
  const counted = countedRequests();
  const own = held.use(
    openKubernetesApi({
      kubeconfig,
      userAgent: 'varve-operator/bench',
      timers,
      metrics: counted.metrics,
    }),
  );
  const operator = createClusterOperator({
    api: own,
    store,
    platform,
    calendar: createCalendar(),
    timers,
    identity: randomUUID(),
    clusterId: 'bench',
    releaseNamespace: NAMESPACE,
    namespaces: null,
    leaseName: 'varve-operator',
  });
  const stop = new AbortController();
  const startedAt = performance.now();
  const running = operator.run(stop.signal);
  held.defer(async () => {
    stop.abort();
    await running;
  });
  for (;;) {
    const done = (await listTenants(api, NAMESPACE)).filter(isInForce).length;
    if (done === tenants) break;
    await pause(LOOK_MS);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  return { seconds, requests: counted.count(), heapBytes: await heapBytes() };
}

/** Counts every answer once; there are only a few to watches. */
function countedRequests() {
  let requests = 0;
  const metrics: OperatorMetrics = {
    ...NO_OPERATOR_METRICS,
    count: (name) => {
      if (name === 'rest_client_requests_total') requests += 1;
    },
  };
  return { metrics, count: () => requests };
}

async function untilServed(api: KubernetesApi): Promise<void> {
  const until = performance.now() + DEFINITIONS_MS_MAX;
  for (;;) {
    try {
      await listTenants(api, NAMESPACE);
      return;
    } catch (error) {
      if (performance.now() > until) throw error;
    }
    await pause(LOOK_MS);
  }
}

function withoutManagedFields(object: KubernetesObject): KubernetesObject {
  const { managedFields: _fields, ...metadata } =
    object.metadata as KubernetesObject['metadata'] & {
      readonly managedFields?: unknown;
    };
  return { ...object, metadata };
}

/** Returns the bytes in use, without code, after garbage collection. */
async function heapBytes(): Promise<number> {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  for (let round = 0; round < COLLECTIONS; round += 1) {
    collect();
    // What a collection found is reported between two turns of the event loop.
    await pause(COLLECTION_MS);
  }
  return getHeapSpaceStatistics()
    .filter(({ space_name: name }) => !SPACES_OF_CODE.test(name))
    .reduce((total, { space_used_size: bytes }) => total + bytes, 0);
}
