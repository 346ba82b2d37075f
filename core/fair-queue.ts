/** What waits for one worker: tenants take turns, whatever one of them has waiting. */

export interface FairQueue<T> {
  readonly size: number;
  add(tenant: string, item: T): void;
  /** The next one of the tenant whose turn it is; null if none is left. */
  next(): T | null;
  /** The longest waiting of a tenant; null where it has none. */
  nextOf(tenant: string): T | null;
  /** Those that have something waiting, in the order of their turns. */
  tenants(): readonly string[];
  /** What `next` would answer, and leaves it where it is. */
  peek(): T | null;
  /** Forgets all. */
  clear(): void;
}

/** Holds as many as its owner adds, and no tenant that has none waiting. */
export function createFairQueue<T>(): FairQueue<T> {
  // In the order of their turns.
  const waiting = new Map<string, T[]>();
  let size = 0;
  const turn = () => waiting.keys().next().value ?? null;
  const nextOf = (tenant: string): T | null => {
    const own = waiting.get(tenant);
    const item = own?.shift();
    if (own === undefined || item === undefined) return null;
    size -= 1;
    // Behind all others; a tenant that has nothing left waits for nothing.
    waiting.delete(tenant);
    if (own.length > 0) waiting.set(tenant, own);
    return item;
  };
  return {
    get size() {
      return size;
    },
    add(tenant, item) {
      const own = waiting.get(tenant);
      if (own === undefined) waiting.set(tenant, [item]);
      else own.push(item);
      size += 1;
    },
    next() {
      const tenant = turn();
      return tenant === null ? null : nextOf(tenant);
    },
    nextOf,
    tenants: () => [...waiting.keys()],
    peek: () => waiting.get(turn() ?? '')?.[0] ?? null,
    clear() {
      waiting.clear();
      size = 0;
    },
  };
}
