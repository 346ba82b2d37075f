/**
 * The operator of a cluster: caches, queues, one leader.
 *
 * Flow: fill the caches and keep them current → become the leader, or wait for it → fence off
 * earlier leaders → reconcile until the signal → wait for running reconciles → release the Lease.
 * Guarantees: reconciles run only while leading; the next leader first reconciles everything; a
 * stop waits at most `DRAIN_MS_MAX`.
 * Assumptions: a process that lost its Lease ends.
 */
import { VarveError } from '#core/errors.ts';
import type { KubernetesApi, KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';
import { NO_OPERATOR_METRICS, type OperatorMetrics } from '#core/ports/metrics.ts';
import type { Log, Timers } from '#core/ports/platform.ts';
import {
  DEEP_DREAM,
  LAYER_SUMMARY_POLICY,
  MEMORY_TENANT,
  MODEL_PROVIDER,
} from '#crds/resource-types.ts';
import { createEventRecorder } from '../event-recorder.ts';
import type { ObjectChange, ObjectIndex } from '../informer/object-cache.ts';
import { createInformer, IDLE_MS_MAX, type Informer } from '../informer/informer.ts';
import { type ElectionEnd, LeaderElector, type Term } from '../leader/elect-leader.ts';
import { LEASE_SETTINGS, type LeaseSettings } from '../leader/lease.ts';
import type { Workqueue } from '../queue/workqueue.ts';
import { EnforcedPolicies } from '../tenant/enforced-policies.ts';
import { withinTime } from '../timers.ts';
import type { ClusterContext, RefreshLink } from './cluster-context.ts';
import { createFence } from './leader-fence.ts';
import { createControllers, type Controllers } from './controllers.ts';
import {
  type OperatorParts,
  type WatchHealth,
  createLoopLag,
  PendingChanges,
  type UnsyncedAge,
} from './operator-health.ts';
import { keepInstallation } from './installation-upkeep.ts';
import {
  TenantViews,
  ResourceLister,
  INDEXES,
  type ObjectSource,
  type ObjectSources,
} from './resource-lister.ts';
import { LimitsSource } from './platform-limits-source.ts';
import { StatusWriter } from './status-writer.ts';
import { ScopeCounts } from './stored-tenant.ts';
import { StoreOutage } from './store-outage.ts';

/** The sender of events and status writes. */
const CONTROLLER = 'memory.varve.dev/operator';
/** As controller-runtime's CacheSyncTimeout: a start fails if the caches are not full by then. */
const SYNC_MS_MAX = 120_000;
const SYNC_LOOK_MS = 20;
/**
 * Limits the flush of events: a thousand may wait, each for seconds if the server does not answer.
 */
const FLUSH_MS_MAX = 3_000;

export interface ClusterOperatorOptions
  extends
    Pick<ClusterContext, 'api' | 'store' | 'platform' | 'calendar' | 'timers'>,
    Pick<ClusterContext, 'clusterId' | 'releaseNamespace' | 'namespaces'>,
    Partial<Pick<ClusterContext, 'refreshes' | 'metrics'>> {
  /** Unique to this process: no other process, past or present, has it. */
  readonly identity: string;
  readonly leaseName: string;
  /** `LEASE_SETTINGS` if absent. */
  readonly lease?: LeaseSettings;
  /**
   * Ensures what belongs to the installation and to no resource, such as schedules. Called
   * repeatedly, each time with the epoch of the term. A call that hangs is abandoned once the
   * signal is aborted.
   */
  readonly ensureInstallation?: (epoch: number, signal: AbortSignal) => Promise<void>;
}

export interface ClusterOperator {
  /** Runs until the signal, or until the Lease is lost; then the process has to end. */
  run(signal: AbortSignal): Promise<ElectionEnd>;
  /** Reconciles everything again, at once. */
  resync(): void;
  isLeader(): boolean;
  /** For the probes. */
  readonly parts: OperatorParts;
  readonly queues: readonly Workqueue[];
  /** For a page of metrics: ages count from the first call that saw the change. */
  readonly unsynced: () => readonly UnsyncedAge[];
}

/** Used without Temporal: the tick of the refreshing process finds what is due. */
export const NO_REFRESHES: RefreshLink = {
  notify: () => Promise.resolve(),
  end: () => Promise.resolve(null),
};

/** @throws VarveError INVALID_INPUT if the settings of the Lease contradict each other */
export function createClusterOperator(options: ClusterOperatorOptions): ClusterOperator {
  const { platform, timers, metrics = NO_OPERATOR_METRICS } = options;
  const { log } = platform;
  const lag = createLoopLag({ timers, metrics, log });
  const caches: Caches = createCaches({
    ...options,
    metrics,
    log,
    onChange: (kind, change) => controllers.changed(kind, change),
  });
  const elector = electorOf(options, metrics);
  const context = contextOf({ ...options, metrics }, { caches, elector });
  const controllers: Controllers = createControllers(context, { timers });
  const unsynced = new PendingChanges();
  return {
    async run(signal) {
      const beside = new AbortController();
      const running = [caches.run(beside.signal), lag.run(beside.signal)];
      try {
        return await elector.run(
          (term) => lead({ options, caches, context, controllers }, term, signal),
          signal,
        );
      } finally {
        beside.abort();
        await Promise.all(running);
      }
    },
    resync: () => {
      context.enforcedPolicies.expire();
      context.limits.expire();
      controllers.enqueueAll();
    },
    isLeader: () => elector.isLeader(),
    parts: {
      watches: () => caches.health(),
      queues: controllers.queues,
      elector,
      loopLagMs: () => lag.latestMs(),
    },
    queues: controllers.queues,
    unsynced: () => unsynced.agesOf(caches.byKind(), timers.timer()),
  };
}

/**
 * Waits until all caches are full. Also resolves once the signal is aborted.
 * @throws VarveError TIMEOUT if the server lists nothing in time
 */
async function synced(caches: Caches, timers: Timers, signal: AbortSignal): Promise<void> {
  const until = timers.timer() + SYNC_MS_MAX;
  while (!caches.hasSynced() && !signal.aborted) {
    if (timers.timer() > until) {
      throw new VarveError('TIMEOUT', NOT_SYNCED, { details: { limitMs: SYNC_MS_MAX } });
    }
    await timers.wait(SYNC_LOOK_MS, signal).catch(() => undefined);
  }
}

const NOT_SYNCED =
  'The resources could not be listed. Check that the custom resource definitions are installed ' +
  'and that the ServiceAccount may list and watch them.';

function electorOf(options: ClusterOperatorOptions, metrics: OperatorMetrics): LeaderElector {
  const { api, platform, timers, identity, releaseNamespace, leaseName } = options;
  const { log, clock } = platform;
  const place = { namespace: releaseNamespace, name: leaseName };
  const settings = options.lease ?? LEASE_SETTINGS;
  return new LeaderElector({ api, place, identity, settings, clock, timers, log, metrics });
}

function contextOf(
  options: ClusterOperatorOptions & { readonly metrics: OperatorMetrics },
  { caches, elector }: { caches: Caches; elector: LeaderElector },
): ClusterContext {
  const { api, store, platform, timers, identity, clusterId, metrics } = options;
  const { log, clock, newId } = platform;
  const reporter = { controller: CONTROLLER, instance: identity };
  return {
    ...options,
    recorder: createEventRecorder({ api, reporter, clock, newId, timers, log, metrics }),
    leadership: elector,
    fence: createFence({ policies: store.policies, clusterId, leadership: elector }),
    refreshes: options.refreshes ?? NO_REFRESHES,
    temporal: { isAway: false },
    storeOutage: new StoreOutage(),
    limits: new LimitsSource({ ...options, log }),
    lister: new ResourceLister(caches.sources),
    statuses: new StatusWriter({ api, clock, leadership: elector }),
    views: new TenantViews(),
    enforcedPolicies: new EnforcedPolicies(),
    scopeCounts: new ScopeCounts(),
    erased: new Map(),
  };
}

interface Leading {
  readonly options: ClusterOperatorOptions;
  readonly caches: Caches;
  readonly context: ClusterContext;
  readonly controllers: Controllers;
}

/** Runs one term: until the signal, or until the Lease is lost. */
async function lead(
  { options, caches, context, controllers }: Leading,
  term: Term,
  signal: AbortSignal,
): Promise<void> {
  const until = AbortSignal.any([term.signal, signal]);
  const { timers, ensureInstallation = () => Promise.resolve() } = options;
  await synced(caches, timers, until);
  // With half a cache, resources would look deleted.
  if (until.aborted) return;
  controllers.start(term.signal);
  try {
    await keepInstallation({ context, controllers, ensure: ensureInstallation }, until);
  } finally {
    // Whatever ended the term, this comes before the Lease is released.
    await controllers.stop();
  }
  await flush(context);
}

/** Writes the events that wait. They are for people, so the next leader does not wait for them. */
async function flush({ recorder, timers, platform }: ClusterContext): Promise<void> {
  const within = { limitMs: FLUSH_MS_MAX, signal: new AbortController().signal };
  try {
    await withinTime(timers, within, () => recorder.flush());
  } catch (error) {
    platform.log.warn({ error }, 'some events were not written before the lease was released');
  }
}

interface CachesOptions {
  readonly api: Pick<KubernetesApi, 'list' | 'watch'>;
  /** Namespaces that are watched; null for all. */
  readonly namespaces: readonly string[] | null;
  /** ModelProviders are watched here, whatever `namespaces` has. */
  readonly releaseNamespace: string;
  readonly onChange: (kind: keyof ObjectSources, change: ObjectChange) => void;
  readonly timers: Timers;
  readonly metrics: OperatorMetrics;
  readonly log: Log;
}

interface Caches {
  readonly sources: ObjectSources;
  hasSynced(): boolean;
  /** All objects in the caches, by kind. */
  byKind(): ReadonlyMap<string, readonly KubernetesObject[]>;
  health(): readonly WatchHealth[];
  /** Resolves when the signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

const TYPES: Readonly<Record<keyof ObjectSources, ResourceType>> = {
  tenants: MEMORY_TENANT,
  layerPolicies: LAYER_SUMMARY_POLICY,
  providers: MODEL_PROVIDER,
  dreams: DEEP_DREAM,
};

/** The caches of the four kinds: one informer for each kind, or for each kind and namespace. */
function createCaches(options: CachesOptions): Caches {
  const informers = {
    tenants: informersOf('tenants', options),
    layerPolicies: informersOf('layerPolicies', options),
    providers: informersOf('providers', options),
    dreams: informersOf('dreams', options),
  };
  const all = Object.values(informers).flat();
  return {
    sources: {
      tenants: sourceOf(informers.tenants),
      layerPolicies: sourceOf(informers.layerPolicies),
      providers: sourceOf(informers.providers),
      dreams: sourceOf(informers.dreams),
    },
    hasSynced: () => all.every((informer) => informer.hasSynced()),
    byKind: () => {
      return new Map(
        Object.entries(informers).map(([kind, own]) => [
          TYPES[kind as keyof ObjectSources].kind,
          own.flatMap(({ objects }) => objects.list()),
        ]),
      );
    },
    health: () => all.map((informer) => healthOf(informer, options.timers.timer())),
    async run(signal) {
      await Promise.all(all.map((informer) => informer.run(signal)));
    },
  };
}

function informersOf(kind: keyof ObjectSources, options: CachesOptions): readonly Informer[] {
  const { api, timers, metrics, log, namespaces, releaseNamespace, onChange } = options;
  const indexes: Readonly<Record<string, ObjectIndex>> = INDEXES[kind];
  const watched =
    kind === 'providers' && namespaces !== null ? [...namespaces, releaseNamespace] : namespaces;
  const selections =
    watched === null ? [{}] : [...new Set(watched)].map((namespace) => ({ namespace }));
  return selections.map((selection) =>
    createInformer({
      api,
      type: TYPES[kind],
      selection,
      indexes,
      onChange: (change) => onChange(kind, change),
      timers,
      metrics,
      log,
    }),
  );
}

function sourceOf(informers: readonly Informer[]): ObjectSource {
  const caches = informers.map(({ objects }) => objects);
  return {
    get: (place) =>
      caches.map((cache) => cache.get(place)).find((object) => object !== null) ?? null,
    list: () => caches.flatMap((cache) => cache.list()),
    indexed: (index, value) => caches.flatMap((cache) => cache.indexed(index, value)),
  };
}

function healthOf(informer: Informer, now: number): WatchHealth {
  const [heardAt, triedAt] = [informer.lastHeardAt(), informer.lastTriedAt()];
  return {
    kind: informer.type.kind,
    hasSynced: informer.hasSynced(),
    silentForMs: heardAt === null ? null : now - heardAt,
    triedForMs: triedAt === null ? null : now - triedAt,
    silenceMsMax: IDLE_MS_MAX,
  };
}
