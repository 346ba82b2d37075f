/** Remembers resources that disappeared from a folder until their removal is done or recorded. */
import { namespaceOf, type Metadata } from '#crds/metadata.ts';

/**
 * How long the file of a tenant with reclaim policy Erase must be missing before the tenant is
 * erased. A copy, checkout or mount of the folder is complete by then.
 */
export const ERASE_AFTER_MS = 10 * 60_000;

/** Removed resources that are remembered; further ones are kept, like unobserved deletions. */
const REMOVED_MAX = 10_000;

/**
 * A resource that this process saw in the folder and no longer sees. Only such resources are
 * released: a file that went while no process watched may belong to another folder.
 */
export interface RemovedResource<T> {
  /** As last read. */
  readonly resource: T;
  /** When it was first missing. */
  readonly removedAt: number;
}

/** Resources of one kind, by namespace and name. */
export type RemovedResources<T> = ReadonlyMap<string, RemovedResource<T>>;

/**
 * Returns what was removed, after the whole folder was read; a resource that is back was not. Pure.
 */
export function removedAfterRead<T extends { readonly metadata: Metadata }>(
  known: RemovedResources<T>,
  { before, now }: { before: readonly T[]; now: readonly T[] },
  at: number,
): RemovedResources<T> {
  const here = new Set(now.map(keyOfResource));
  const went = before
    .map((resource) => [keyOfResource(resource), { resource, removedAt: at }] as const)
    .filter(([key]) => !known.has(key));
  const removed = [...known, ...went].filter(([key]) => !here.has(key));
  return new Map(removed.slice(0, REMOVED_MAX));
}

/** Returns the rest, without those that were released. */
export function removedWithout<T>(
  known: RemovedResources<T>,
  keys: readonly string[],
): RemovedResources<T> {
  return new Map([...known].filter(([key]) => !keys.includes(key)));
}

function keyOfResource(resource: { readonly metadata: Metadata }): string {
  return `${namespaceOf(resource)}/${resource.metadata.name}`;
}
