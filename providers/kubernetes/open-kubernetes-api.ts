/**
 * The Kubernetes API port over HTTP. Bodies are raw JSON: the vendor's typed client drops fields
 * that its types lack and turns some times into dates.
 *
 * Flow: a request waits for the rate limiter (token bucket), takes credentials that are at most 10
 * s old, and goes out over one shared connection pool with a timeout.
 *
 * Guarantees: the only retry here is of a request that was refused for its credentials, once, with
 * new ones. No redirect is followed. No token, key or text of a Secret is in an error or in the
 * log. Disposing cancels pending requests and watches.
 *
 * Errors: those of core/ports/kubernetes-api.ts. A refused connection, a timeout and an invalid
 * answer have `httpStatus` 0 and their own reason. A cancelled request is CANCELLED.
 */
import { isRecord } from '#core/is-record.ts';
import type {
  KubernetesApi,
  KubernetesObject,
  ResourceType,
  WatchEvent,
  ObjectPage,
  ObjectPlace,
} from '#core/ports/kubernetes-api.ts';
import { NO_OPERATOR_METRICS, type OperatorMetrics } from '#core/ports/metrics.ts';
import { type AccessOptions, openAccess } from './server-and-credentials.ts';
import {
  createRequestLimiter,
  REQUEST_BURST,
  type RequestTime,
  REQUESTS_PER_SECOND,
} from './request-limiter.ts';
import {
  type ApiRequest,
  REQUEST_MS_MAX,
  type Requests,
  createRequests,
  requestOptionsOfKind,
} from './requests.ts';
import { createSharedDispatcher } from './shared-dispatcher.ts';
import { answerError, parsedAnswer } from './failure.ts';
import { VarveError } from '#core/errors.ts';

/** Event types of a watch: one JSON document per line until the server or the caller ends it. */
const TYPES: ReadonlySet<unknown> = new Set<WatchEvent['type']>([
  'ADDED',
  'MODIFIED',
  'DELETED',
  'BOOKMARK',
  'ERROR',
]);

function createWatch(requests: Requests): KubernetesApi['watch'] {
  return async function* watch(type, options, signal) {
    const { namespace, fieldSelector, resourceVersion, timeoutSeconds } = options;
    const path = withQuery(collectionPath(type, namespace), {
      watch: true,
      allowWatchBookmarks: true,
      fieldSelector,
      resourceVersion,
      timeoutSeconds,
    });
    const lines = requests.lines({ ...requestOptionsOfKind(type), method: 'GET', path, signal });
    for await (const line of lines) yield readEvent(type, line);
  };
}

/** @throws VarveError PROVIDER_ERROR if the line is not an event */
function readEvent(type: ResourceType, line: string): WatchEvent {
  const event = parsedAnswer(line);
  const { type: name, object } = isRecord(event) ? event : {};
  if (!isEventType(name) || !isRecord(object)) throw answerError('AnswerInvalid');
  if (name === 'ERROR' || name === 'BOOKMARK') {
    // A Status has no name, and a bookmark has only its version.
    const metadata = isRecord(object['metadata']) ? object['metadata'] : {};
    return { type: name, object: { ...object, metadata } as unknown as KubernetesObject };
  }
  if (!isKubernetesObject(object)) throw answerError('AnswerInvalid');
  return { type: name, object: withApiVersionAndKind(type, object) };
}

function isEventType(value: unknown): value is WatchEvent['type'] {
  return TYPES.has(value);
}

export interface KubernetesApiOptions extends Omit<AccessOptions, 'timer'> {
  /** Names the program and its version; the part before the slash owns what it creates. */
  readonly userAgent: string;
  readonly timers: RequestTime;
  readonly requestsPerSecond?: number;
  readonly burst?: number;
  /** Timeout of one request, in milliseconds; for a watch up to its first byte. */
  readonly timeLimitMs?: number;
  readonly metrics?: OperatorMetrics;
}

export interface OpenKubernetesApi extends KubernetesApi, AsyncDisposable {
  readonly server: string;
  /** The namespace of the context or of the pod. */
  readonly namespace: string | null;
}

/**
 * Opens the API.
 * @throws VarveError INVALID_INPUT if the configuration cannot be read or names no server
 */
export function openKubernetesApi(options: KubernetesApiOptions): OpenKubernetesApi {
  const { timers, requestsPerSecond = REQUESTS_PER_SECOND, burst = REQUEST_BURST } = options;
  const access = openAccess({ ...options, timer: timers.timer });
  const dispatcher = createSharedDispatcher();
  const ending = new AbortController();
  const requests = createRequests({
    access,
    dispatcher,
    limiter: createRequestLimiter({ perSecond: requestsPerSecond, burst }, timers),
    metrics: options.metrics ?? NO_OPERATOR_METRICS,
    userAgent: options.userAgent,
    timeLimitMs: options.timeLimitMs ?? REQUEST_MS_MAX,
    ending: ending.signal,
  });
  return {
    ...createReads(requests),
    ...createWrites(requests),
    watch: createWatch(requests),
    server: access.server,
    namespace: access.namespace,
    async [Symbol.asyncDispose]() {
      ending.abort();
      await dispatcher[Symbol.asyncDispose]();
    },
  };
}

// Writes of the port. Fields that the server's schema does not have are refused.

type Writes = Pick<KubernetesApi, 'create' | 'replace' | 'apply' | 'patch' | 'delete'>;
type Write = Pick<ApiRequest, 'method' | 'path' | 'signal'> & {
  readonly type: ResourceType;
  readonly value: unknown;
  readonly contentType?: string;
};

