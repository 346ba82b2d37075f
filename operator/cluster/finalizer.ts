/** The finaliser of a MemoryTenant: there before the first write outside, gone after the last. */
import type { KubernetesApi, KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { JsonPatchOperation } from '#core/ports/kubernetes-api.ts';
import { leadingEpoch, type Leadership } from './context.ts';
import { placeOf } from '../tenant/resource-key.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { TENANT_FINALIZER } from '../tenant/annotations.ts';

interface FinalizerWrite {
  readonly api: Pick<KubernetesApi, 'patch'>;
  readonly leadership: Leadership;
  readonly signal: AbortSignal;
}

/**
 * The resource with the finaliser; written only where it was missing.
 * @throws VarveError CONFLICT where the resource is another version by now
 */
export async function withFinalizer(
  object: KubernetesObject,
  write: FinalizerWrite,
): Promise<KubernetesObject> {
  const finalizers = object.metadata.finalizers ?? [];
  if (finalizers.includes(TENANT_FINALIZER)) return object;
  const value = [...finalizers, TENANT_FINALIZER];
  return patched(object, { op: 'add', path: '/metadata/finalizers', value }, write);
}

/**
 * Lets the resource go, if it has no other finalizer.
 * @throws VarveError CONFLICT where the resource is another version by now, NOT_FOUND when gone
 */
export async function withoutFinalizer(
  object: KubernetesObject,
  write: FinalizerWrite,
): Promise<void> {
  const finalizers = object.metadata.finalizers ?? [];
  if (!finalizers.includes(TENANT_FINALIZER)) return;
  const value = finalizers.filter((name) => name !== TENANT_FINALIZER);
  await patched(object, { op: 'add', path: '/metadata/finalizers', value }, write);
}

async function patched(
  object: KubernetesObject,
  operation: JsonPatchOperation,
  { api, leadership, signal }: FinalizerWrite,
): Promise<KubernetesObject> {
  leadingEpoch({ leadership });
  // A version in the patch is compared by the server, which answers a clean conflict.
  const value = object.metadata.resourceVersion ?? '';
  const version = { op: 'replace', path: '/metadata/resourceVersion', value } as const;
  const operations = [operation, version];
  return api.patch(MEMORY_TENANT, placeOf(object), { operations, options: { signal } });
}
