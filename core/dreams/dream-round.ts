/**
 * A round of a DeepDream: one time that cron names, the dreams that it starts, and how they end.
 * Pure: each function returns the record to write next.
 */
import type { ErrorCode } from '../error-codes.ts';
import type { Digest } from '../hash.ts';
import type { DreamOutcome } from '../records/dream-outcome.ts';
import {
  closesAtOf,
  COUNTED_DREAMS_MAX,
  type DreamRound,
  type DreamSchedule,
} from '../records/dream-schedule.ts';

/**
 * Begins the round that is due. One round makes up for several missed times, since it reads
 * everything that is new.
 * @param nextAt the first time after now, null if there is none
 */
export function roundBegun(
  schedule: DreamSchedule & { readonly nextAt: number },
  nextAt: number | null,
): DreamSchedule {
  const none = { started: 0, outcomes: {}, counted: [], startedAt: null, endedAt: null };
  const last = { at: schedule.nextAt, ...none };
  return next({ ...schedule, nextAt, startedAfter: '', last });
}

/**
 * Skips a time at which no subject may dream. A round that is still starting its subjects starts no
 * more of them, and ends like other rounds.
 */
export function roundLeftOut(
  schedule: DreamSchedule,
  nextAt: number | null,
  now: number,
): DreamSchedule {
  const { last, startedAfter } = schedule;
  if (last === null || startedAfter === null) return next({ ...schedule, nextAt });
  return next({ ...schedule, nextAt, startedAfter: null, last: settled(last, now, now) });
}

/**
 * Ends a round whose dreams can no longer be running. A dream that never reported its end was
 * terminated, timed out, or lost its subject: it counts as Failed.
 * @returns null if there is nothing to close yet
 */
export function roundClosed(
  schedule: DreamSchedule,
  now: number,
): { readonly schedule: DreamSchedule; readonly missing: number } | null {
  const { last, startedAfter } = schedule;
  if (last === null || startedAfter !== null || last.endedAt !== null) return null;
  const closesAt = closesAtOf(last);
  if (closesAt === null || now < closesAt) return null;
  const missing = Math.max(last.started - endedDreams(last), 0);
  const outcomes = withOutcome(last, 'Failed', missing);
  const failed = missing === 0 ? {} : { failureCode: last.failureCode ?? NEVER_TOLD };
  const closed = { ...last, outcomes, ...failed, endedAt: now };
  return { schedule: next({ ...schedule, last: closed }), missing };
}

/** The code of a dream whose run ended before it could report why. */
const NEVER_TOLD: ErrorCode = 'TIMEOUT';

interface StartedPage {
  /** Key of the last subject that was checked; null if none comes after it. */
  readonly after: string | null;
  readonly started: number;
  readonly now: number;
}

/** Records that the subjects of a round up to `after` were started. */
export function subjectsStarted(
  schedule: DreamSchedule & { readonly last: DreamRound },
  { after, started, now }: StartedPage,
): DreamSchedule {
  const last = { ...schedule.last, started: schedule.last.started + started };
  const startedAt = after === null ? now : null;
  return next({ ...schedule, startedAfter: after, last: settled(last, startedAt, now) });
}

interface EndedDream {
  readonly dreamId: string;
  /** The time of its round. */
  readonly at: number;
  readonly outcome: DreamOutcome;
  /** The code of a failure. */
  readonly code?: ErrorCode | undefined;
  readonly now: number;
}

/**
 * Counts an ended dream. Returns null if the round does not count it: it already did, it is closed,
 * or a later round has begun.
 */
export function dreamCounted(
  schedule: DreamSchedule,
  { dreamId, at, outcome, code, now }: EndedDream,
): DreamSchedule | null {
  const { last } = schedule;
  if (last?.at !== at || last.counted.includes(dreamId) || isClosed(last)) return null;
  const outcomes = withOutcome(last, outcome, 1);
  const counted = [...last.counted, dreamId].slice(-COUNTED_DREAMS_MAX);
  const failed = code === undefined ? {} : { failureCode: code };
  const ended = { ...last, outcomes, ...failed, counted };
  return next({ ...schedule, last: settled(ended, last.startedAt, now) });
}

const TIME_DIGITS = 12;
const VERSION = '7';
const VARIANT = '8';

/**
 * Returns the id of a subject's dream in a round: a UUIDv7 (RFC 9562, 5.7) of the round's time,
 * with a hash in place of random bits. A round that restarts therefore starts no second dream of a
 * subject.
 */
export function roundDreamId(
  digest: Digest,
  dream: {
    readonly tenant: string;
    readonly name: string;
    readonly at: number;
    readonly subjectId: string;
  },
): string {
  const { tenant, name, at, subjectId } = dream;
  const time = at.toString(16).padStart(TIME_DIGITS, '0');
  const hash = digest(JSON.stringify([tenant, name, at, subjectId]));
  const low = [`${VERSION}${hash.slice(0, 3)}`, `${VARIANT}${hash.slice(3, 6)}`, hash.slice(6, 18)];
  return [time.slice(0, 8), time.slice(8), ...low].join('-');
}

/**
 * Ends the round if all its dreams have ended. A dream may end before the number of started ones is
 * known, and a dream that a crashed tick started shows only by its end: ended dreams were started.
 */
function settled(round: DreamRound, startedAt: number | null, now: number): DreamRound {
  if (startedAt === null) return round;
  const ended = endedDreams(round);
  const started = Math.max(round.started, ended);
  return { ...round, started, startedAt, endedAt: ended >= started ? now : null };
}

/** Whether a round ended because its time ran out, so that all its dreams are counted already. */
function isClosed(round: DreamRound): boolean {
  const closesAt = closesAtOf(round);
  return closesAt !== null && round.endedAt !== null && round.endedAt >= closesAt;
}

function endedDreams({ outcomes }: DreamRound): number {
  return Object.values(outcomes).reduce((sum, count) => sum + count, 0);
}

function withOutcome(
  { outcomes }: DreamRound,
  outcome: DreamOutcome,
  count: number,
): DreamRound['outcomes'] {
  if (count === 0) return outcomes;
  return { ...outcomes, [outcome]: (outcomes[outcome] ?? 0) + count };
}

function next(schedule: DreamSchedule): DreamSchedule {
  return { ...schedule, version: schedule.version + 1 };
}
