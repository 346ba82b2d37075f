/**
 * Decides which tenant's call starts next when the thread that serves all tenants is busy.
 *
 * Flow: a tenant with few running calls starts another one at once. Any further call waits until
 * one of the tenant's calls ends, or until the thread is idle, for example while calls wait for a
 * disk or a model. Tenants that wait take turns, so a burst of one tenant does not delay another.
 * Guarantees: no call waits forever, because one starts every few looks even on a busy thread.
 */
import { createFairQueue } from '#core/fair-queue.ts';

/** Calls of a tenant that start at once, however busy the thread is. */
const BEGUN_FREELY = 2;
/** Time between two looks at the thread while calls wait. */
const LOOK_MS = 5;
/** Calls that start at one look if the thread was mostly idle since the last one. */
const BEGUN_AT_ONCE = 8;
const MOSTLY = 0.5;
/** A look that comes later than this means a busy thread, whatever its idle time says. */
const LATE_MS = 2 * LOOK_MS;
/** Looks after which one call starts even though the thread is busy. */
const PATIENCE_LOOKS = 10;

export interface TurnTimers {
  /** A monotonic clock, in milliseconds. */
  readonly timer: () => number;
  /** How many of these milliseconds the thread was idle. */
  readonly idle: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

export interface Turns {
  /** Resolves when a call of the tenant may start; the result ends it. */
  begin(tenant: string): Promise<() => void>;
}

/** Starts every call at once. */
export const ALL_AT_ONCE: Turns = { begin: () => Promise.resolve(() => undefined) };

/** Queues calls; the limits on concurrent calls bound the queue. */
export function createTurns({ timer, idle, wait }: TurnTimers): Turns {
  const queue = createFairQueue<() => void>();
  const begun = new Map<string, number>();
  let isLooking = false;
  const started = (tenant: string) => {
    begun.set(tenant, (begun.get(tenant) ?? 0) + 1);
  };
  const lookOn = async () => {
    for (let looks = 1; queue.size > 0; looks += 1) {
      const [before, idleBefore] = [timer(), idle()];
      await wait(LOOK_MS);
      const took = timer() - before;
      const isIdle = took <= LATE_MS && idle() - idleBefore >= MOSTLY * took;
      const most = isIdle ? BEGUN_AT_ONCE : looks % PATIENCE_LOOKS === 0 ? 1 : 0;
      for (let at = 0; at < most; at += 1) queue.next()?.();
    }
  };
  const look = () => {
    isLooking = true;
    lookOn()
      // Who waits is begun when a call ends, or by the look of the next one.
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  };
  const ended = (tenant: string) => {
    const left = (begun.get(tenant) ?? 1) - 1;
    if (left === 0) begun.delete(tenant);
    else begun.set(tenant, left);
    if (left < BEGUN_FREELY) queue.nextOf(tenant)?.();
  };
  return {
    async begin(tenant) {
      if ((begun.get(tenant) ?? 0) >= BEGUN_FREELY) {
        const { promise, resolve } = Promise.withResolvers<void>();
        queue.add(tenant, () => {
          started(tenant);
          resolve();
        });
        if (!isLooking) look();
        await promise;
      } else started(tenant);
      return () => {
        ended(tenant);
      };
    },
  };
}
