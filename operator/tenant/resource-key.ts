/** Keys of queues: `namespace/name`, as people write them. */
import type { KubernetesObject, ObjectPlace } from '#core/ports/kubernetes-api.ts';
import { DEFAULT_NAMESPACE } from '#crds/metadata.ts';

export interface NamespacedPlace extends ObjectPlace {
  readonly namespace: string;
}

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
