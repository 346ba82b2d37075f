/** When a DeepDream of a tenant runs next, and the outcome of its last round. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { DreamOutcome } from './dream-outcome.ts';

/**
 * The most dreams of a round that are remembered as counted, newest last. A dream that dies between
 * its two writes would be counted twice only after this many others end meanwhile, which is far
 * more than ever run at the same time.
 */
export const COUNTED_DREAMS_MAX = 256;

/** Far more than a dream takes with all its tries; its run is ended after this time. */
export const DREAM_MS_MAX = 3_600_000;

/**
 * Time after its last start when all dreams of a round are over. By then their runs were ended, and
 * so was the last activity of a dream that was recording its end.
 */
export const ROUND_MS_MAX = DREAM_MS_MAX + 5 * 60_000;

const At = z.int().min(0);
const CODE_LENGTH_MAX = 64;

/** One round of a DeepDream: how the dreams of its subjects ended. */
export const DreamRound = z.strictObject({
  /** The time that cron gave, not the time when the round began. */
  at: At,
  /** Subjects that had something new. */
  started: z.int().min(0),
  /** Outcomes of the dreams that ended. */
  outcomes: z.partialRecord(DreamOutcome, z.int().min(0)),
  /** Error code of the dream that failed last; absent if none failed. */
  failureCode: z.string().min(1).max(CODE_LENGTH_MAX).optional(),
  /** Ids of dreams that `outcomes` includes, so that a dream that ends twice is counted once. */
  counted: z.array(z.string()).max(COUNTED_DREAMS_MAX),
  /** When it had started all its subjects; null before that. */
  startedAt: At.nullable(),
  endedAt: At.nullable(),
});
export type DreamRound = z.infer<typeof DreamRound>;

export const DreamSchedule = z.strictObject({
  tenant: TenantId,
  /** Name of the DreamPolicy. */
  name: z.string(),
  /** Hash of cron and time zone, from which `nextAt` was computed. */
  cronHash: z.string(),
  /** The policy generation that last declared it. */
  policyGeneration: z.int().min(0),
  /** Null if cron has no further time. */
  nextAt: At.nullable(),
  /** The subject that the round started last; null unless it is still starting subjects. */
  startedAfter: z.string().nullable(),
  /** The current round, or the last one. */
  last: DreamRound.nullable(),
  version: z.int().min(1),
});
export type DreamSchedule = z.infer<typeof DreamSchedule>;

/**
 * Returns since when there is something to do. A round that is still starting comes first;
 * otherwise the next round begins, or the current one is closed.
 */
export function dueAtOf({ nextAt, startedAfter, last }: DreamSchedule): number | null {
  if (startedAfter !== null) return last?.at ?? 0;
  const closesAt = last?.endedAt === null ? closesAtOf(last) : null;
  if (nextAt === null || closesAt === null) return nextAt ?? closesAt;
  return Math.min(nextAt, closesAt);
}

/** Returns when all dreams of a round are surely over; null while it starts its subjects. */
export function closesAtOf({ startedAt }: Pick<DreamRound, 'startedAt'>): number | null {
  return startedAt === null ? null : startedAt + ROUND_MS_MAX;
}
