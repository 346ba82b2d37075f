/**
 * Workflow of a schedule, every minute: finds what a lost refresh request missed and what time
 * alone made due. It keeps no state, so a tick that fails is made good by the next one.
 */
import { tickActivities } from './refresh-activities.ts';

/** Answers how many tenants were woken. */
export async function refreshTick(): Promise<{ readonly woken: number }> {
  return { woken: await tickActivities.requestDueRefreshes() };
}
