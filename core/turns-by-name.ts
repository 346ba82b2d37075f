/** Runs work of one name one piece after another; work of other names goes on beside it. */
export type InTurn = <T>(name: string, work: () => Promise<T>) => Promise<T>;

/**
 * Makes a queue for each name that has work. Work without any before it starts at once; work that
 * fails lets the next begin. Callers bound how much work waits.
 */
export function turnsByName(): InTurn {
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
