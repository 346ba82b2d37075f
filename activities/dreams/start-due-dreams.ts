/**
 * Activity of the tick: starts the dreams of every DeepDream whose time has come.
 *
 * Flow: begin the round and set the next time, in one write → page by page, start subjects with
 * something new → record each page in `startedAfter`.
 * Guarantees: after a crash the next tick continues at the same page; the id of a dream is derived
 * from its round, so none starts twice in a round; a subject that cannot be started does not block
 * others and is left to the next round; work that a tick has no time for is left to the next tick;
 * a round whose dreams no longer run is closed.
 */
import {
  roundBegun,
  roundDreamId,
  roundLeftOut,
  subjectsStarted,
  roundClosed,
} from '#core/dreams/dream-round.ts';
import { spacedAfter } from '#core/dreams/schedule-changes.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { DreamPolicy } from '#core/records/dream-policy.ts';
import { dueAtOf, type DreamRound, type DreamSchedule } from '#core/records/dream-schedule.ts';
import type { SubjectRecord } from '#core/records/subject-record.ts';
import { subjectOfKey } from '#core/subject.ts';
import { dreamOfSubject } from '#core/memory-files/subject-time-zone.ts';
import { countDream, type DreamPorts } from './dream-ports.ts';

/** DeepDreams that one tick looks at. */
const SCHEDULES_PER_TICK_MAX = 100;
/** A page is recorded once it is started; after a crash this many subjects are looked at again. */
const SUBJECTS_PER_PAGE = 50;
/** Pages of one tick: a start takes about 20 ms, and the activity has two minutes. */
const PAGES_PER_TICK_MAX = 20;
/** Pages of one tick for the same DeepDream, so that others get their turn. */
const PAGES_PER_ROUND_MAX = 4;
/** Write conflicts tolerated on one schedule: dreams of the round that end also write it. */
const WRITE_TRIES_MAX = 64;

type Ports = Pick<DreamPorts, 'store' | 'platform' | 'calendar' | 'metrics'>;

/** Returns how many dreams were started. */
export async function startDueDreams(
  ports: Ports,
  runs: Pick<DreamRuns, 'start'>,
): Promise<{ readonly started: number }> {
  const { store, platform } = ports;
  const now = platform.clock();
  const due = await store.dreamSchedules.due({ now, limit: SCHEDULES_PER_TICK_MAX });
  const left = { pages: PAGES_PER_TICK_MAX };
  let started = 0;
  for (const schedule of due) {
    if (left.pages <= 0) break;
    try {
      started += await workOff({ ...ports, runs, left }, schedule, now);
    } catch (error) {
      const { tenant, name: dream } = schedule;
      platform.log.warn({ tenant, dream, error }, 'dreams not started; the next tick retries');
    }
  }
  return { started };
}

type RoundPorts = Ports & {
  readonly runs: Pick<DreamRuns, 'start'>;
  /** Work that the tick may still do. */
  readonly left: { pages: number };
};

/** A schedule whose round has begun. */
type Begun = DreamSchedule & { readonly startedAfter: string; readonly last: DreamRound };

async function workOff(ports: RoundPorts, schedule: DreamSchedule, now: number): Promise<number> {
  const { dreamSchedules, policies } = ports.store;
  const open = await closeRound(ports, schedule, now);
  if (open === null || (dueAtOf(open) ?? Infinity) > now) return 0;
  const policy = await policyToRefreshBy(policies, schedule.tenant);
  const dreams = policy?.dreams ?? [];
  const dream = dreams.find(({ name }) => name === schedule.name);
  if (dream === undefined) {
    // The tenant was released or is no longer declared; its next declaration sets the time.
    await dreamSchedules.put(roundLeftOut(open, null, now));
    return 0;
  }
  const leastIntervalMs = policy?.leastIntervalMs;
  const begun = await beginRound(ports, { schedule: open, dream, leastIntervalMs, now });
  return begun === null ? 0 : startSubjects(ports, begun, dreams);
}

interface BeginningRound {
  readonly schedule: DreamSchedule;
  readonly dream: DreamPolicy;
  /** The platform's minimum interval between rounds. */
  readonly leastIntervalMs: number | undefined;
  readonly now: number;
}

