/** Returns a function that computes a value on its first call and keeps it. */
export function once<V>(compute: () => V): () => V {
  let known: { readonly value: V } | null = null;
  return () => (known ??= { value: compute() }).value;
}
