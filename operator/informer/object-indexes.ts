/** Which objects of a cache have a value, e.g. refer to a tenant. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';

/** The values of an object; none where it has no place in the index. */
export type ObjectIndex = (object: KubernetesObject) => readonly string[];

export interface ObjectIndexes {
  /** Changes nothing where an index throws. */
  change(
    key: string,
    change: { readonly old: KubernetesObject | null; readonly new: KubernetesObject | null },
  ): void;
  keys(index: string, value: string): readonly string[];
}

export function createObjectIndexes(indexes: Readonly<Record<string, ObjectIndex>>): ObjectIndexes {
  const all = Object.entries(indexes).map(([name, valuesOf]) => ({
    name,
    valuesOf: (object: KubernetesObject | null) => (object === null ? [] : valuesOf(object)),
    keys: new Map<string, Set<string>>(),
  }));
  return {
    change(key, change) {
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
    keys: (index, value) => [...(all.find(({ name }) => name === index)?.keys.get(value) ?? [])],
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
