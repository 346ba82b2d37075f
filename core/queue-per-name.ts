/** A queue for each name: its work runs one piece after another, beside that of other names. */
export type InQueue = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Makes a queue for each name that has work. Work without any before it starts at once; work that
 * fails lets the next begin. Callers bound how much work waits.
 */
export function queuePerName(): InQueue {
  const last = new Map<string, Promise<unknown>>();
  return async (name, work) => {
    const before = last.get(name);
    const own = before === undefined ? work() : before.then(work, work);
    last.set(name, own);
    try {
      return await own;
    } finally {
      if (last.get(name) === own) last.delete(name);
    }
  };
}
