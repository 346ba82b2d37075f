/**
 * Who leads, judged by what was seen here: a Lease is held until its duration has passed on this
 * process's own clock since it was last seen to change. The times in the record are never used,
 * since they are another clock's (client-go tools/leaderelection does the same).
 */
import type { LeaseRecord } from './lease.ts';

export interface Observation {
  readonly record: LeaseRecord;
  /** When this record was first seen here; milliseconds of a clock that never goes back. */
  readonly since: number;
}

/** @param now not before the answer with the record came */
export function observed(
  record: LeaseRecord,
  before: Observation | null,
  now: number,
): Observation {
  const isSame = before !== null && before.record.renewal === record.renewal;
  return { record, since: isSame ? before.since : now };
}

/** How long the Lease has to be left alone; 0 where it may be taken. */
export function heldForMs(observation: Observation | null, now: number): number {
  if (observation === null || observation.record.holder === '') return 0;
  return Math.max(0, observation.since + observation.record.leaseMs - now);
}
