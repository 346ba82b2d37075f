/** Paths of the Kubernetes API (reference: "API Concepts", Resource URIs). */
import type { ObjectPlace, ResourceType } from '#core/ports/kubernetes-api.ts';

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** All objects of a type, in one namespace or, without it, in all. */
export function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const root = type.group === '' ? '/api' : `/apis/${encodeURIComponent(type.group)}`;
  const within =
    type.isNamespaced && namespace !== undefined
      ? `/namespaces/${encodeURIComponent(namespace)}`
      : '';
  return `${root}/${encodeURIComponent(type.version)}${within}/${encodeURIComponent(type.plural)}`;
}

export function objectPath(
  type: ResourceType,
  { namespace, name }: ObjectPlace,
  subresource?: string,
): string {
  const path = `${collectionPath(type, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Values that are undefined or empty are left out. */
export function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
