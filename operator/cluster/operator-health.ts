/**
 * Whether the operator is alive and ready, judged from the reports of its parts. Pure except for
 * reading them. An operator that answers "healthy" while its watch is dead is worse than none.
 */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { OperatorMetrics } from '#core/ports/metrics.ts';
import type { Log, Timers } from '#core/ports/platform.ts';
import type { RunningKey } from '../queue/workqueue.ts';
import { fieldOf } from '#core/is-record.ts';

/** What an informer reports about itself. */
export interface WatchHealth {
  /** E.g. `MemoryTenant`. */
  readonly kind: string;
  readonly hasSynced: boolean;
  /** Milliseconds since the server last sent anything, bookmarks included; null if it never did. */
  readonly silentForMs: number | null;
  /**
   * Milliseconds since a list or watch last began or ended, even in failure; null before the first.
   */
  readonly triedForMs: number | null;
  /** After a longer silence the informer should have reconnected. */
  readonly silenceMsMax: number;
}

export interface OperatorParts {
  readonly watches: () => readonly WatchHealth[];
  readonly queues: readonly {
    readonly name: string;
    stuck(graceMs: number): readonly RunningKey[];
  }[];
  readonly elector: { isLeaderKnown(): boolean };
  /** How long the event loop was blocked at the last check, in milliseconds. */
  readonly loopLagMs: () => number;
}

interface ProbeReport {
  readonly ok: boolean;
  /** One sentence for each problem; empty if there is none. */
  readonly findings: readonly string[];
}

/** A cancelled reconcile may take this long to end. */
const STUCK_GRACE_MS = 60_000;
/**
 * Limits of silence that pass before an informer is unhealthy: normally it reconnects on its own.
 */
const SILENCE_TIMES = 3;
/** Half of the time in which a leader has to renew its Lease by default. */
const LOOP_LAG_MS_MAX = 10_000;

/** `/healthz`: whether continuing is better than a restart. */
export function liveness({ watches, queues, loopLagMs }: OperatorParts): ProbeReport {
  const dead = watches().flatMap(({ kind, silentForMs, triedForMs, silenceMsMax }) => {
    // A process that keeps retrying is alive: a new one would not end an outage of the server.
    const stillForMs = Math.min(silentForMs ?? Infinity, triedForMs ?? Infinity);
    if (triedForMs === null || stillForMs <= silenceMsMax * SILENCE_TIMES) return [];
    return [`the watch of ${kind} has done nothing for ${seconds(stillForMs)}`];
  });
  const stuck = queues.flatMap((queue) =>
    queue
      .stuck(STUCK_GRACE_MS)
      .map(({ key, forMs }) => `${queue.name} has worked on ${key} for ${seconds(forMs)}`),
  );
  const lag = loopLagMs();
  const stood = lag > LOOP_LAG_MS_MAX ? [`the event loop was blocked for ${seconds(lag)}`] : [];
  return reportOf([...dead, ...stuck, ...stood]);
}

/** `/readyz`: whether the caches are complete and a leader is known. */
export function readiness({ watches, elector }: OperatorParts): ProbeReport {
  const unsynced = watches()
    .filter(({ hasSynced }) => !hasSynced)
    .map(({ kind }) => `the list of ${kind} is not there yet`);
  const silent = watches().flatMap(({ kind, silentForMs, silenceMsMax }) =>
    silentForMs === null || silentForMs <= silenceMsMax * SILENCE_TIMES
      ? []
      : [`the watch of ${kind} has reported nothing for ${seconds(silentForMs)}`],
  );
  const leaderless = elector.isLeaderKnown()
    ? []
    : ['no leader is known; check the Lease and who may write it'];
  return reportOf([...unsynced, ...silent, ...leaderless]);
}

