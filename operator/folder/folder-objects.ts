/** Resources of files as a cluster would hold them, so that one set of rules decides: pure. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { namespaceOf } from '#crds/metadata.ts';
import type { Reading } from '#crds/read-object.ts';
import type { Resource } from '#crds/transitions.ts';
import { timeText } from '../tenant/conditions.ts';
import { TENANT_FINALIZER } from '../tenant/annotations.ts';
import { uidOf } from '../tenant/compile.ts';

/** A resource and how it was read, as controllers see it. */
export interface FolderObject<T> {
  readonly object: KubernetesObject;
  readonly reading: Reading<T>;
}

/** Of a file that passed its schema. It stays until what it holds is let go of. */
export function folderObject<T extends Resource>(resource: T, cluster: string): FolderObject<T> {
  const { apiVersion, kind, spec } = resource;
  const { name, annotations = {} } = resource.metadata;
  const namespace = namespaceOf(resource);
  const uid = uidOf(resource, cluster);
  const metadata = { name, namespace, uid, annotations, finalizers: [TENANT_FINALIZER] };
  return {
    object: { apiVersion, kind, metadata, spec },
    reading: { kind: 'Valid', resource },
  };
}

/** The same, gone from the folder since `goneAt`, in milliseconds since the epoch. */
export function goneObject<T extends Resource>(
  resource: T,
  cluster: string,
  goneAt: number,
): FolderObject<T> {
  const { object, reading } = folderObject(resource, cluster);
  const metadata = { ...object.metadata, deletionTimestamp: timeText(goneAt) };
  return { object: { ...object, metadata }, reading };
}
