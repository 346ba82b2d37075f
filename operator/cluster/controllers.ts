/** The four controllers: a queue and a reconcile for each kind, and which change asks for which. */
import { Workqueue } from '../queue/workqueue.ts';
import type { Timers } from '../timers.ts';
import type { ObjectChange } from '../informer/object-cache.ts';
import { withBoundedRetries, type Reconcile } from './bounded-retries.ts';
import type { ClusterContext } from './context.ts';
import { endWhenFenced } from './end-when-fenced.ts';
import {
  keysOfDream,
  keysOfLayerPolicy,
  keysOfProvider,
  keysOfTenant,
  type Keys,
} from './enqueue.ts';
import { createDreamReconcile } from './reconcile-dream.ts';
import { createLayerPolicyReconcile } from './reconcile-layer-policy.ts';
import { createProviderReconcile } from './reconcile-provider.ts';
import { createTenantReconcile } from './reconcile-tenant.ts';
import type { ObjectSources } from './resource-lister.ts';

/** Tenants are read from the store and written to it: as many as do not crowd out its users. */
const TENANT_WORKERS = 4;
/** The others mostly write a status; the client's own limit of requests holds them. */
const OTHER_WORKERS = 2;

export interface Controllers {
  readonly queues: readonly Workqueue[];
  changed(kind: keyof ObjectSources, change: ObjectChange): void;
  /** Wants every resource reconciled, and providers by key that may be left over in the store. */
  lookAtAll(): void;
  lookAtProviders(keys: readonly string[]): void;
  start(signal: AbortSignal): void;
  /** Takes nothing more and waits for what runs. */
  stop(): Promise<void>;
}

export function createControllers(
  context: ClusterContext,
  { timers }: { timers: Timers },
): Controllers {
  const { platform, metrics, lister, leadership } = context;
  const ending = { leadership, log: platform.log };
  const queueOf = (name: string, workers: number, reconcile: Reconcile): Workqueue =>
    new Workqueue({
      name,
      workers,
      reconcile: withBoundedRetries(
        (request) => endWhenFenced(ending, () => reconcile(request)),
        platform.log,
      ),
      timers,
      log: platform.log,
      metrics,
      onRoom: () => lookAtAll(),
    });
  const onTenantLookedAt = (key: string): void => {
    for (const each of lister.layerPolicyKeysOf(key))
      layerPolicies.add(each, { priority: 'Listed' });
    for (const each of lister.dreamKeysOf(key)) dreams.add(each, { priority: 'Listed' });
  };
  const tenants = queueOf(
    'memorytenant',
    TENANT_WORKERS,
    createTenantReconcile(context, onTenantLookedAt),
  );
  const layerPolicies = queueOf(
    'layersummarypolicy',
    OTHER_WORKERS,
    createLayerPolicyReconcile(context),
  );
  const providers = queueOf('modelprovider', OTHER_WORKERS, createProviderReconcile(context));
  const dreams = queueOf('deepdream', OTHER_WORKERS, createDreamReconcile(context));
  const queues = { tenants, layerPolicies, providers, dreams };

  const add = (keys: Keys, priority: 'Change' | 'Listed'): void => {
    for (const kind of KINDS) for (const key of keys[kind]) queues[kind].add(key, { priority });
  };
  const lookAtAll = (): void => add(lister.allKeys(), 'Listed');
  return {
    queues: Object.values(queues),
    changed(kind, change) {
      // What a list brought in is no news to anybody who waits.
      const priority = change.old === null ? 'Listed' : 'Change';
      add(KEYS_OF[kind](change, lister), priority);
    },
    lookAtAll,
    lookAtProviders: (keys) => add({ ...NO_KEYS, providers: keys }, 'Listed'),
    start(signal) {
      for (const queue of Object.values(queues)) queue.start(signal);
    },
    async stop() {
      await Promise.all(Object.values(queues).map((queue) => queue.stop()));
    },
  };
}

const KINDS = ['providers', 'tenants', 'layerPolicies', 'dreams'] as const;
const NO_KEYS: Keys = { tenants: [], layerPolicies: [], providers: [], dreams: [] };
const KEYS_OF = {
  tenants: keysOfTenant,
  layerPolicies: keysOfLayerPolicy,
  providers: keysOfProvider,
  dreams: keysOfDream,
} as const;
