/**
 * A Kubernetes API server, as the operator uses it. Objects are raw, without generated types, so
 * that comparisons see exactly what the server sent.
 *
 * Every method throws a VarveError whose details have `httpStatus` (0 without an answer), `reason`
 * from the server, and `retryAfterMs` if the server asked for a pause: 404 is NOT_FOUND, 409
 * CONFLICT, 410 CONFLICT with reason `Expired`, 400 and 422 PROVIDER_REJECTED, 401 UNAUTHENTICATED,
 * 403 FORBIDDEN, 429 RATE_LIMITED, everything else PROVIDER_ERROR.
 */

/** A kind, as the paths of the API name it. */
export interface ResourceType {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly isNamespaced: boolean;
}

export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly generation?: number;
  /** RFC 3339. */
  readonly creationTimestamp?: string;
  readonly deletionTimestamp?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly finalizers?: readonly string[];
}

export interface KubernetesObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ObjectMeta;
  readonly [field: string]: unknown;
}

export interface ObjectPlace {
  /** Absent for kinds without a namespace. */
  readonly namespace?: string;
  readonly name: string;
}

export interface ListOptions {
  /** Absent for all namespaces. */
  readonly namespace?: string | undefined;
  readonly fieldSelector?: string;
  /** The most objects of one page. */
  readonly limit?: number;
  readonly continueToken?: string;
  readonly resourceVersion?: string;
}

export interface ObjectPage {
  readonly resourceVersion: string;
  readonly continueToken: string | null;
  readonly items: readonly KubernetesObject[];
}

export interface WatchOptions extends ListOptions {
  /** Sends events after this version. */
  readonly resourceVersion: string;
  /** The server ends the watch cleanly after this time. */
  readonly timeoutSeconds: number;
}

export interface WatchEvent {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';
  /** An object, or the Status of an ERROR. */
  readonly object: KubernetesObject;
}

interface WriteOptions {
  readonly subresource?: 'status';
  readonly signal?: AbortSignal | undefined;
}

interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Takes ownership of fields from other managers. */
  readonly force: boolean;
}

/** What must be true for a deletion to happen. */
interface DeletePreconditions {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

export interface KubernetesApi {
  /** Returns null if there is no such object. */
  get(
    type: ResourceType,
    place: ObjectPlace,
    signal?: AbortSignal,
  ): Promise<KubernetesObject | null>;
  list(type: ResourceType, options: ListOptions, signal?: AbortSignal): Promise<ObjectPage>;
  /** Asks for bookmarks. Ends when the server ends the watch; throws if the connection breaks. */
  watch(type: ResourceType, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchEvent>;
  create(
    type: ResourceType,
    object: KubernetesObject,
    options?: WriteOptions,
  ): Promise<KubernetesObject>;
  /** Replaces a whole object if it is still at the version in the new metadata. */
  replace(
    type: ResourceType,
    object: KubernetesObject,
    options?: WriteOptions,
  ): Promise<KubernetesObject>;
  /** Server-side apply. With a `resourceVersion` in the metadata, only over that version. */
  apply(
    type: ResourceType,
    object: KubernetesObject,
    options: ApplyOptions,
  ): Promise<KubernetesObject>;
  /** RFC 6902; its `test` operations are preconditions. */
  patch(
    type: ResourceType,
    place: ObjectPlace,
    patch: { readonly operations: readonly JsonPatchOperation[]; readonly options?: WriteOptions },
  ): Promise<KubernetesObject>;
  /** Also resolves if there is no such object. */
  delete(
    type: ResourceType,
    place: ObjectPlace,
    preconditions?: DeletePreconditions,
  ): Promise<void>;
}

export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string };
