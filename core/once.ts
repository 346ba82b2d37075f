/** Returns what computes a value when it is first asked for, and keeps it. */
export function once<V>(compute: () => V): () => V {
  let known: { readonly value: V } | null = null;
  return () => (known ??= { value: compute() }).value;
}
