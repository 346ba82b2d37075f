/**
 * Which reconciles a change asks for: pure, over what the caches hold. Keys only: what changed is
 * found by looking, never carried along.
 */
import { EVERY_NAMESPACE } from '#core/records/model-provider-spec.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { canonicalJson } from '../tenant/policy-hash.ts';
import type { ObjectChange } from '../informer/object-cache.ts';
import { conditionsIn, fieldOf } from '../tenant/conditions.ts';
import { keyOf, placeOf } from '../tenant/resource-key.ts';
import { tenantIdIn, tenantKeyIn, type ResourceLister } from './resource-lister.ts';

export interface Keys {
  readonly tenants: readonly string[];
  readonly layerPolicies: readonly string[];
  readonly providers: readonly string[];
  readonly dreams: readonly string[];
}

const NONE: Keys = { tenants: [], layerPolicies: [], providers: [], dreams: [] };

/** Those beside a tenant hear of its coming, its going, and of another Ready. */
export function keysOfTenant(change: ObjectChange, lister: ResourceLister): Keys {
  const object = objectOf(change);
  const isStatusOnly = !isDeclaredAnew(change);
  if (isStatusOnly && !isReadyAnew(change)) return NONE;
  const naming = lister.namingTenant(placeOf(object));
  if (isStatusOnly) return { ...NONE, ...naming };
  // Whoever waits for the tenant id may have it once its owner is gone.
  const rivals = change.new === null ? lister.tenantKeysOfId(tenantIdIn(object)) : [];
  return { ...NONE, ...naming, tenants: [keyOf(placeOf(object)), ...rivals] };
}

/** The tenant takes the settings over; the other policies of the layer may come first now. */
export function keysOfLayerPolicy(change: ObjectChange, lister: ResourceLister): Keys {
  if (!isDeclaredAnew(change)) return NONE;
  const tenants = [...new Set(bothOf(change).map(tenantKeyIn))];
  const beside = tenants.flatMap((key) => lister.layerPolicyKeysOf(key));
  const own = keyOf(placeOf(objectOf(change)));
  return { ...NONE, tenants, layerPolicies: [...new Set([own, ...beside])] };
}

/** The tenants that it serves now, or served before. */
export function keysOfProvider(change: ObjectChange, lister: ResourceLister): Keys {
  if (!isDeclaredAnew(change)) return NONE;
  const namespaces = bothOf(change).flatMap(allowedNamespacesIn);
  const isForAll = namespaces.includes(EVERY_NAMESPACE);
  const tenants = lister.tenantKeys(isForAll ? null : [...new Set(namespaces)]);
  return { ...NONE, tenants, providers: [keyOf(placeOf(objectOf(change)))] };
}

/** The tenant takes it over; those that were one too many may have room now. */
export function keysOfDream(change: ObjectChange, lister: ResourceLister): Keys {
  if (!isDeclaredAnew(change)) return NONE;
  const tenants = [...new Set(bothOf(change).map(tenantKeyIn))];
  const beside = tenants.flatMap((key) => lister.dreamKeysOf(key));
  const own = keyOf(placeOf(objectOf(change)));
  return { ...NONE, tenants, dreams: [...new Set([own, ...beside])] };
}

function bothOf({ old, new: next }: ObjectChange): readonly KubernetesObject[] {
  return [old, next].filter((object) => object !== null);
}

function objectOf(change: ObjectChange): KubernetesObject {
  const object = change.new ?? change.old;
  if (object === null) throw new TypeError('A change has an object before it, after it, or both.');
  return object;
}

/** Whether it is more than a status: own writes of one must not bring a resource back here. */
function isDeclaredAnew({ old, new: next }: ObjectChange): boolean {
  if (old === null || next === null) return true;
  return canonicalJson(declarationOf(old)) !== canonicalJson(declarationOf(next));
}

function declarationOf({ metadata }: KubernetesObject): object {
  const { uid, generation, deletionTimestamp, annotations, labels, finalizers } = metadata;
  return { uid, generation, deletionTimestamp, annotations, labels, finalizers };
}

function isReadyAnew({ old, new: next }: ObjectChange): boolean {
  const reasonOf = (object: KubernetesObject | null): string | undefined =>
    object === null ? undefined : conditionsIn(object).find(({ type }) => type === 'Ready')?.reason;
  return reasonOf(old) !== reasonOf(next);
}

function allowedNamespacesIn(object: KubernetesObject): readonly string[] {
  const list = fieldOf(object['spec'], 'allowedNamespaces');
  return Array.isArray(list) ? list.filter((name) => typeof name === 'string') : [];
}
