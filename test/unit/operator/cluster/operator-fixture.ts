/** A whole operator in virtual time, over a scripted API server and a store in memory. */
import { VarveError } from '#core/errors.ts';
import type { KubernetesApi, KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import type { Store } from '#core/ports/store.ts';
import {
  createClusterOperator,
  type ClusterOperatorOptions,
} from '#operator/cluster/cluster-operator.ts';
import { LEASE } from '#operator/leader/lease.ts';
import { createTextAnalyzer } from '#providers/lexical/analyzer.ts';
import { IN_MEMORY, openSqliteStore } from '#providers/sqlite/store.ts';
import { unavailableWhile, countingCalls } from '../unavailable-store.ts';
import { leaseServer } from '../lease-server.ts';
import { calendar, NOW, stillPlatform } from '../policy-store.ts';
import { virtualTime } from '../virtual-time.ts';
import { CLUSTER } from './resources.ts';

export const RELEASE = 'varve';

export interface Script {
  /** What lists show. */
  readonly listed?: readonly KubernetesObject[];
  /** What a get shows; what lists show if absent. */
  readonly live?: readonly KubernetesObject[];
  /** Kinds whose list never comes. */
  readonly silent?: readonly string[];
  /** Kinds that can't be written: no answer ever comes. */
  readonly stuck?: readonly string[];
  /** Asked at each call of the store, which does not answer meanwhile. */
  readonly isStoreAway?: () => boolean;
  readonly options?: Partial<ClusterOperatorOptions>;
}

export async function operatorFixture(script: Script = {}) {
  const messages: string[] = [];
  const platform = { ...stillPlatform(messages), clock: () => NOW + time.now() };
  const calls = { pending: 0 };
  const time = virtualTime(() => calls.pending > 0);
  const lease = leaseServer((ms) => time.timers().wait(ms, new AbortController().signal));
  const store: Store = await openSqliteStore({
    file: IN_MEMORY,
    platform,
    analyzer: createTextAnalyzer(),
  });
  const writes: string[] = [];
  const statuses = new Map<string, unknown>();
  const ended: string[] = [];
  const api = scriptedApi(script, {
    writes,
    statuses,
    lease: lease.client(() => ({ thereMs: 0, backMs: 0 })),
  });
  const operator = createClusterOperator({
    api,
    store: countingCalls(unavailableWhile(store, script.isStoreAway ?? (() => false)), (change) => {
      calls.pending += change;
    }),
    platform,
    calendar,
    timers: time.timers(),
    identity: 'a',
    clusterId: CLUSTER,
    releaseNamespace: RELEASE,
    namespaces: null,
    leaseName: 'varve-operator',
    refreshes: {
      notify: () => Promise.resolve(),
      end: async (tenant) => {
        ended.push(tenant);
        return null;
      },
    },
    ...script.options,
  });
  const stop = new AbortController();
  const state = { outcome: 'Running' };
  const run = () => {
    operator.run(stop.signal).then(
      (end) => (state.outcome = end),
      (error: unknown) => (state.outcome = String(error)),
    );
  };
  const outcome = () => state.outcome;
  /** As it was last written; undefined where it never was. */
  const status = (type: ResourceType, name: string) => statuses.get(`${type.kind} ${name}`);
  const asRelease = { store, clusterId: CLUSTER, releaseNamespace: RELEASE };
  const told = { writes, status, ended, messages, outcome };
  return { asRelease, time, lease, store, operator, run, stop, ...told };
}

function scriptedApi(
  { listed = [], live = listed, silent = [], stuck = [] }: Script,
  {
    writes,
    statuses,
    lease,
  }: { writes: string[]; statuses: Map<string, unknown>; lease: KubernetesApi },
): KubernetesApi {
  const write = async (verb: string, type: ResourceType, object: KubernetesObject) => {
    if (stuck.includes(type.kind)) return never();
    writes.push(`${verb} ${type.kind} ${object.metadata.name}`);
    return object;
  };
  const shown = (type: ResourceType, name: string) =>
    live.find((object) => object.kind === type.kind && object.metadata.name === name) ?? null;
  return {
    get: async (type, place, signal) =>
      type.kind === LEASE.kind ? lease.get(type, place, signal) : shown(type, place.name),
    list: (type, _, signal) =>
      silent.includes(type.kind)
        ? never(signal)
        : Promise.resolve({
            resourceVersion: '9',
            continueToken: null,
            items: listed.filter(({ kind }) => kind === type.kind),
          }),
    async *watch(_, __, signal) {
      await never(signal);
      yield* [];
    },
    create: (type, object, options) =>
      type.kind === LEASE.kind
        ? lease.create(type, object, options)
        : write('create', type, object),
    replace: (type, object, options) => lease.replace(type, object, options),
    apply: (type, object) => {
      statuses.set(`${type.kind} ${object.metadata.name}`, object['status']);
      return write('apply', type, object);
    },
    patch: async (type, { name }) => {
      const object = shown(type, name);
      if (object === null) throw new VarveError('NOT_FOUND', 'There is no such object.');
      return write('patch', type, object);
    },
    delete: () => Promise.resolve(),
  };
}

/** An answer that does not come; a signal ends the waiting for it. */
function never(signal?: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const end = () => reject(new VarveError('CANCELLED', 'The call was cancelled.'));
    signal?.addEventListener('abort', end, { once: true });
  });
}
