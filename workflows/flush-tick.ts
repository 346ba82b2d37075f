/**
 * Workflow of a schedule, every minute: starts the flushes that are due. It keeps no state, so a
 * tick that fails is made good by the next one.
 */
import { flushTickActivities } from './flush-activities.ts';

/** Answers how many flushes were started. */
export async function flushTick(): Promise<{ readonly started: number }> {
  return flushTickActivities.startDueFlushes();
}
