/** What a worker takes on, and how long it may finish what it has under way when asked to end. */
import { z } from 'zod';
import { unlessEmpty } from './store-and-model-settings.ts';

const MS_PER_SECOND = 1_000;
/**
 * After the last activity: what is cut off says so to the server, connections close, the store is
 * closed. It is why no worker ends in less than the least grace below.
 */
const CLOSING_MS = 7_000;
/** Five seconds for activities: longer than one of the store, below the patience of the stack. */
const GRACE_SECONDS = 12;
/** The longest that the chart gives a pod. */
const GRACE_SECONDS_MAX = 600;

export const GRACE_VARIABLES = {
  VARVE_GRACE_SECONDS: unlessEmpty(
    z.coerce.number().int().min(GRACE_SECONDS).max(GRACE_SECONDS_MAX),
  ),
};

export interface WorkerGrace {
  /** Milliseconds after which activities that are still under way are cut off. */
  readonly activitiesMs: number;
  /** Milliseconds after which the process ends, whatever hangs. */
  readonly endWithinMs: number;
}

/** @param seconds from the signal to the end of the process; null for those of the local stack */
export function workerGrace(seconds: number | null): WorkerGrace {
  const endWithinMs = (seconds ?? GRACE_SECONDS) * MS_PER_SECOND;
  return { activitiesMs: endWithinMs - CLOSING_MS, endWithinMs };
}

/** What a worker takes on: the keys of models are in no process that needs none. */
export const WORKER_ROLES = ['all', 'workflows', 'models'] as const;

/**
 * `workflows`: workflows, and the activities that touch nothing but the store. `models`: calls of
 * models and embedders; only these processes read the keys of ModelProviders.
 */
export type WorkerRole = (typeof WORKER_ROLES)[number];

export function runsWorkflows(role: WorkerRole): boolean {
  return role !== 'models';
}

export function callsModels(role: WorkerRole): boolean {
  return role !== 'workflows';
}
