/**
 * Workflow of a schedule, every minute: finds what a lost refresh request missed and what time
 * alone made due. It keeps no state, so the next tick makes up for a failed one.
 */
import { tickActivities } from './refresh-activities.ts';

/** Answers how many tenants were woken. */
export async function refreshTick(): Promise<{ readonly woken: number }> {
  return { woken: await tickActivities.requestDueRefreshes() };
}
