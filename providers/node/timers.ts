/** Node's monotonic clock, random numbers and timers, for code that waits and measures. */
import { setTimeout as sleep } from 'node:timers/promises';
import { VarveError } from '#core/errors.ts';

/** Creates the timers. A pending timer does not keep the process alive. */
export function createTimers() {
  return {
    timer: () => performance.now(),
    random: () => Math.random(),
    async wait(milliseconds: number, signal: AbortSignal): Promise<void> {
      try {
        await sleep(milliseconds, undefined, { signal });
      } catch (cause) {
        throw new VarveError('CANCELLED', 'The wait was cancelled.', { cause });
      }
    },
  };
}
