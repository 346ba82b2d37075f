/** What a worker takes on, and how long it may finish its work when asked to end. */
import { z } from 'zod';
import { unlessEmpty } from './store-and-model-settings.ts';

const MS_PER_SECOND = 1_000;
/**
 * Time after the last activity: the server is told what was cut off, and connections and the store
 * are closed. The least grace below must be longer.
 */
const CLOSING_MS = 7_000;
/** Leaves five seconds for activities: longer than one on the store, less than the stack waits. */
const GRACE_SECONDS = 12;
/** The longest grace that the chart gives a pod. */
const GRACE_SECONDS_MAX = 600;

export const GRACE_VARIABLES = {
  VARVE_GRACE_SECONDS: unlessEmpty(
    z.coerce.number().int().min(GRACE_SECONDS).max(GRACE_SECONDS_MAX),
  ),
};

interface WorkerGrace {
  /** Milliseconds after which activities that are still running are cut off. */
  readonly activitiesMs: number;
  /** Milliseconds after which the process ends, whatever hangs. */
  readonly endWithinMs: number;
}

/** @param seconds from the signal to the end of the process; null for the local stack's default */
export function workerGrace(seconds: number | null): WorkerGrace {
  const endWithinMs = (seconds ?? GRACE_SECONDS) * MS_PER_SECOND;
  return { activitiesMs: endWithinMs - CLOSING_MS, endWithinMs };
}

/** What a worker takes on. Processes that need no model keys have none. */
export const WORKER_ROLES = ['all', 'workflows', 'models'] as const;

/**
 * `workflows`: workflows, and activities that use only the store. `models`: calls of models and
 * embedders; only these processes read the keys of ModelProviders.
 */
export type WorkerRole = (typeof WORKER_ROLES)[number];

export function runsWorkflows(role: WorkerRole): boolean {
  return role !== 'models';
}

export function callsModels(role: WorkerRole): boolean {
  return role !== 'workflows';
}
