/**
 * Whether the operator lives and whether it is ready, judged from what its parts say. Pure but for
 * asking them. An operator that answers "healthy" while its watch is dead is worse than none.
 */
import type { RunningKey } from '../queue/workqueue.ts';

/** What a reflector reports of itself. */
export interface WatchHealth {
  /** E.g. `MemoryTenant`. */
  readonly kind: string;
  readonly hasSynced: boolean;
  /** Since anything was heard, bookmarks counted; null where nothing ever was. */
  readonly silentForMs: number | null;
  /** Since a list or a watch began or ended last, also in failure; null before the first. */
  readonly triedForMs: number | null;
  /** Above this it should have been connected anew. */
  readonly silenceMsMax: number;
}

export interface OperatorParts {
  readonly watches: () => readonly WatchHealth[];
  readonly queues: readonly {
    readonly name: string;
    stuck(graceMs: number): readonly RunningKey[];
  }[];
  readonly elector: { isLeaderKnown(): boolean };
  /** How long the event loop was blocked at the last look, in milliseconds. */
  readonly loopLagMs: () => number;
}

export interface ProbeReport {
  readonly ok: boolean;
  /** What is wrong, in sentences; empty where nothing is. */
  readonly findings: readonly string[];
}

/** A cancelled reconcile may take this long to end. */
const STUCK_GRACE_MS = 60_000;
/** A reflector connects anew by itself; only what stays still or silent after that is not well. */
const SILENCE_TIMES = 3;
/** Half of the shortest time that a leader has to renew its Lease by default. */
export const LOOP_LAG_MS_MAX = 10_000;

/** `/healthz`: whether going on is better than being started again. */
export function liveness({ watches, queues, loopLagMs }: OperatorParts): ProbeReport {
  const dead = watches().flatMap(({ kind, silentForMs, triedForMs, silenceMsMax }) => {
    // One that tries again and again lives: an outage of the server is not mended by a new process.
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

/** `/readyz`: whether what it knows is whole, and somebody leads. */
export function readiness({ watches, elector }: OperatorParts): ProbeReport {
  const unsynced = watches()
    .filter(({ hasSynced }) => !hasSynced)
    .map(({ kind }) => `the list of ${kind} is not there yet`);
  const silent = watches().flatMap(({ kind, silentForMs, silenceMsMax }) =>
    silentForMs === null || silentForMs <= silenceMsMax * SILENCE_TIMES
      ? []
      : [`nothing was heard of the watch of ${kind} for ${seconds(silentForMs)}`],
  );
  const leaderless = elector.isLeaderKnown()
    ? []
    : ['no leader is known; look at the Lease and at who may write it'];
  return reportOf([...unsynced, ...silent, ...leaderless]);
}

function reportOf(findings: readonly string[]): ProbeReport {
  return { ok: findings.length === 0, findings };
}

function seconds(ms: number): string {
  return `${String(Math.round(ms / 1_000))} s`;
}
