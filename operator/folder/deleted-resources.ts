/**
 * Resources that this process saw in the folder and sees no more: only they are let go of. What
 * went while nobody looked may never have been this folder's, or the folder is another one.
 */
import { namespaceOf, type Metadata } from '#crds/metadata.ts';

/** As many as a folder is checked for; further ones are kept, like unobserved deletions. */
const GONE_MAX = 10_000;

export interface Gone<T> {
  /** As it was last read. */
  readonly resource: T;
  /** When it was first not there any more. */
  readonly goneAt: number;
}

/** Of one kind, by namespace and name. */
export type GoneResources<T> = ReadonlyMap<string, Gone<T>>;

/** After a look that read the whole folder; one that is there again is not gone. Pure. */
export function goneAfter<T extends { readonly metadata: Metadata }>(
  known: GoneResources<T>,
  { before, now }: { before: readonly T[]; now: readonly T[] },
  at: number,
): GoneResources<T> {
  const here = new Set(now.map(keyOfResource));
  const went = before
    .map((resource) => [keyOfResource(resource), { resource, goneAt: at }] as const)
    .filter(([key]) => !known.has(key));
  const gone = [...known, ...went].filter(([key]) => !here.has(key));
  return new Map(gone.slice(0, GONE_MAX));
}

/** Without those that were let go of. */
export function goneWithout<T>(known: GoneResources<T>, keys: readonly string[]): GoneResources<T> {
  return new Map([...known].filter(([key]) => !keys.includes(key)));
}

function keyOfResource(resource: { readonly metadata: Metadata }): string {
  return `${namespaceOf(resource)}/${resource.metadata.name}`;
}
