/**
 * The four controllers: a queue and a reconcile for each kind, and which change adds which keys.
 */
import { fieldOf } from '#core/is-record.ts';
import { canonicalJson } from '#core/hash.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { EVERY_NAMESPACE } from '#core/records/model-provider.ts';
import type { ObjectChange } from '../informer/object-cache.ts';
import { Workqueue } from '../queue/workqueue.ts';
import {
  readyIn,
  keyOfObject,
  placeOfKey,
  placeOfObject,
} from '../tenant/metadata-and-conditions.ts';
import type { Timers } from '#core/ports/platform.ts';
import { withBoundedRetries, type Reconcile } from '../queue/reconcile-result.ts';
import type { ClusterContext } from './cluster-context.ts';
import { endWhenFenced } from './leader-fence.ts';
import { createDreamReconcile } from './reconcile-dream.ts';
import { createLayerPolicyReconcile } from './reconcile-layer-policy.ts';
import { createProviderReconcile } from './reconcile-provider.ts';
import { createTenantReconcile } from './reconcile-tenant.ts';
import {
  type ObjectSources,
  tenantIdIn,
  tenantKeyIn,
  type ResourceLister,
} from './resource-lister.ts';

/**
 * A reconcile of a tenant reads and writes the store, so few run at once to leave room for its
 * users.
 */
const TENANT_WORKERS = 4;
/** The other reconciles mostly write a status; the rate limit of the API client bounds them. */
const OTHER_WORKERS = 2;

export interface Controllers {
  readonly queues: readonly Workqueue[];
  changed(kind: keyof ObjectSources, change: ObjectChange): void;
  /** Adds the keys of all resources, and of providers that may be left over in the store. */
  enqueueAll(): void;
  enqueueProviders(keys: readonly string[]): void;
  start(signal: AbortSignal): void;
  /** Takes no more keys and waits for running reconciles. */
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
      onRoom: () => enqueueAll(),
    });
  const onTenantReconciled = (key: string): void => {
    add({ ...NO_KEYS, ...lister.namingTenant(placeOfKey(key)) }, 'Listed');
  };
  const tenants = queueOf(
    'memorytenant',
    TENANT_WORKERS,
    createTenantReconcile(context, onTenantReconciled),
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
  const enqueueAll = (): void => add(lister.allKeys(), 'Listed');
  return {
    queues: Object.values(queues),
    changed(kind, change) {
      // Nobody waits for what the first list brought in.
      const priority = change.old === null ? 'Listed' : 'Change';
      add(KEYS_OF[kind](change, lister), priority);
    },
    enqueueAll,
    enqueueProviders: (keys) => add({ ...NO_KEYS, providers: keys }, 'Listed'),
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
export const KEYS_OF = {
  tenants: keysOfTenant,
  layerPolicies: keysOfPart('layerPolicies'),
  providers: keysOfProvider,
  dreams: keysOfPart('dreams'),
} as const;

export interface Keys {
  readonly tenants: readonly string[];
  readonly layerPolicies: readonly string[];
  readonly providers: readonly string[];
  readonly dreams: readonly string[];
}

/**
 * A tenant that appears, disappears or changes its Ready condition also adds its related resources.
 */
function keysOfTenant(change: ObjectChange, lister: ResourceLister): Keys {
  const object = objectOf(change);
  const isStatusOnly = !isSpecChange(change);
  if (isStatusOnly && !isReadinessChange(change)) return NO_KEYS;
  const naming = lister.namingTenant(placeOfObject(object));
  if (isStatusOnly) return { ...NO_KEYS, ...naming };
  // If the owner of a tenant id is gone, a resource that waits for the id may get it.
  const rivals = change.new === null ? lister.tenantKeysOfId(tenantIdIn(object)) : [];
  return { ...NO_KEYS, ...naming, tenants: [keyOfObject(object), ...rivals] };
}

/**
 * The tenant takes the resource over. Of its others, another policy may be the oldest of its layer
 * now, and dreams above the limit of a tenant may have room.
 */
function keysOfPart(kind: 'layerPolicies' | 'dreams') {
  return (change: ObjectChange, lister: ResourceLister): Keys => {
    if (!isSpecChange(change)) return NO_KEYS;
    const tenants = [...new Set(bothOf(change).map(tenantKeyIn))];
    const beside = tenants.flatMap((key) => lister.namingTenant(placeOfKey(key))[kind]);
    return {
      ...NO_KEYS,
      tenants,
      [kind]: [...new Set([keyOfObject(objectOf(change)), ...beside])],
    };
  };
}

/**
 * Adds the tenants that the provider serves now or served before. They show whether it works, so a
 * provider that fails or recovers adds them too.
 */
function keysOfProvider(change: ObjectChange, lister: ResourceLister): Keys {
  const isStatusOnly = !isSpecChange(change);
  if (isStatusOnly && isFailing(change.old) === isFailing(change.new)) return NO_KEYS;
  const namespaces = bothOf(change).flatMap(allowedNamespacesIn);
  const isForAll = namespaces.includes(EVERY_NAMESPACE);
  const tenants = lister.tenantKeys(isForAll ? null : [...new Set(namespaces)]);
  if (isStatusOnly) return { ...NO_KEYS, tenants };
  return { ...NO_KEYS, tenants, providers: [keyOfObject(objectOf(change))] };
}

function isFailing(object: KubernetesObject | null): boolean {
  return object !== null && readyIn(object)?.status === 'False';
}

function bothOf({ old, new: next }: ObjectChange): readonly KubernetesObject[] {
  return [old, next].filter((object) => object !== null);
}

function objectOf(change: ObjectChange): KubernetesObject {
  const object = change.new ?? change.old;
  if (object === null) throw new TypeError('A change has an object before it, after it, or both.');
  return object;
}

/**
 * Whether more than the status changed: the operator's own status writes must not requeue a
 * resource.
 */
function isSpecChange({ old, new: next }: ObjectChange): boolean {
  if (old === null || next === null) return true;
  return canonicalJson(declarationOf(old)) !== canonicalJson(declarationOf(next));
}

function declarationOf({ metadata }: KubernetesObject): object {
  const { uid, generation, deletionTimestamp, annotations, labels, finalizers } = metadata;
  return { uid, generation, deletionTimestamp, annotations, labels, finalizers };
}

function isReadinessChange({ old, new: next }: ObjectChange): boolean {
  const reasonOf = (object: KubernetesObject | null): string | undefined =>
    object === null ? undefined : readyIn(object)?.reason;
  return reasonOf(old) !== reasonOf(next);
}

function allowedNamespacesIn(object: KubernetesObject): readonly string[] {
  const list = fieldOf(object['spec'], 'allowedNamespaces');
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}
