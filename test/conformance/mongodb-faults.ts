/** What can happen to a process between its commands to MongoDB. */
import type { Faults } from '#providers/mongodb/connection.ts';

/** Dies when the server has done the command. */
export function dyingAfter(name: string): Faults {
  let dead = false;
  const live = (): void => {
    if (dead) throw new Error('The process died here.');
  };
  return {
    beforeCommand: live,
    afterCommand(command) {
      dead = dead || command === name;
      live();
    },
  };
}

/** Waits for `between` once before each of the first commands of a name; `n` counts from 1. */
export function interrupting(
  name: string,
  times: number,
  between: (n: number) => Promise<unknown>,
): Faults {
  let seen = 0;
  return {
    async beforeCommand(command) {
      if (command !== name || seen >= times) return;
      seen += 1;
      await between(seen);
    },
    afterCommand: () => undefined,
  };
}
