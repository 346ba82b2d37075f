/** Node lists what it loaded in this thread; its own types don't have the list. */
type NodeProcess = typeof process & { readonly moduleLoadList: readonly string[] };

/** Returns what strips types in this thread. */
export function strippers(): readonly string[] {
  return (process as NodeProcess).moduleLoadList.filter((name) => name.includes('amaro'));
}
