/**
 * A round of a DeepDream: one time that cron named, the dreams that it starts, and how they end.
 * Pure; each answers the record as it is to be written next.
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
 * Begins the round that is due. One round makes up for several missed times, as it reads everything
 * that is new.
 * @param nextAt the first time after now, null where there is none
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
 * A time that passes without a round: no subject may dream then. A round that was starting its
 * subjects starts no more of them, and ends as others do.
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
 * Ends a round of which no dream can be at work any more. What never reported its end was
 * terminated, ran into its time limit, or its subject is gone: it counts as Failed.
 * @returns null where there is nothing to close yet
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

/** Of a dream whose run ended before it could say why. */
const NEVER_TOLD: ErrorCode = 'TIMEOUT';

interface StartedPage {
  /** Key of the last subject that was looked at; null where there is none after it. */
  readonly after: string | null;
  readonly started: number;
  readonly now: number;
}

/** A round whose subjects up to `after` were started. */
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
  /** Of its round. */
  readonly at: number;
  readonly outcome: DreamOutcome;
  /** Of a failure. */
  readonly code?: ErrorCode | undefined;
  readonly now: number;
}

/**
 * Null where the round does not count it: it did before, it was closed, or it is a later round by
 * now.
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
 * The id of a subject's dream of a round: a UUIDv7 (RFC 9562, 5.7) of the round's time, with a hash
 * in the place of chance. So a round that is started again starts no second dream of a subject.
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
 * A dream may end before it is known how many were started, and one that a dead tick started is
 * known by its end only: what ended was started.
 */
function settled(round: DreamRound, startedAt: number | null, now: number): DreamRound {
  if (startedAt === null) return round;
  const ended = endedDreams(round);
  const started = Math.max(round.started, ended);
  return { ...round, started, startedAt, endedAt: ended >= started ? now : null };
}

/** Whether it ended for want of time: all its dreams are counted, one way or the other. */
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
