/**
 * Ends a round in which a dream never told how it ended: its run was terminated or ran into its
 * time limit, or its subject is gone. Else the round would be at work for ever.
 */
import { roundClosed } from '#core/dreams/dream-round.ts';
import type { DreamSchedule } from '#core/records/dream-schedule.ts';
import { countDream } from './dream-metrics.ts';
import type { DreamPorts } from './dream-ports.ts';

/**
 * One compare-and-set, so that of two ticks one counts what is missing.
 * @param now milliseconds since the epoch
 * @returns the schedule to go on with, as it was where there is nothing to close; null where
 * another wrote it meanwhile
 */
export async function closeRound(
  { store, platform, metrics }: Pick<DreamPorts, 'store' | 'platform' | 'metrics'>,
  schedule: DreamSchedule,
  now: number,
): Promise<DreamSchedule | null> {
  const closed = roundClosed(schedule, now);
  if (closed === null) return schedule;
  if (!(await store.dreamSchedules.put(closed.schedule))) return null;
  countDream(metrics, 'Failed', closed.missing);
  const { tenant, name: dream } = schedule;
  const found = { tenant, dream, dreams: closed.missing };
  platform.log.warn(found, 'dreams did not report completion; counted as failed');
  return closed.schedule;
}
