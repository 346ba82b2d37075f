/** A process that dies at a given step, as its store sees it: no later call works. */

export interface CrashPoint {
  /** To be called at each step; throws where the process dies, and ever after. */
  readonly takeStep: () => void;
  /** Counted from 0, from now on. */
  crashAt(step: number): void;
  hasCrashed(): boolean;
  revive(): void;
}

export function createCrashPoint(): CrashPoint {
  let left = Number.POSITIVE_INFINITY;
  let dead = false;
  return {
    takeStep: () => {
      if (left === 0) dead = true;
      if (dead) throw new Error('The process died here.');
      left -= 1;
    },
    crashAt(step) {
      left = step;
    },
    hasCrashed: () => dead,
    revive() {
      left = Number.POSITIVE_INFINITY;
      dead = false;
    },
  };
}
