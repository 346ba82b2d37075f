/** Names that the operator and the people who use it share, and what metadata says by them. */
import type { ObjectMeta, KubernetesObject, ObjectPlace } from '#core/ports/kubernetes-api.ts';
import { API_GROUP, DEFAULT_NAMESPACE } from '#crds/metadata.ts';

/** Set before the first write outside the cluster, taken away after the last. */
export const TENANT_FINALIZER = `${API_GROUP}/tenant`;
/** `"true"`: the resource is looked at, and nothing of it is enforced. */
export const PAUSED_ANNOTATION = `${API_GROUP}/paused`;
/** `"true"`: the resource may go without anything being cleaned up. */
export const FORCE_RELEASE_ANNOTATION = `${API_GROUP}/force-release`;
/** Who owns the fields of a status. */
export const STATUS_OWNER = 'varve-operator';

/** Of an object of a server, or of a resource of a file. */
export function isPaused({
  annotations,
}: {
  readonly annotations?: ObjectMeta['annotations'] | undefined;
}): boolean {
  return annotations?.[PAUSED_ANNOTATION] === 'true';
}

export function isForceReleased({ annotations }: ObjectMeta): boolean {
  return annotations?.[FORCE_RELEASE_ANNOTATION] === 'true';
}

export function isDeleting({ deletionTimestamp }: ObjectMeta): boolean {
  return deletionTimestamp !== undefined;
}

export interface NamespacedPlace extends ObjectPlace {
  readonly namespace: string;
}

/** Keys of queues: `namespace/name`, as people write them. */
export function keyOf({ namespace, name }: NamespacedPlace): string {
  return `${namespace}/${name}`;
}

export function placeOf({ metadata }: KubernetesObject): NamespacedPlace {
  return { namespace: metadata.namespace ?? DEFAULT_NAMESPACE, name: metadata.name };
}

/** Names of Kubernetes have no slash, so the first one parts namespace and name. */
export function placeOfKey(key: string): NamespacedPlace {
  const at = key.indexOf('/');
  return { namespace: key.slice(0, at), name: key.slice(at + 1) };
}
