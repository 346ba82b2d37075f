/**
 * Decides how the schedules of a tenant's dreams must change to match its policy. Pure. Compares
 * with the stored records, not with earlier decisions, so that it corrects a record that another
 * process changed.
 */
import { VarveError } from '../errors.ts';
import type { Digest } from '../hash.ts';
import type { Calendar } from '../ports/calendar.ts';
import type { DreamRound, DreamSchedule } from '../records/dream-schedule.ts';
import type { DreamPolicy } from '../records/dream-policy.ts';

/** Maximum clock skew: the machine that started a round may have been ahead by this much. */
const CLOCK_SKEW_MS_MAX = 60_000;

type Times = Pick<DreamPolicy, 'name' | 'cron' | 'timeZone'>;

export interface DeclaredDreams {
  readonly tenant: string;
  readonly dreams: readonly Times[];
  /** Minimum time between two rounds, set by the platform; absent if it sets none. */
  readonly leastIntervalMs?: number | undefined;
  /** The generation of the policy that declares them. */
  readonly generation: number;
}

export type ScheduleChange =
  | {
      readonly kind: 'Put';
      /** The record to write, with its next version. */
      readonly schedule: DreamSchedule;
      /** Whether its times change; if not, only the generation of the policy does. */
      readonly isMoved: boolean;
    }
  | { readonly kind: 'Remove'; readonly name: string };

interface ScheduleMoment {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly calendar: Pick<Calendar, 'nextTime'>;
  readonly digest: Digest;
}

/** Returns the needed changes. Leaves records that a later generation declared unchanged. */
export function scheduleChanges(
  declared: DeclaredDreams,
  stored: readonly DreamSchedule[],
  moment: ScheduleMoment,
): readonly ScheduleChange[] {
  const { dreams, generation } = declared;
  const records = new Map(stored.map((record) => [record.name, record]));
  const puts = dreams.flatMap((dream) =>
    changeOf(dream, records.get(dream.name), declared, moment),
  );
  const names = new Set(dreams.map(({ name }) => name));
  const removes = stored
    .filter(({ name, policyGeneration }) => !names.has(name) && policyGeneration <= generation)
    .map(({ name }): ScheduleChange => ({ kind: 'Remove', name }));
  return [...puts, ...removes];
}

/** Returns a hash that changes whenever the times of a dream change, and only then. */
export function cronHash(digest: Digest, { cron, timeZone }: Omit<Times, 'name'>): string {
  return digest(`${timeZone}\n${cron}`);
}

function changeOf(
  dream: Times,
  record: DreamSchedule | undefined,
  ...[declared, moment]: [DeclaredDreams, ScheduleMoment]
): readonly ScheduleChange[] {
  const { tenant, generation: policyGeneration, leastIntervalMs } = declared;
  const hash = cronHash(moment.digest, dream);
  if (record === undefined) {
    const nextAt = nextTime(dream, moment.now, moment);
    const work = { startedAfter: null, last: null, version: 1 };
    const schedule = {
      tenant,
      name: dream.name,
      cronHash: hash,
      policyGeneration,
      nextAt,
      ...work,
    };
    return [{ kind: 'Put', schedule, isMoved: true }];
  }
  if (record.policyGeneration > policyGeneration) return [];
  const spaced = spacedAfter(record.last, leastIntervalMs);
  const isKept = record.cronHash === hash && isOfCron(record.nextAt, dream, { ...moment, spaced });
  const nextAt = isKept ? record.nextAt : nextTime(dream, Math.max(moment.now, spaced), moment);
  const isMoved = record.cronHash !== hash || record.nextAt !== nextAt;
  if (!isMoved && record.policyGeneration === policyGeneration) return [];
  const version = record.version + 1;
  const schedule = { ...record, cronHash: hash, policyGeneration, nextAt, version };
  return [{ kind: 'Put', schedule, isMoved }];
}

/**
 * Returns the time, in milliseconds since the epoch, after which the next round may come: the
 * platform requires a minimum interval after the last one.
 */
export function spacedAfter(
  last: Pick<DreamRound, 'at'> | null,
  leastIntervalMs: number | undefined,
): number {
  return last === null || leastIntervalMs === undefined ? 0 : last.at + leastIntervalMs - 1;
}

/** Whether a next time fits the cron. A past time is due, and starting the round moves it on. */
function isOfCron(
  nextAt: number | null,
  dream: Times,
  moment: ScheduleMoment & { readonly spaced: number },
): boolean {
  const { now, spaced } = moment;
  if (nextAt === null) return nextTime(dream, Math.max(now, spaced), moment) === null;
  if (nextAt <= spaced) return false;
  if (nextAt <= now) return true;
  const latest = nextTime(dream, now + CLOCK_SKEW_MS_MAX, moment);
  return latest !== null && nextAt <= latest && nextTime(dream, nextAt - 1, moment) === nextAt;
}

/** Returns the next time; null if there is none, also for a cron that the calendar rejects. */
function nextTime({ cron, timeZone }: Times, after: number, { calendar }: ScheduleMoment) {
  try {
    return calendar.nextTime(cron, timeZone, after);
  } catch (error) {
    if (error instanceof VarveError && error.code === 'INVALID_INPUT') return null;
    throw error;
  }
}