function reportOf(findings: readonly string[]): ProbeReport {
  return { ok: findings.length === 0, findings };
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 1_000))} s`;
}

const LOOK_EVERY_MS = 1_000;
/** Checks that are remembered: one minute. */
const LOOKS_MAX = 60;
/** From this delay on, it is logged as a warning. */
const WARN_MS = 2_000;

/**
 * Measures how long the event loop is blocked. A process that is blocked for longer than it has to
 * renew its Lease may be replaced while it still believes that it leads.
 */
export function createLoopLag(options: {
  readonly timers: Timers;
  readonly metrics: OperatorMetrics;
  readonly log: Log;
}) {
  const { timers, metrics, log } = options;
  const lags: number[] = [];
  const longestMs = () => Math.max(0, ...lags);
  return {
    /** Delay of the latest check, in milliseconds: once the loop runs again, it is healthy. */
    latestMs: () => lags.at(-1) ?? 0,
    /** The longest delay of the last minute, in milliseconds. */
    longestMs,
    /** Resolves when the signal is aborted. */
    async run(signal: AbortSignal): Promise<void> {
      while (!signal.aborted) {
        const from = timers.timer();
        try {
          await timers.wait(LOOK_EVERY_MS, signal);
        } catch (error) {
          if (signal.aborted) return;
          throw error;
        }
        const lagMs = Math.max(0, timers.timer() - from - LOOK_EVERY_MS);
        lags.push(lagMs);
        if (lags.length > LOOKS_MAX) lags.shift();
        metrics.set('event_loop_lag_seconds', {}, longestMs() / 1_000);
        if (lagMs > WARN_MS) log.warn({ lagMs: Math.round(lagMs) }, 'event loop blocked');
      }
    },
  };
}

/** For how long changes of resources of one kind have been seen without effect. */
export interface UnsyncedAge {
  /** `MemoryTenant` */
  readonly kind: string;
  /** Age of the oldest such change, in milliseconds; 0 if there is none. */
  readonly forMs: number;
}

/**
 * Ages count from the first call that saw a generation, so they are as exact as calls are frequent.
 */
export class PendingChanges {
  #since: ReadonlyMap<string, number> = new Map();

  /** Remembers only what is unsynced now. */
  agesOf(objects: ReadonlyMap<string, readonly KubernetesObject[]>, now: number): UnsyncedAge[] {
    const since = new Map<string, number>();
    const ages = [...objects].map(([kind, all]) => {
      const unsynced = all.filter((object) => isUnsynced(object));
      const starts = unsynced.map((object) => {
        const key = `${object.metadata.uid ?? ''} ${String(object.metadata.generation)}`;
        const start = this.#since.get(key) ?? now;
        since.set(key, start);
        return start;
      });
      return { kind, forMs: starts.reduce((longest, at) => Math.max(longest, now - at), 0) };
    });
    this.#since = since;
    return ages;
  }
}

function isUnsynced({ metadata, status }: KubernetesObject): boolean {
  const { generation } = metadata;
  return generation !== undefined && fieldOf(status, 'observedGeneration') !== generation;
}

/** Gauges of the operator that are computed when they are read. */
interface GaugeSources {
  readonly queues: readonly { readonly name: string; running(): readonly RunningKey[] }[];
  readonly watches: () => readonly WatchHealth[];
  readonly unsynced: () => readonly UnsyncedAge[];
}

/** Call it before each page of metrics. */
export function setOperatorGauges(
  metrics: OperatorMetrics,
  { queues, watches, unsynced }: GaugeSources,
): void {
  for (const queue of queues) {
    const { name } = queue;
    const running = queue.running().map(({ forMs }) => forMs / 1_000);
    const sum = running.reduce((total, seconds) => total + seconds, 0);
    metrics.set('workqueue_unfinished_work_seconds', { name }, sum);
    metrics.set('workqueue_longest_running_processor_seconds', { name }, Math.max(0, ...running));
  }
  // With chosen namespaces a kind has several watches; the worst of them represents the kind.
  for (const [kind, all] of Map.groupBy(watches(), (watch) => watch.kind)) {
    metrics.set('cache_synced', { kind }, all.every(({ hasSynced }) => hasSynced) ? 1 : 0);
    const silent = all.flatMap(({ silentForMs }) => silentForMs ?? []);
    if (silent.length === 0) continue;
    metrics.set('watch_last_event_age_seconds', { kind }, Math.max(...silent) / 1_000);
  }
  for (const { kind, forMs } of unsynced()) {
    metrics.set('oldest_unsynced_generation_seconds', { kind }, forMs / 1_000);
  }
}
