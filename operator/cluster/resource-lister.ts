/**
 * Answers which resources refer to which, from the caches. Reads memory only. A resource that is
 * read twice is checked against its schema once.
 */
import { fieldOf } from '#core/is-record.ts';
import { Layer } from '#core/layer.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { PolicyRecord, TenantPolicy } from '#core/records/policy.ts';
import { DeepDream } from '#crds/deep-dream.ts';
import { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import type { PlatformLimits } from '#crds/limit-values.ts';
import { MemoryTenant } from '#crds/memory-tenant.ts';
import { ModelProvider } from '#crds/model-provider.ts';
import { readObject, type ReadResult } from '#crds/read-object.ts';
import { type CachedObjects, type ObjectIndex, SharedValues } from '../informer/object-cache.ts';
import {
  isDeleting,
  keyOfObject,
  namespacedKey,
  placeOfObject,
  placeOfKey,
  type NamespacedPlace,
} from '../tenant/metadata-and-conditions.ts';
import type { SeenDream } from '../tenant/compile-policy.ts';
import type { SeenLayerPolicy } from '../tenant/plan-tenant.ts';
import type { StoredTenant } from './stored-tenant.ts';

/**
 * The queries that controllers make on the cache of a kind, or on the caches of several namespaces.
 */
export type ObjectSource = Pick<CachedObjects, 'get' | 'list' | 'indexed'>;

export interface ObjectSources {
  readonly tenants: ObjectSource;
  readonly layerPolicies: ObjectSource;
  readonly providers: ObjectSource;
  readonly dreams: ObjectSource;
}

/** The indexes that the caches need. */
export const INDEXES = {
  tenants: {
    namespace: (object) => [placeOfObject(object).namespace],
    tenantId: (object) => [tenantIdIn(object)],
  },
  layerPolicies: { tenant: (object) => [tenantKeyIn(object)] },
  providers: { namespace: (object) => [placeOfObject(object).namespace] },
  dreams: { tenant: (object) => [tenantKeyIn(object)] },
} as const satisfies Record<keyof ObjectSources, Readonly<Record<string, ObjectIndex>>>;

export class ResourceLister {
  readonly #sources: ObjectSources;
  readonly #readings = new WeakMap<KubernetesObject, ReadResult<unknown>>();

  constructor(sources: ObjectSources) {
    this.#sources = sources;
  }

  get(kind: keyof ObjectSources, key: string): KubernetesObject | null {
    return this.#sources[kind].get(placeOfKey(key));
  }

  readTenant(object: KubernetesObject): ReadResult<MemoryTenant> {
    return this.#read(object, () => readObject(object, MemoryTenant));
  }

  readProvider(object: KubernetesObject): ReadResult<ModelProvider> {
    return this.#read(object, () => readObject(object, ModelProvider));
  }

  readDream(object: KubernetesObject): ReadResult<DeepDream> {
    return this.#read(object, () => readObject(object, DeepDream));
  }

  readLayerPolicy(object: KubernetesObject): SeenLayerPolicy {
    const reading = this.#read(object, () => readObject(object, LayerSummaryPolicy));
    const layer = Layer.safeParse(fieldOf(object['spec'], 'layer'));
    return { object, reading, layer: layer.success ? layer.data : null };
  }

  layerPoliciesOf(tenant: NamespacedPlace): readonly SeenLayerPolicy[] {
    return this.#naming('layerPolicies', tenant).map((object) => this.readLayerPolicy(object));
  }

  dreamsOf(tenant: NamespacedPlace): readonly SeenDream[] {
    return this.#naming('dreams', tenant).map((object) => {
      return { object, reading: this.readDream(object) };
    });
  }

  /** Those that name the tenant and are not being deleted. */
  #naming(kind: 'layerPolicies' | 'dreams', tenant: NamespacedPlace): readonly KubernetesObject[] {
    return this.#sources[kind]
      .indexed('tenant', namespacedKey(tenant))
      .filter(({ metadata }) => !isDeleting(metadata));
  }

  /** Keys of everything that names the tenant. */
  namingTenant(tenant: NamespacedPlace): { layerPolicies: string[]; dreams: string[] } {
    const keysOf = (source: ObjectSource): string[] =>
      source.indexed('tenant', namespacedKey(tenant)).map(keyOfObject);
    const { layerPolicies, dreams } = this.#sources;
    return { layerPolicies: keysOf(layerPolicies), dreams: keysOf(dreams) };
  }

  allKeys(): Readonly<Record<keyof ObjectSources, readonly string[]>> {
    const keysOf = (source: ObjectSource): string[] => source.list().map(keyOfObject);
    const { tenants, layerPolicies, providers, dreams } = this.#sources;
    return {
      tenants: keysOf(tenants),
      layerPolicies: keysOf(layerPolicies),
      providers: keysOf(providers),
      dreams: keysOf(dreams),
    };
  }

  /** Keys of the tenants in some namespaces; null for all. */
  tenantKeys(namespaces: readonly string[] | null): readonly string[] {
    const { tenants } = this.#sources;
    const objects =
      namespaces === null
        ? tenants.list()
        : namespaces.flatMap((namespace) => tenants.indexed('namespace', namespace));
    return objects.map(keyOfObject);
  }

  /** Keys of the tenants that claim an id. */
  tenantKeysOfId(tenantId: string): readonly string[] {
    return this.#sources.tenants.indexed('tenantId', tenantId).map(keyOfObject);
  }

  /** The providers of a namespace that are not being deleted. */
  providersIn(namespace: string): readonly KubernetesObject[] {
    return this.#sources.providers
      .indexed('namespace', namespace)
      .filter(({ metadata }) => !isDeleting(metadata));
  }

  #read<T>(object: KubernetesObject, read: () => ReadResult<T>): ReadResult<T> {
    // The kind of an object determines its schema, so one cached reading is enough.
    const known = this.#readings.get(object) as ReadResult<T> | undefined;
    if (known !== undefined) return known;
    const reading = read();
    this.#readings.set(object, reading);
    return reading;
  }
}

