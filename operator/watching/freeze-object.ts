/** Objects as caches keep them: unchangeable, and without what only the server reads. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';

/** Kubectl keeps a copy of the whole object here. */
const COPY_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * Without managed fields and without kubectl's copy, which are often more than the rest. Frozen in
 * depth: everybody shares the object. Takes the given object over.
 */
export function freezeObject(object: KubernetesObject): KubernetesObject {
  const { managedFields: _fields, annotations, ...metadata } = object.metadata as Metadata;
  const { [COPY_ANNOTATION]: _copy, ...others } = annotations ?? {};
  const kept = {
    ...object,
    metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations: others }) },
  };
  freezeInDepth(kept);
  return kept;
}

type Metadata = KubernetesObject['metadata'] & { readonly managedFields?: unknown };

/** Without recursion: how deep a resource is nested is its author's choice. */
function freezeInDepth(root: object): void {
  const rest: object[] = [root];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (Object.isFrozen(value)) continue;
    Object.freeze(value);
    for (const inner of Object.values(value)) {
      if (typeof inner === 'object' && inner !== null) rest.push(inner);
    }
  }
}
