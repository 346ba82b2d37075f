/**
 * Workflow of a schedule, every minute: starts the dreams that are due, and the application of what
 * was approved and not applied. It keeps no state, so a tick that fails is made good by the next.
 */
import { dreamTickActivities } from './dream-activities.ts';

/** Answers how many dreams were started. */
export async function dreamTick(): Promise<{ readonly started: number }> {
  return dreamTickActivities.startDueDreams();
}
