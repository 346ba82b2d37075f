/** One replica of the operator in this process, restarted whenever it ends by itself. */
import { randomUUID } from 'node:crypto';

import type { KubernetesApi } from '#core/ports/kubernetes-api.ts';
import type { Clock, Timers } from '#core/ports/platform.ts';
import type { Store } from '#core/ports/store.ts';
import { createClusterOperator } from '#operator/cluster/cluster-operator.ts';
import type { LeaseSettings } from '#operator/leader/lease.ts';
import { openKubernetesApi } from '#providers/kubernetes/open-kubernetes-api.ts';
import { createCalendar } from '#providers/node/calendar.ts';
import { createPlatform } from '#providers/node/platform.ts';
import { createTimers } from '#providers/node/timers.ts';

import type { ApiProxy } from '../../cluster/api-proxy.ts';
import { OutsideCalls, type OutsideCallsOptions } from './outside-calls.ts';
import { temporalOf, type TemporalFixture, type Version } from './temporal-fixture.ts';

export interface ReplicaOptions {
  /** What goes wrong on its side; it ends with its first death. */
  readonly calls?: Omit<OutsideCallsOptions, 'onDeath'>;
  /** By the clock; `SHORT_LEASE` where nothing takes longer than that. */
  readonly lease?: LeaseSettings;
  /** Of the program; `Current` */
  readonly version?: Version;
}

export interface Replica extends AsyncDisposable {
  isLeader(): boolean;
  /** Outside calls so far that count. */
  callCount(): number;
  /** Whether it has died or was stopped. */
  hasEnded(): boolean;
  stop(): Promise<void>;
}

/** By the clock: deaths are frequent here, and each is followed by the end of a Lease. */
const SHORT_LEASE: LeaseSettings = { leaseMs: 3_000, renewWithinMs: 2_000, retryMs: 400 };

const CLUSTER_ID = 'proof';

export interface ReplicaPlace extends ReplicaOptions {
  /** How much quicker than the clock the operator's time passes. */
  readonly speed: number;
  /** Of that time, the same for all replicas. */
  readonly clock: Clock;
  readonly namespace: string;
  readonly store: Store;
  readonly proxy: ApiProxy;
  readonly temporal: TemporalFixture;
}

/** Starts it; the place outlives it. */
export function startReplica(place: ReplicaPlace): Replica {
  const stopping = new AbortController();
  let current: { readonly isLeader: () => boolean } | null = null;
  const died = new AbortController();
  const calls = new OutsideCalls({
    counts: () => true,
    fateOf: () => 'Pass',
    ...place.calls,
    onDeath: () => died.abort(),
  });
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await runOnce(place, calls, {
        signal: AbortSignal.any([stopping.signal, died.signal]),
        onStart: (operator) => {
          current = operator;
        },
      });
      current = null;
      if (died.signal.aborted) return;
    }
  };
  let hasEnded = false;
  const ended = run().finally(() => {
    hasEnded = true;
  });
  const stop = async (): Promise<void> => {
    stopping.abort();
    await ended;
  };
  return {
    isLeader: () => current?.isLeader() ?? false,
    callCount: () => calls.count,
    hasEnded: () => hasEnded,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

interface OneRun {
  readonly signal: AbortSignal;
  readonly onStart: (operator: { readonly isLeader: () => boolean }) => void;
}

async function runOnce(
  place: ReplicaPlace,
  calls: OutsideCalls,
  { signal, onStart }: OneRun,
): Promise<void> {
  const { namespace, proxy, speed, version = 'Current' } = place;
  const timers = hastened(createTimers(), speed);
  await using opened = openKubernetesApi({
    kubeconfig: proxy.kubeconfig,
    userAgent: 'varve-operator/proof',
    timers,
  });
  const api = withHastenedWatches(opened, speed);
  const temporal = temporalOf(place.temporal, calls, { harness: namespace, version });
  const operator = createClusterOperator({
    ...temporal,
    api: calls.through(api, 'api'),
    store: calls.through(place.store, 'store'),
    platform: { ...createPlatform(), clock: place.clock },
    calendar: createCalendar(),
    timers,
    identity: randomUUID(),
    clusterId: CLUSTER_ID,
    releaseNamespace: namespace,
    namespaces: [namespace],
    leaseName: 'varve-operator',
    lease: leaseAt(speed, place.lease ?? SHORT_LEASE),
  });
  onStart(operator);
  await operator.run(signal);
}

/** The server measures the time of a watch by its own clock. */
function withHastenedWatches(api: KubernetesApi, speed: number): KubernetesApi {
  return {
    ...api,
    watch: (type, options, signal) => {
      const timeoutSeconds = Math.ceil(options.timeoutSeconds / speed);
      return api.watch(type, { ...options, timeoutSeconds }, signal);
    },
  };
}

function leaseAt(speed: number, { leaseMs, renewWithinMs, retryMs }: LeaseSettings): LeaseSettings {
  return {
    leaseMs: leaseMs * speed,
    renewWithinMs: renewWithinMs * speed,
    retryMs: retryMs * speed,
  };
}

/** The same, with time that passes so many times as quickly. */
function hastened(timers: Timers, speed: number): Timers {
  return {
    timer: () => timers.timer() * speed,
    random: timers.random,
    wait: (milliseconds, signal) => timers.wait(milliseconds / speed, signal),
  };
}
