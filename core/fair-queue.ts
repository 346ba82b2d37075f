/** A queue for one worker in which tenants take turns, however much one of them has waiting. */

interface FairQueue<T> {
  readonly size: number;
  add(tenant: string, item: T): void;
  /**
   * Removes and returns the next item of the tenant whose turn it is; null if the queue is empty.
   */
  next(): T | null;
  /** Removes and returns the oldest item of a tenant; null if it has none. */
  nextOf(tenant: string): T | null;
  /** Tenants with waiting items, in the order of their turns. */
  tenants(): readonly string[];
  /** Returns what `next` would return, without removing it. */
  peek(): T | null;
  /** Removes all items. */
  clear(): void;
}

/** Creates a queue without a limit of items; tenants without waiting items take no memory. */
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
    // Moves the tenant behind all others, or removes it if it has nothing left.
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
