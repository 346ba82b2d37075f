/** Returns a function that computes a value on its first call and keeps it. */
export function once<V>(compute: () => V): () => V {
  let known: { readonly value: V } | null = null;
  return () => (known ??= { value: compute() }).value;
}

/**
 * Returns a function that computes a value once for each object, and keeps it as long as that
 * lives. Further arguments must follow from the object.
 */
export function oncePer<
  Key extends WeakKey,
  Rest extends readonly unknown[],
  V extends object | boolean | number,
>(compute: (key: Key, ...rest: Rest) => V): (key: Key, ...rest: Rest) => V {
  const kept = new WeakMap<Key, V>();
  return (key, ...rest) => {
    const known = kept.get(key);
    if (known !== undefined) return known;
    const made = compute(key, ...rest);
    kept.set(key, made);
    return made;
  };
}
