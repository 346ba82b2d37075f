/**
 * The objects of one kind, as the server last sent them.
 *
 * Guarantees: a list replaces everything. After a list, an event counts only if it is newer than
 * the list, than the cached object and than the object's deletion. So events may be repeated, late
 * or out of order. Objects that are handed out are frozen and shared.
 *
 * Assumptions: one writer, the informer of the kind. Versions are compared if they are comparable
 * (see `compareVersions`); otherwise the latest arrival counts.
 *
 * Owner: the process, one cache per kind. Lifetime: until the process ends. It is never a record of
 * what was done.
 */
import { keepNewest } from '#core/keep-newest.ts';
import type { KubernetesObject, ObjectPlace } from '#core/ports/kubernetes-api.ts';

// Objects as caches keep them: immutable, without the parts that only the server reads.

/** kubectl keeps a copy of the whole object here. */
const COPY_ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';

/** Longer texts are messages and defaults, which many objects share; names and uids are shorter. */
const SHARED_LENGTH_MIN = 40;

/**
 * Freezes an object deeply, since everybody shares it, without managed fields and kubectl's copy,
 * which are often the larger part. The given object must not be used afterwards.
 * @param texts values that other objects of the cache have too
 */
function freezeObject(object: KubernetesObject, texts: SharedValues): KubernetesObject {
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

/** Not recursive, since the author of a resource decides how deeply it is nested. */
function freezeInDepth(root: object, texts: SharedValues): void {
  const rest: object[] = [root];
  for (let value = rest.pop(); value !== undefined; value = rest.pop()) {
    if (Object.isFrozen(value)) continue;
    for (const [name, inner] of Object.entries(value)) {
      if (typeof inner === 'object' && inner !== null) rest.push(inner);
      if (typeof inner === 'string' && inner.length >= SHARED_LENGTH_MIN)
        Reflect.set(value, name, texts.of(inner));
    }
    Object.freeze(value);
  }
}

/** Deletions remembered since the last list; the oldest are forgotten first. */
const DELETIONS_MAX = 10_000;

/** At least one of the two is not null. */
export interface ObjectChange {
  readonly old: KubernetesObject | null;
  readonly new: KubernetesObject | null;
}

/** The part of a cache that controllers use. */
export interface CachedObjects {
  get(place: ObjectPlace): KubernetesObject | null;
  /** In no particular order. */
  list(): readonly KubernetesObject[];
  /** Objects that have this value in the index of this name. */
  indexed(index: string, value: string): readonly KubernetesObject[];
  size(): number;
}

export interface ObjectCache extends CachedObjects {
  /** Takes over a whole list of this version; returns a change for each object that differs. */
  replace(objects: readonly KubernetesObject[], version: string): readonly ObjectChange[];
  /** Returns null if the object is not newer. */
  put(object: KubernetesObject): ObjectChange | null;
  /** Returns null if the object is not cached, or is newer than this deletion. */
  remove(object: KubernetesObject): ObjectChange | null;
}

/** @param indexes by name; they get frozen objects and must not throw */
export function createObjectCache(
  indexes: Readonly<Record<string, ObjectIndex>> = {},
): ObjectCache {
  const objects = new Map<string, KubernetesObject>();
  const indexed = createObjectIndexes(indexes);
  const texts = new SharedValues();
  const deletions = new Map<string, string>();
  /** The list that was taken over includes everything up to this version. */
  let listed: string | undefined;
  const isOld = (key: string, version: string | undefined): boolean =>
    isUpTo(version, listed) || isUpTo(version, deletions.get(key));
  const set = (key: string, object: KubernetesObject): ObjectChange => {
    const old = objects.get(key) ?? null;
    indexed.change(key, { old, new: object });
    objects.set(key, object);
    return { old, new: object };
  };
  const drop = (key: string): ObjectChange | null => {
    const old = objects.get(key);
    if (old === undefined) return null;
    indexed.change(key, { old, new: null });
    objects.delete(key);
    return { old, new: null };
  };
  return {
    get: (place) => objects.get(objectKey(place)) ?? null,
    list: () => [...objects.values()],
    indexed: (index, value) => indexed.keys(index, value).flatMap((key) => objects.get(key) ?? []),
    size: () => objects.size,
    replace(list, version) {
      const fresh = new Map(list.map((object) => [objectKey(object.metadata), object]));
      const changes = [...objects.keys()].flatMap((key) =>
        fresh.has(key) ? [] : (drop(key) ?? []),
      );
      for (const [key, object] of fresh) {
        if (!isSame(objects.get(key), object)) changes.push(set(key, freezeObject(object, texts)));
      }
      deletions.clear();
      listed = version;
      return changes;
    },
    put(object) {
      const key = objectKey(object.metadata);
      const { resourceVersion: version } = object.metadata;
      const held = objects.get(key);
      if (isOld(key, version) || isUpTo(version, held?.metadata.resourceVersion)) return null;
      if (isSame(held, object)) return null;
      return set(key, freezeObject(object, texts));
    },
    remove(object) {
      const key = objectKey(object.metadata);
      const { resourceVersion: version } = object.metadata;
      const order = compareVersions(version, objects.get(key)?.metadata.resourceVersion);
      if (isOld(key, version) || (order !== null && order < 0)) return null;
      if (version !== undefined) keepNewest(deletions, DELETIONS_MAX, [key, version]);
      return drop(key);
    },
  };
}

/** Names in Kubernetes have no slash. */
export function objectKey({ namespace = '', name }: ObjectPlace): string {
  return `${namespace}/${name}`;
}

function isUpTo(version: string | undefined, limit: string | undefined): boolean {
  const order = compareVersions(version, limit);
  return order !== null && order <= 0;
}

function isSame(held: KubernetesObject | undefined, { metadata }: KubernetesObject): boolean {
  return (
    held !== undefined &&
    metadata.resourceVersion !== undefined &&
    held.metadata.resourceVersion === metadata.resourceVersion &&
    held.metadata.uid === metadata.uid
  );
}

/** Returns the index values of an object; empty if it is not in the index. */
export type ObjectIndex = (object: KubernetesObject) => readonly string[];

/** Finds the objects of a cache that have a value, e.g. refer to a tenant. */
function createObjectIndexes(indexes: Readonly<Record<string, ObjectIndex>>) {
  const all = Object.entries(indexes).map(([name, valuesOf]) => ({
    name,
    valuesOf: (object: KubernetesObject | null) => (object === null ? [] : valuesOf(object)),
    keys: new Map<string, Set<string>>(),
  }));
  return {
    /** Changes nothing if an index throws. */
    change(key: string, change: ObjectChange): void {
      const moves = all.map(({ keys, valuesOf }) => ({
        keys,
        from: valuesOf(change.old),
        to: valuesOf(change.new),
      }));
      for (const { keys, from, to } of moves) {
        for (const value of from) take(keys, value, key);
        for (const value of to) give(keys, value, key);
      }
    },
    keys: (index: string, value: string) => [
      ...(all.find(({ name }) => name === index)?.keys.get(value) ?? []),
    ],
  };
}

function give(keys: Map<string, Set<string>>, value: string, key: string): void {
  const held = keys.get(value);
  if (held === undefined) keys.set(value, new Set([key]));
  else held.add(key);
}

function take(keys: Map<string, Set<string>>, value: string, key: string): void {
  const held = keys.get(value);
  held?.delete(key);
  if (held?.size === 0) keys.delete(value);
}

/**
 * Values remembered, far more than are common. A value that is forgotten is kept twice, no worse.
 */
const VALUES_MAX = 512;

/**
 * Keeps values that many resources share, such as the defaults of a layer, once in memory. Owned by
 * whoever keeps the resources. Values are JSON and immutable.
 */
export class SharedValues {
  readonly #max: number;
  readonly #values = new Map<string, unknown>();

  constructor(max = VALUES_MAX) {
    this.#max = max;
  }

  /** Returns an equal value: the first one given, if it is still remembered. */
  of<T>(value: T): T {
    const text = JSON.stringify(value);
    const known = this.#values.get(text) as T | undefined;
    const shared = known ?? value;
    // The most recently used value is last, so that the first is the one to forget.
    keepNewest(this.#values, this.#max, [text, shared]);
    return shared;
  }
}

/**
 * Versions of objects. Since Kubernetes 1.35 clients may compare those of one kind: they are
 * decimal integers of up to 128 bits (reference: "API Concepts", Resource versions; KEP-5504). A
 * server with another scheme gives other texts, which are only compared for equality.
 */
const COMPARABLE = /^[1-9]\d*$/u;

/**
 * Returns below 0 if `a` is older, above 0 if it is newer; null if they can't be compared. Compares
 * length, then digits: numbers would lose digits beyond 2^53.
 */
export function compareVersions(a: string | undefined, b: string | undefined): number | null {
  if (a === undefined || b === undefined || !COMPARABLE.test(a) || !COMPARABLE.test(b)) return null;
  if (a.length !== b.length) return a.length - b.length;
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Returns the newer version; if they can't be compared, the one that was heard last. */
export function newerVersion(last: string, heard: string | undefined): string {
  if (heard === undefined || heard === '') return last;
  const order = compareVersions(heard, last);
  return order === null || order > 0 ? heard : last;
}
