/** What a worker takes on, so that the keys of models are in no process that needs none. */

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
