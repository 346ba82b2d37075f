/** Whether a value from the server is an object of it, and what lists leave out of their items. */
import type { KubernetesObject, ResourceType } from '#core/ports/kubernetes-api.ts';

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isObject(value: unknown): value is KubernetesObject {
  return isRecord(value) && isRecord(value['metadata']) && isText(value['metadata']['name']);
}

/** Items of a list of a built-in kind have neither kind nor version. */
export function completed(
  { group, version, kind }: ResourceType,
  object: KubernetesObject,
): KubernetesObject {
  const apiVersion = group === '' ? version : `${group}/${version}`;
  return isText(object.kind) && isText(object.apiVersion)
    ? object
    : { ...object, apiVersion, kind };
}

function isText(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}
