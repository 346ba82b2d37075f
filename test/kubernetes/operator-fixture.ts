/** An operator on the test's API server, with its own namespace and store. */
import { expect, onTestFinished } from 'vitest';
import { VarveError } from '#core/errors.ts';
import type { KubernetesApi, KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Store } from '#core/ports/store.ts';
import { API_VERSION } from '#crds/metadata.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from '#crds/resource-types.ts';
import type { Condition } from '#crds/status.ts';
import {
  createClusterOperator,
  type ClusterOperator,
  type ClusterOperatorOptions,
} from '#operator/cluster/cluster-operator.ts';
import { conditionsIn } from '#operator/tenant/metadata-and-conditions.ts';
import { createTimers } from '#providers/node/timers.ts';
import type { OperatorServer } from './operator-server.ts';
import { calendar, openStore, stillPlatform } from '../unit/operator/policy-store.ts';

/** Short, so that a second operator need not wait; long enough for two shared cores. */
const LEASE = { leaseMs: 6_000, renewWithinMs: 4_000, retryMs: 500 };
export const PATIENCE = { timeout: 30_000, interval: 50 };
export const CLUSTER_ID = 'test-cluster';
const KINDS = [MEMORY_TENANT, LAYER_SUMMARY_POLICY, MODEL_PROVIDER, DEEP_DREAM];
const RECONCILES = 'controller_runtime_reconcile_total';

export interface RunningOperator {
  readonly operator: ClusterOperator;
  /** A counter by its name and the value of its only, or first, label. */
  counted(name: string, label: string): number;
  /**
   * Has everything looked at again, once the operator has heard of all that the server has, and
   * waits until that is done. What it has not heard of yet costs it a conflict, and a moment.
   */
  lookAgain(): Promise<void>;
  /** In order, giving the Lease back. */
  stop(): Promise<void>;
}

export interface OperatorFixture {
  readonly api: KubernetesApi;
  readonly store: Store;
  readonly namespace: string;
  start(differing?: Partial<ClusterOperatorOptions>): RunningOperator;
  /** Creates or changes a resource, as `kubectl apply` does. */
  apply(type: ResourceType, object: Declared): Promise<KubernetesObject>;
  get(type: ResourceType, name: string, namespace?: string): Promise<KubernetesObject | null>;
  /** `True Accepted`; null where there is no such condition. */
  condition(type: ResourceType, name: string, named: string): Promise<string | null>;
  message(type: ResourceType, name: string, named: string): Promise<string>;
}

export interface Declared {
  readonly name: string;
  readonly namespace?: string;
  readonly spec?: object;
  readonly annotations?: Readonly<Record<string, string>>;
}

export async function openFixture({ cluster, api }: OperatorServer): Promise<OperatorFixture> {
  const namespace = await cluster.createNamespace();
  const platform = { ...stillPlatform(), clock: () => Date.now() };
  const store = await openStore(platform);
  const find = async (type: ResourceType, name: string, named: string) => {
    const object = await api.get(type, { namespace, name });
    const conditions: readonly Condition[] = object === null ? [] : conditionsIn(object);
    return conditions.find((condition) => condition.type === named) ?? null;
  };
  return {
    api,
    store,
    namespace,
    start: (differing = {}) =>
      startOperator({
        api,
        store,
        platform: { ...platform, newId: () => crypto.randomUUID() },
        calendar,
        timers: createTimers(),
        identity: `operator-${crypto.randomUUID()}`,
        clusterId: CLUSTER_ID,
        releaseNamespace: namespace,
        namespaces: [namespace],
        leaseName: 'varve-operator',
        lease: LEASE,
        ...differing,
      }),
    apply: (type, { name, namespace: other = namespace, spec, annotations }) =>
      api.apply(
        type,
        {
          apiVersion: API_VERSION,
          kind: type.kind,
          metadata: {
            name,
            namespace: other,
            ...(annotations === undefined ? {} : { annotations }),
          },
          ...(spec === undefined ? {} : { spec }),
        },
        { fieldManager: 'a-person', force: true },
      ),
    get: (type, name, other = namespace) => api.get(type, { namespace: other, name }),
    async condition(type, name, named) {
      const condition = await find(type, name, named);
      return condition === null ? null : `${condition.status} ${condition.reason}`;
    },
    message: async (type, name, named) => (await find(type, name, named))?.message ?? '',
  };
}

/** The same server as a program of another version would have its objects. */
export function seenAs(
  api: KubernetesApi,
  change: (object: KubernetesObject) => KubernetesObject,
): KubernetesApi {
  return {
    ...api,
    list: async (...call) => {
      const page = await api.list(...call);
      return { ...page, items: page.items.map(change) };
    },
    async *watch(...call) {
      for await (const event of api.watch(...call)) {
        yield { ...event, object: change(event.object) };
      }
    },
  };
}

/** The same server, and what it has told so far. */
function heardOf(api: KubernetesApi, namespace: string) {
  const versions = new Map<string, string | undefined>();
  const note = ({ metadata }: KubernetesObject) =>
    versions.set(metadata.uid ?? '', metadata.resourceVersion);
  const heard: KubernetesApi = {
    ...api,
    list: async (...call) => {
      const page = await api.list(...call);
      page.items.forEach(note);
      return page;
    },
    async *watch(...call) {
      for await (const event of api.watch(...call)) {
        note(event.object);
        yield event;
      }
    },
  };
  const isAll = async (): Promise<boolean> => {
    const lists = KINDS.map((type) => api.list(type, { namespace }));
    const objects = (await Promise.all(lists)).flatMap(({ items }) => items);
    return objects.every(
      ({ metadata }) => versions.get(metadata.uid ?? '') === metadata.resourceVersion,
    );
  };
  return { api: heard, isAll };
}

function startOperator(options: ClusterOperatorOptions): RunningOperator {
  const counts = new Map<string, number>();
  const metrics: OperatorMetrics = {
    count(name, labels) {
      const [label = ''] = Object.values<string>(labels);
      const key = `${name} ${label}`;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    },
    observe: () => undefined,
    set: () => undefined,
  };
  const heard = heardOf(options.api, options.releaseNamespace);
  const operator = createClusterOperator({ metrics, ...options, api: heard.api });
  const ending = new AbortController();
  const ended = operator.run(ending.signal);
  const stop = async (): Promise<void> => {
    ending.abort();
    const end = await ended;
    if (end === 'Lost') throw new VarveError('CONFLICT', 'The operator lost its Lease.');
  };
  onTestFinished(async () => {
    ending.abort();
    await ended;
  });
  const counted = (name: string, label: string): number => counts.get(`${name} ${label}`) ?? 0;
  const isQuiet = (): boolean =>
    operator.queues.every((queue) => queue.timers().ready === 0 && queue.running().length === 0);
  const lookAgain = async (): Promise<void> => {
    await expect.poll(async () => isQuiet() && (await heard.isAll()), PATIENCE).toBe(true);
    const before = counted(RECONCILES, 'memorytenant');
    operator.resync();
    await expect.poll(() => counted(RECONCILES, 'memorytenant'), PATIENCE).toBeGreaterThan(before);
    await expect.poll(isQuiet, PATIENCE).toBe(true);
  };
  return { operator, stop, counted, lookAgain };
}
