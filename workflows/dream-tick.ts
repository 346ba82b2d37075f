/**
 * Workflow of a schedule, every minute: starts the dreams that are due. It keeps no state, so a
 * tick that fails is made good by the next one.
 */
import { dreamTickActivities } from './dream-activities.ts';

/** Answers how many dreams were started. */
export async function dreamTick(): Promise<{ readonly started: number }> {
  return dreamTickActivities.startDueDreams();
}
