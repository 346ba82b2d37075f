/** Who comes first where two resources want the same. Pure, and the same on every run. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';

/**
 * The older first, by creation time and then by uid: two resources of one second are ordered in
 * the same way by every operator.
 */
export function byAge(a: KubernetesObject, b: KubernetesObject): number {
  const [first, second] = [a.metadata.creationTimestamp ?? '', b.metadata.creationTimestamp ?? ''];
  if (first !== second) return first < second ? -1 : 1;
  const [one, other] = [a.metadata.uid ?? '', b.metadata.uid ?? ''];
  return one === other ? 0 : one < other ? -1 : 1;
}

/** The oldest of those that want the same; null where there is none. */
export function oldestOf<T extends { readonly object: KubernetesObject }>(
  claims: readonly T[],
): T | null {
  return claims.toSorted((a, b) => byAge(a.object, b.object))[0] ?? null;
}
