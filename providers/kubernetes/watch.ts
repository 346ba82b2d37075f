/** The watch of the port: one JSON document a line until the server or the caller ends it. */
import type {
  KubernetesApi,
  KubernetesObject,
  ResourceType,
  WatchEvent,
} from '#core/ports/kubernetes-api.ts';
import { answerError } from './failure.ts';
import { completed, isObject, isRecord } from './raw-object.ts';
import { traitsOf, type Requests } from './requests.ts';
import { collectionPath, withQuery } from './resource-path.ts';

const TYPES: ReadonlySet<unknown> = new Set<WatchEvent['type']>([
  'ADDED',
  'MODIFIED',
  'DELETED',
  'BOOKMARK',
  'ERROR',
]);

export function createWatch(requests: Requests): KubernetesApi['watch'] {
  return async function* watch(type, options, signal) {
    const { namespace, labelSelector, fieldSelector, resourceVersion, timeoutSeconds } = options;
    const path = withQuery(collectionPath(type, namespace), {
      watch: true,
      allowWatchBookmarks: true,
      labelSelector,
      fieldSelector,
      resourceVersion,
      timeoutSeconds,
    });
    const lines = requests.lines({ ...traitsOf(type), method: 'GET', path, signal });
    for await (const line of lines) yield readEvent(type, line);
  };
}

/** @throws VarveError PROVIDER_ERROR where the line is no event */
function readEvent(type: ResourceType, line: string): WatchEvent {
  const event = parsed(line);
  const { type: name, object } = isRecord(event) ? event : {};
  if (!isEventType(name) || !isRecord(object)) throw answerError('AnswerInvalid');
  if (name === 'ERROR' || name === 'BOOKMARK') {
    // A Status has no name, and a bookmark nothing but its version.
    const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
    return { type: name, object: { ...object, metadata } as unknown as KubernetesObject };
  }
  if (!isObject(object)) throw answerError('AnswerInvalid');
  return { type: name, object: completed(type, object) };
}

function isEventType(value: unknown): value is WatchEvent['type'] {
  return TYPES.has(value);
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    throw answerError('AnswerInvalid');
  }
}
