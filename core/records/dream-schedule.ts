/** When a DeepDream of a tenant comes next, and what became of the last time. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { DreamOutcome } from './dream-outcome.ts';

/**
 * Dreams of a round that are remembered as counted, the newest last. One that died between both of
 * its writes is counted again only once so many others have ended meanwhile; far more than are at
 * work at the same time.
 */
export const COUNTED_DREAMS_MAX = 256;

/** Far more than a dream takes with all its tries: its run is ended then, whatever it does. */
export const DREAM_MS_MAX = 3_600_000;

/**
 * So long after its last start all dreams of a round are over: their runs were ended, and so was
 * the last activity of one that was just noting its end.
 */
export const ROUND_MS_MAX = DREAM_MS_MAX + 5 * 60_000;

const At = z.int().min(0);
const CODE_LENGTH_MAX = 64;

/** One time that a DeepDream came: how the dreams of its subjects ended. */
export const DreamRound = z.strictObject({
  /** The time that cron named, not when it was looked at. */
  at: At,
  /** Subjects that had something new. */
  started: z.int().min(0),
  /** Of those that ended. */
  outcomes: z.partialRecord(DreamOutcome, z.int().min(0)),
  /** Of the dream that failed last; absent where none did. */
  failureCode: z.string().min(1).max(CODE_LENGTH_MAX).optional(),
  /** Ids of dreams that `outcomes` holds, so that a repeated end is counted once. */
  counted: z.array(z.string()).max(COUNTED_DREAMS_MAX),
  /** When it had started all its subjects; null before. */
  startedAt: At.nullable(),
  endedAt: At.nullable(),
});
export type DreamRound = z.infer<typeof DreamRound>;

export const DreamSchedule = z.strictObject({
  tenant: TenantId,
  /** Of the DreamPolicy. */
  name: z.string(),
  /** Hash of cron and time zone: `nextAt` was reckoned by it. */
  cronHash: z.string(),
  /** The generation of the policy that declared it last. */
  policyGeneration: z.int().min(0),
  /** Null where cron never comes again. */
  nextAt: At.nullable(),
  /** While a round starts its subjects: the last one that was started; null before and after. */
  startedAfter: z.string().nullable(),
  /** The round at work, or the last one. */
  last: DreamRound.nullable(),
  version: z.int().min(1),
});
export type DreamSchedule = z.infer<typeof DreamSchedule>;

/**
 * Since when there is something to do: a round that still starts comes before all else, then the
 * next one begins, or the one at work is closed.
 */
export function dueAtOf({ nextAt, startedAfter, last }: DreamSchedule): number | null {
  if (startedAfter !== null) return last?.at ?? 0;
  const closesAt = last?.endedAt === null ? closesAtOf(last) : null;
  if (nextAt === null || closesAt === null) return nextAt ?? closesAt;
  return Math.min(nextAt, closesAt);
}

/** When no dream of a round can be at work any more; null while it starts its subjects. */
export function closesAtOf({ startedAt }: Pick<DreamRound, 'startedAt'>): number | null {
  return startedAt === null ? null : startedAt + ROUND_MS_MAX;
}