const JSON_TYPE = 'application/json';
/** The body is JSON, which is valid YAML. */
const APPLY_TYPE = 'application/apply-patch+yaml';
const PATCH_TYPE = 'application/json-patch+json';
const UNPROCESSABLE = 422;
/** Unknown fields are refused instead of being dropped silently. */
const STRICT: Query = { fieldValidation: 'Strict' };

function createWrites(requests: Requests): Writes {
  return {
    async create(type, object, { signal } = {}) {
      const path = withQuery(collectionPath(type, object.metadata.namespace), STRICT);
      return write(requests, { type, method: 'POST', path, value: object, signal });
    },
    async replace(type, object, { signal, subresource } = {}) {
      const path = withQuery(objectPath(type, object.metadata, subresource), STRICT);
      return write(requests, { type, method: 'PUT', path, value: object, signal });
    },
    async apply(type, object, { fieldManager, force, subresource, signal }) {
      const path = objectPath(type, object.metadata, subresource);
      return write(requests, {
        type,
        method: 'PATCH',
        path: withQuery(path, { ...STRICT, fieldManager, force }),
        value: object,
        contentType: APPLY_TYPE,
        signal,
      });
    },
    async patch(type, place, { operations, options = {} }) {
      const { subresource, signal } = options;
      const path = withQuery(objectPath(type, place, subresource), STRICT);
      const call = { type, method: 'PATCH', path, signal } as const;
      try {
        return await write(requests, { ...call, value: operations, contentType: PATCH_TYPE });
      } catch (error) {
        throw isPatchRefusal(error) ? patchConflict(error) : error;
      }
    },
    async delete(type, place, preconditions) {
      const value = { apiVersion: 'v1', kind: 'DeleteOptions', preconditions };
      await requests.answer({
        ...requestOptionsOfKind(type),
        method: 'DELETE',
        path: objectPath(type, place),
        body: { contentType: JSON_TYPE, value },
      });
    },
  };
}

/**
 * Whether a JSON patch did not fit the object. The server answers a failed `test` and a missing
 * path like an invalid object, but names no field. Both mean that the object is not what the caller
 * expected.
 */
function isPatchRefusal(error: unknown): boolean {
  if (!(error instanceof VarveError)) return false;
  const { httpStatus, causes } = error.details;
  return httpStatus === UNPROCESSABLE && causes === undefined;
}

function patchConflict(cause: unknown): VarveError {
  return new VarveError(
    'CONFLICT',
    'The object is no longer what the patch was made for. Read it again before the next attempt.',
    { details: { httpStatus: UNPROCESSABLE, reason: 'PatchRefused' }, cause },
  );
}

async function write(requests: Requests, call: Write): Promise<KubernetesObject> {
  const { type, method, path, value, contentType = JSON_TYPE, signal } = call;
  const body = { contentType, value };
  const answer = await requests.answer({
    ...requestOptionsOfKind(type),
    method,
    path,
    body,
    signal,
  });
  return objectOf(type, answer);
}

/** A page has 500 objects; most of ours have a few KiB. */
const PAGE_BYTES_MAX = 64 * 1_024 * 1_024;

function createReads(requests: Requests): Pick<KubernetesApi, 'get' | 'list'> {
  return {
    async get(type, place, signal) {
      const answer = await requests.answer({
        ...requestOptionsOfKind(type),
        method: 'GET',
        path: objectPath(type, place),
        signal,
      });
      return answer === null ? null : objectOf(type, answer);
    },
    async list(type, options, signal) {
      const { namespace, fieldSelector, limit, resourceVersion } = options;
      const query = { fieldSelector, limit, continue: options.continueToken };
      const path = withQuery(collectionPath(type, namespace), { ...query, resourceVersion });
      const answer = await requests.answer({
        ...requestOptionsOfKind(type),
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
  if (isKubernetesObject(answer)) return withApiVersionAndKind(type, answer);
  throw answerError('AnswerInvalid');
}

function pageOf(type: ResourceType, answer: unknown): ObjectPage {
  const { metadata, items } = isRecord(answer) ? answer : {};
  const { resourceVersion, continue: continueToken } = isRecord(metadata) ? metadata : {};
  // Some versions send null for an empty list.
  const objects: readonly unknown[] = Array.isArray(items) ? items : [];
  if (typeof resourceVersion !== 'string' || !objects.every(isKubernetesObject)) {
    throw answerError('AnswerInvalid');
  }
  return {
    resourceVersion,
    continueToken: typeof continueToken === 'string' && continueToken !== '' ? continueToken : null,
    items: objects.map((object) => withApiVersionAndKind(type, object)),
  };
}

export function isKubernetesObject(value: unknown): value is KubernetesObject {
  return isRecord(value) && isRecord(value['metadata']) && isText(value['metadata']['name']);
}

/** Adds kind and version, which items of a built-in kind's list lack. */
export function withApiVersionAndKind(
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

export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** All objects of a type, in one namespace or, without it, in all. */
function collectionPath(type: ResourceType, namespace: string | undefined): string {
  const root = type.group === '' ? '/api' : `/apis/${encodeURIComponent(type.group)}`;
  const within =
    type.isNamespaced && namespace !== undefined
      ? `/namespaces/${encodeURIComponent(namespace)}`
      : '';
  return `${root}/${encodeURIComponent(type.version)}${within}/${encodeURIComponent(type.plural)}`;
}

function objectPath(
  type: ResourceType,
  { namespace, name }: ObjectPlace,
  subresource?: string,
): string {
  const path = `${collectionPath(type, namespace)}/${encodeURIComponent(name)}`;
  return subresource === undefined ? path : `${path}/${subresource}`;
}

/** Adds a query to a path, without undefined and empty values. */
function withQuery(path: string, query: Query): string {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(name, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}
