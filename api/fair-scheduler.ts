/**
 * Decides which tenant's call starts next when the thread that serves all tenants is busy.
 *
 * Flow: a tenant with few running calls starts another one at once, unless it made many calls
 * lately and a call of a tenant with far fewer is running. Any other call waits until a running
 * call ends, or until the thread is idle, for example while calls wait for a disk or a model.
 * Tenants that wait take turns, so a burst of one tenant does not delay another. Refusals wait as
 * well, and a few are answered at each look: a caller that ignores its limits waits with every
 * connection it has, and what its refusals cost the others is bounded.
 * Guarantees: no call waits forever, because one starts every few looks even on a busy thread.
 */
import { createFairQueue } from '#core/fair-queue.ts';

/**
 * Running calls of a tenant below which another one starts at once, however busy the thread is.
 * Writes take little of the thread and then wait for the disk, where those that started together
 * share one flush.
 */
const BEGUN_FREELY = { query: 2, mutation: 32 } as const;
export type CallKind = keyof typeof BEGUN_FREELY;
/** Time between two looks at the thread while calls wait. */
const LOOK_MS = 5;
/** Calls that start at one look if the thread was mostly idle since the last one. */
const BEGUN_AT_ONCE = 2;
const MOSTLY = 0.5;
/** A look that comes later than this means a busy thread, whatever its idle time says. */
const LATE_MS = 2 * LOOK_MS;
/** Looks after which one call starts even though the thread is busy. */
const LOOKS_PER_START = 10;

/** A call of a tenant counts half as much for its load after this time. */
const HALF_LIFE_MS = 1_000;
/** A load above which a tenant yields to lighter ones: about 22 calls a second. */
const HEAVY_LOAD = 32;
/** Share of a tenant's load below which another tenant is lighter. */
const LIGHTER = 0.5;
/** Maximum tenants whose loads are kept; above it, idle ones are dropped. */
const LANES_MAX = 10_000;

/** Refusals that are answered at one look: 400 a second. */
const REFUSED_AT_ONCE = 2;
/** Maximum waiting refusals; above it, the one that has waited longest is answered at once. */
const REFUSALS_MAX = 512;

interface TurnTimers {
  /** A monotonic clock, in milliseconds. */
  readonly timer: () => number;
  /** How many of these milliseconds the thread was idle. */
  readonly idle: () => number;
  readonly wait: (milliseconds: number) => Promise<void>;
}

export interface FairScheduler {
  /** Resolves when a call of the tenant may start; the returned function ends it. */
  begin(tenant: string, kind: CallKind): Promise<() => void>;
  /** Resolves when a refusal may be sent to a caller over its limits. */
  refuse(): Promise<void>;
}

/** Starts every call at once. */
export const ALL_AT_ONCE: FairScheduler = {
  begin: () => Promise.resolve(() => undefined),
  refuse: () => Promise.resolve(),
};

interface Lane {
  running: number;
  /** The number of recent calls, as of the time `at`. */
  load: number;
  at: number;
}

/** Queues calls; the limits on concurrent calls bound the queue. */
export function createFairScheduler({ timer, idle, wait }: TurnTimers): FairScheduler {
  const queue = createFairQueue<() => void>();
  const lanes = new Map<string, Lane>();
  const running = new Map<string, Lane>();
  let isLooking = false;
  const loadOf = ({ load, at }: Lane, now: number) => load * 0.5 ** ((now - at) / HALF_LIFE_MS);
  const laneOf = (tenant: string): Lane => {
    const known = lanes.get(tenant);
    if (known !== undefined) return known;
    if (lanes.size >= LANES_MAX) forgetQuiet();
    const lane = { running: 0, load: 0, at: timer() };
    lanes.set(tenant, lane);
    return lane;
  };
  const forgetQuiet = () => {
    const now = timer();
    const waiting = new Set(queue.tenants());
    for (const [tenant, lane] of lanes) {
      const isQuiet = lane.running === 0 && loadOf(lane, now) < 1;
      if (isQuiet && !waiting.has(tenant)) lanes.delete(tenant);
    }
  };
  const isBesideLighter = (lane: Lane) => {
    const now = timer();
    const load = loadOf(lane, now);
    if (load < HEAVY_LOAD) return false;
    for (const other of running.values()) if (loadOf(other, now) < LIGHTER * load) return true;
    return false;
  };
  const mayStart = (lane: Lane, kind: CallKind) =>
    lane.running < BEGUN_FREELY[kind] && !isBesideLighter(lane);
  const started = (tenant: string, lane: Lane) => {
    const now = timer();
    lane.load = loadOf(lane, now) + 1;
    lane.at = now;
    lane.running += 1;
    running.set(tenant, lane);
  };
  const lookOn = async () => {
    for (let looks = 1; queue.size > 0; looks += 1) {
      const [before, idleBefore] = [timer(), idle()];
      await wait(LOOK_MS);
      const took = timer() - before;
      const isIdle = took <= LATE_MS && idle() - idleBefore >= MOSTLY * took;
      const most = isIdle ? BEGUN_AT_ONCE : looks % LOOKS_PER_START === 0 ? 1 : 0;
      for (let at = 0; at < most; at += 1) queue.next()?.();
    }
  };
  const look = () => {
    isLooking = true;
    lookOn()
      // Waiting calls start when a running call ends, or at the next call's look.
      .catch(() => undefined)
      .finally(() => {
        isLooking = false;
      });
  };
  const ended = (tenant: string, lane: Lane) => {
    lane.running -= 1;
    if (lane.running === 0) running.delete(tenant);
    for (const each of queue.tenants()) {
      if (mayStart(laneOf(each), 'query')) queue.nextOf(each)?.();
    }
  };
  return {
    refuse: refusalQueue(wait),
    async begin(tenant, kind) {
      const lane = laneOf(tenant);
      if (mayStart(lane, kind)) started(tenant, lane);
      else {
        const { promise, resolve } = Promise.withResolvers<void>();
        queue.add(tenant, () => {
          started(tenant, lane);
          resolve();
        });
        if (!isLooking) look();
        await promise;
      }
      return () => {
        ended(tenant, lane);
      };
    },
  };
}

/** Answers refusals in their order, a few at each look. */
function refusalQueue(wait: TurnTimers['wait']): FairScheduler['refuse'] {
  const waiting: (() => void)[] = [];
  let isAnswering = false;
  const answerOn = async () => {
    while (waiting.length > 0) {
      await wait(LOOK_MS);
      for (const answer of waiting.splice(0, REFUSED_AT_ONCE)) answer();
    }
  };
  const answer = () => {
    isAnswering = true;
    answerOn()
      // If the timer fails, answer all refusals at once.
      .catch(() => {
        for (const each of waiting.splice(0)) each();
      })
      .finally(() => {
        isAnswering = false;
      });
  };
  return async () => {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (waiting.push(resolve) > REFUSALS_MAX) waiting.shift()?.();
    if (!isAnswering) answer();
    await promise;
  };
}
