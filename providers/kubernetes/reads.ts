/** What the port reads: one object, or a page of them. */
import { isRecord } from '#core/is-record.ts';
import type {
  KubernetesApi,
  KubernetesObject,
  ObjectPage,
  ResourceType,
} from '#core/ports/kubernetes-api.ts';
import { answerError } from './failure.ts';
import { type Requests, traitsOf } from './requests.ts';
import { collectionPath, objectPath, withQuery } from './resource-path.ts';

/** A page has 500 objects; of ours most have a few KiB. */
const PAGE_BYTES_MAX = 64 * 1_024 * 1_024;

export function createReads(requests: Requests): Pick<KubernetesApi, 'get' | 'list'> {
  return {
    async get(type, place, signal) {
      const answer = await requests.answer({
        ...traitsOf(type),
        method: 'GET',
        path: objectPath(type, place),
        signal,
      });
      return answer === null ? null : objectOf(type, answer);
    },
    async list(type, options, signal) {
      const { namespace, labelSelector, fieldSelector, limit, resourceVersion } = options;
      const query = { labelSelector, fieldSelector, limit, continue: options.continueToken };
      const path = withQuery(collectionPath(type, namespace), { ...query, resourceVersion });
      const answer = await requests.answer({
        ...traitsOf(type),
        method: 'GET',
        path,
        signal,
        bytesMax: PAGE_BYTES_MAX,
      });
      return pageOf(type, answer);
    },
  };
}

export function objectOf(type: ResourceType, answer: unknown): KubernetesObject {
  if (isObject(answer)) return completed(type, answer);
  throw answerError('AnswerInvalid');
}

function pageOf(type: ResourceType, answer: unknown): ObjectPage {
  const { metadata, items } = isRecord(answer) ? answer : {};
  const { resourceVersion, continue: continueToken } = isRecord(metadata) ? metadata : {};
  // Lists of no items are null in some versions.
  const objects: readonly unknown[] = Array.isArray(items) ? items : [];
  if (typeof resourceVersion !== 'string' || !objects.every(isObject)) {
    throw answerError('AnswerInvalid');
  }
  return {
    resourceVersion,
    continueToken: typeof continueToken === 'string' && continueToken !== '' ? continueToken : null,
    items: objects.map((object) => completed(type, object)),
  };
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
