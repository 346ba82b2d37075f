/** Work of one process on one thing, one after another: what would compete waits instead. */

export type InTurn = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Holds as many keys as there is work under way, and nothing of what is done. */
export function createInTurn(): InTurn {
  const last = new Map<string, Promise<unknown>>();
  return async (key, work) => {
    const before = last.get(key);
    const own = (async () => {
      await Promise.allSettled([before]);
      return work();
    })();
    last.set(key, own);
    try {
      return await own;
    } finally {
      if (last.get(key) === own) last.delete(key);
    }
  };
}
