/** Objects as caches keep them: unchangeable, and without what only the server reads. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { SharedValues } from '../shared-values.ts';

/** Kubectl keeps a copy of the whole object here. */
const COPY_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** Longer texts are messages and defaults, which many objects share; names and uids are shorter. */
const SHARED_LENGTH_MIN = 40;

/**
 * Without managed fields and without kubectl's copy, which are often more than the rest. Frozen in
 * depth: everybody shares the object. Takes the given object over.
 * @param texts those that other objects of the cache have too
 */
export function freezeObject(object: KubernetesObject, texts: SharedValues): KubernetesObject {
  const { managedFields: _fields, annotations, ...metadata } = object.metadata as Metadata;
  const { [COPY_ANNOTATION]: _copy, ...others } = annotations ?? {};
  const kept = {
    ...object,
    metadata: { ...metadata, ...(annotations === undefined ? {} : { annotations: others }) },
  };
  freezeInDepth(kept, texts);
  return kept;
}

type Metadata = KubernetesObject['metadata'] & { readonly managedFields?: unknown };

/** Without recursion: how deep a resource is nested is its author's choice. */
function freezeInDepth(root: object, texts: SharedValues): void {
  const rest: object[] = [root];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (Object.isFrozen(value)) continue;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'object' && inner !== null) rest.push(inner);
      if (isLongText(inner)) Reflect.set(value, name, texts.of(inner));
    }
    Object.freeze(value);
  }
}

function isLongText(value: unknown): value is string {
  return typeof value === 'string' && value.length >= SHARED_LENGTH_MIN;
}
