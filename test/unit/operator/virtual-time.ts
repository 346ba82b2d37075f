/** Virtual time: nothing passes until `pass` is called; then everything due happens in order. */
import { VarveError } from '#core/errors.ts';
import type { Timers } from '#core/ports/platform.ts';

interface Alarm {
  readonly at: number;
  readonly ring: () => void;
}

export interface VirtualTime {
  /** Milliseconds that have passed. */
  now(): number;
  /** A separate clock over it, for example of a process that may freeze. */
  timers(options?: { random?: () => number; clock?: () => number }): Timers;
  /** Lets so many milliseconds pass, one alarm after another. */
  pass(milliseconds: number): Promise<void>;
  /** Lets everything happen that needs no time. */
  settle(): Promise<void>;
}

/** @param isBusy whether something runs that ends without time, such as a call of a store */
export function virtualTime(isBusy: () => boolean = () => false): VirtualTime {
  let now = 0;
  const alarms = new Set<Alarm>();

  const wait = (milliseconds: number, signal: AbortSignal) =>
    new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        alarms.delete(alarm);
        reject(new VarveError('CANCELLED', 'The wait was cancelled.'));
      };
      const alarm: Alarm = {
        at: now + milliseconds,
        ring: () => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        },
      };
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      alarms.add(alarm);
    });

  // All microtasks run before the next immediate does.
  const idle = async () => {
    do await new Promise((resolve) => setImmediate(resolve));
    while (isBusy());
  };

  const pass = async (milliseconds: number) => {
    const end = now + milliseconds;
    await idle();
    for (let next = earliest(alarms, end); next !== null; next = earliest(alarms, end)) {
      now = Math.max(now, next.at);
      alarms.delete(next);
      next.ring();
      await idle();
    }
    now = end;
  };

  return {
    now: () => now,
    timers: ({ random = () => 0, clock = () => now } = {}) => ({ timer: clock, random, wait }),
    pass,
    settle: () => pass(0),
  };
}

function earliest(alarms: ReadonlySet<Alarm>, end: number): Alarm | null {
  let first: Alarm | null = null;
  for (const alarm of alarms) {
    if (alarm.at <= end && (first === null || alarm.at < first.at)) first = alarm;
  }
  return first;
}