/** The name of the MemoryTenant that a resource refers to; empty if it can't be read. */
export function tenantNameIn(object: KubernetesObject): string {
  const name = fieldOf(fieldOf(object['spec'], 'tenantRef'), 'name');
  return typeof name === 'string' ? name : '';
}

/** Returns the tenant id of a MemoryTenant, even if its spec is invalid. */
export function tenantIdIn(object: KubernetesObject): string {
  const id = fieldOf(object['spec'], 'tenantId');
  return typeof id === 'string' ? id : object.metadata.name;
}

/** The key of the MemoryTenant that a resource refers to. */
export function tenantKeyIn(object: KubernetesObject): string {
  return namespacedKey({ namespace: placeOfObject(object).namespace, name: tenantNameIn(object) });
}

export interface TenantSnapshot {
  readonly uid: string;
  readonly tenant: string;
  /** The tenant's record, if this resource owns it. */
  readonly record: PolicyRecord | null;
  readonly facts: StoredTenant | null;
  /** The platform's limits that the policy was planned with; null if they are not known. */
  readonly limits: PlatformLimits | null;
}

/**
 * What the last reconcile of each tenant found. The statuses of its layer policies and dreams use
 * it, so they need no reads of their own. Owned by the operator; an entry lasts as long as its
 * MemoryTenant.
 */
export class TenantViews {
  readonly #views = new Map<string, TenantSnapshot>();
  /** Shared, since most tenants have mostly default settings, and these are most of a snapshot. */
  readonly #settings = new SharedValues();

  get(key: string): TenantSnapshot | null {
    return this.#views.get(key) ?? null;
  }

  /**
   * Stores the snapshot. Returns whether something that layer policies or dreams show has changed.
   */
  put(key: string, next: TenantSnapshot): boolean {
    const before = this.#views.get(key);
    this.#views.set(key, { ...next, record: this.#shared(next.record) });
    return before === undefined || shownOf(before) !== shownOf(next);
  }

  delete(key: string): void {
    this.#views.delete(key);
  }

  #shared(record: PolicyRecord | null): PolicyRecord | null {
    if (record === null) return null;
    const settings = Object.entries(record.policy).map(([name, value]) => [
      name,
      this.#settings.of(value),
    ]);
    return { ...record, policy: Object.fromEntries(settings) as TenantPolicy };
  }
}

function shownOf({ uid, record, facts }: TenantSnapshot): string {
  const applied = record === null ? null : [record.generation, record.hash];
  return JSON.stringify([uid, applied, facts?.layers ?? null, facts?.dreams ?? null]);
}