/** Null if another tick began the round. */
async function beginRound(
  { store, calendar }: Ports,
  { schedule, dream, leastIntervalMs, now }: BeginningRound,
): Promise<Begun | null> {
  if (isBegun(schedule)) return schedule;
  const { nextAt } = schedule;
  if (nextAt === null) return null;
  const spaced = spacedAfter({ at: nextAt }, leastIntervalMs);
  const following = calendar.nextTime(dream.cron, dream.timeZone, Math.max(now, spaced));
  const begun = roundBegun({ ...schedule, nextAt }, following);
  return (await store.dreamSchedules.put(begun)) && isBegun(begun) ? begun : null;
}

function isBegun(schedule: DreamSchedule): schedule is Begun {
  return schedule.startedAfter !== null && schedule.last !== null;
}

async function startSubjects(
  ports: RoundPorts,
  begun: Begun,
  dreams: readonly DreamPolicy[],
): Promise<number> {
  const { store, left } = ports;
  let schedule: Begun | null = begun;
  let started = 0;
  for (let page = 0; page < PAGES_PER_ROUND_MAX && left.pages > 0; page += 1) {
    left.pages -= 1;
    const after: string = schedule.startedAfter;
    const query = { after, limit: SUBJECTS_PER_PAGE, hasNew: true };
    const records = await store.subjects.list(schedule.tenant, query);
    let count = 0;
    for (const record of records) {
      if (isOfRound(record, begun, dreams) && (await start(ports, schedule, record))) count += 1;
    }
    started += count;
    const isLast = records.length < SUBJECTS_PER_PAGE;
    const reached = isLast ? null : (records.at(-1)?.subject ?? null);
    schedule = await remember(ports, schedule, { after: reached, started: count });
    if (schedule === null) break;
  }
  return started;
}

/** A subject that several DeepDreams name takes part in the rounds of only one. */
function isOfRound(
  { subject }: SubjectRecord,
  { name }: Begun,
  dreams: readonly DreamPolicy[],
): boolean {
  const known = subjectOfKey(subject);
  return known !== null && dreamOfSubject(dreams, known)?.name === name;
}

/** Whether a dream of the round was started, now or by a tick that died. */
async function start(
  { runs, platform }: RoundPorts,
  { tenant, name, last: { at } }: Begun,
  { subjectId, last }: SubjectRecord,
): Promise<boolean> {
  const dreamId = roundDreamId(platform.digest, { tenant, name, at, subjectId });
  if (last?.dreamId === dreamId) return true;
  const round = { dream: name, at };
  try {
    const outcome = await runs.start({ tenant, subjectId, dreamId, round, lookbackDays: null });
    return outcome === 'Started';
  } catch (error) {
    platform.log.warn({ tenant, subjectId, error }, 'dream not started; the next round retries');
    return false;
  }
}

/** Records a page. Null if all subjects were looked at, or another tick continues with them. */
async function remember(
  { store, platform }: Ports,
  begun: Begun,
  page: { readonly after: string | null; readonly started: number },
): Promise<Begun | null> {
  let schedule: DreamSchedule | null = begun;
  for (let tries = 0; tries < WRITE_TRIES_MAX; tries += 1) {
    if (schedule === null || !isBegun(schedule)) return null;
    if (schedule.startedAfter !== begun.startedAfter || schedule.last.at !== begun.last.at) {
      return null;
    }
    const next: DreamSchedule = subjectsStarted(schedule, { ...page, now: platform.clock() });
    if (await store.dreamSchedules.put(next)) return isBegun(next) ? next : null;
    schedule = await store.dreamSchedules.get(begun.tenant, begun.name);
  }
  return null;
}

/**
 * Closes a round and counts its missing dreams. One compare-and-set, so only one of two ticks
 * counts them.
 * @param now milliseconds since the epoch
 * @returns the schedule to continue with, unchanged if there is nothing to close; null if somebody
 * else wrote it meanwhile
 */
async function closeRound(
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
  platform.log.warn(found, 'dreams did not report their end; counted as failed');
  return closed.schedule;
}
