/** Where a worker is killed: at every boundary of every activity, and within a model call. */
import type { RefreshActivities } from '#core/refresh/refresh-contract.ts';

/** What the worker under test does to itself, once. */
export interface Kill {
  readonly activity: keyof RefreshActivities;
  /** `Within` is the moment after the model has answered and before anything is stored. */
  readonly at: 'Before' | 'After' | 'Within';
  /** Which call of the activity; counted from 1. */
  readonly call: number;
}

export type Disturbance =
  | { readonly kind: 'None' }
  | { readonly kind: 'WorkerKilled'; readonly kill: Kill }
  /** The Temporal server is killed and started again on its file. */
  | { readonly kind: 'ServerKilled' }
  /** Worker and server are killed, and the server's file is deleted. */
  | { readonly kind: 'DatabaseDeleted' };

export interface KillCase {
  readonly id: string;
  readonly disturbance: Disturbance;
  /** Activities at work at once; with one, nothing else is under way when the worker dies. */
  readonly atOnce: 1 | 4;
  /** Calls that the model refuses before it answers; what makes a run release batches. */
  readonly refusals: 0 | 2;
}

/** A first call and a later one. Each run calls readWindow and claimBatches twice at once. */
const CALLS: Readonly<Record<keyof RefreshActivities, readonly [number, number]>> = {
  readWindow: [1, 2],
  claimBatches: [1, 2],
  summarizeBatch: [1, 5],
  commitBatch: [1, 5],
  releaseBatch: [1, 2],
  acknowledge: [1, 2],
};

export const KILL_CASES: readonly KillCase[] = [
  ...(Object.keys(CALLS) as (keyof RefreshActivities)[]).flatMap((activity) =>
    CALLS[activity].flatMap((call) =>
      (['Before', 'After'] as const).map((at) => killed({ activity, at, call }, 1)),
    ),
  ),
  ...[1, 5].map((call) => killed({ activity: 'summarizeBatch', at: 'Within', call }, 1)),
  killed({ activity: 'summarizeBatch', at: 'After', call: 3 }, 4),
  killed({ activity: 'summarizeBatch', at: 'Within', call: 3 }, 4),
  killed({ activity: 'commitBatch', at: 'Before', call: 3 }, 4),
  other('server-killed', { kind: 'ServerKilled' }),
  other('database-deleted', { kind: 'DatabaseDeleted' }),
];

function killed(kill: Kill, atOnce: KillCase['atOnce']): KillCase {
  const { activity, at, call } = kill;
  const refusals = activity === 'releaseBatch' ? 2 : 0;
  const busy = atOnce === 1 ? [] : ['busy'];
  const id = [activity, at.toLowerCase(), String(call), ...busy].join('-');
  return { id, disturbance: { kind: 'WorkerKilled', kill }, atOnce, refusals };
}

function other(id: string, disturbance: Disturbance): KillCase {
  return { id, disturbance, atOnce: 1, refusals: 0 };
}
