/**
 * Keeps the schedules of an installation as declared.
 *
 * Flow, for each: describe → if absent, create → if another owner or a later term keeps it, leave →
 * if equal, leave → otherwise update with the token of the description, then describe again to
 * verify.
 * Guarantees: if all is as declared, only the term is written, once for each leader. A leader that
 * was suspended cannot change what a later leader has checked: it finds a higher term, or its token
 * is outdated. A schedule that a person paused stays paused. Memos hold the owner and the hash of
 * the declaration, which tells a change by another process (drift) from a change of the
 * declaration. A schedule without an owner is taken over: its id is ours. Not all servers can
 * change the memo of a schedule, so the notes are also in the memo of the runs that it starts.
 * The server does not guarantee that an update with an outdated token fails. It may just have no
 * effect, so the schedule is read back. A deleted schedule keeps no term: an earlier leader may
 * create it again with its own declaration, and the later leader's next check corrects that.
 */
import { VarveError } from '#core/errors.ts';
import type {
  InstallationSchedules,
  ScheduleOutcome,
  SearchAttributesOutcome,
} from '#core/ports/installation-schedules.ts';
import {
  scheduleOf,
  type DeclaredSchedule,
  type Memo,
  type Schedule,
} from './schedule-definitions.ts';
import { isNotFound, isNotOffered, isRace, rpcFailure } from './rpc-failure.ts';
import { ensureSearchAttributes } from './search-attributes.ts';
import type { Connection } from '@temporalio/client';
import { defaultPayloadConverter, type Payload } from '@temporalio/common';
import { optionalTsToMs } from '@temporalio/common/lib/time.js';
import { hash, randomUUID } from 'node:crypto';

/**
 * What Varve notes in a schedule: its owner, the declaration, and the term. They are in the memo of
 * the runs that it starts, since not all servers can change the schedule's own.
 */
interface Notes {
  /** Id of this installation. */
  readonly owner: string;
  /** Hash of the declaration. */
  readonly hash: string;
  /** Term of the leader that kept it last; `NO_TERM` without leaders. */
  readonly term: number;
}

/** Lower than every leader's term. */
const NO_TERM = 0;

const OWNER = 'varveOwner';
const HASH = 'varveHash';
const TERM = 'varveTerm';

function memoOf({ owner, hash, term }: Notes): Memo {
  const texts = {
    [OWNER]: owner,
    [HASH]: hash,
    ...(term === NO_TERM ? {} : { [TERM]: String(term) }),
  };
  const fields = Object.entries(texts).map(
    ([name, text]) => [name, defaultPayloadConverter.toPayload(text)] as const,
  );
  return { fields: Object.fromEntries(fields) };
}

/** Reads the notes of the last write; the schedule's own memo is from its creation. */
function notesOf({ schedule, memo }: { schedule: Schedule; memo: Memo | null }) {
  const ofRuns = memoOfRuns(schedule);
  return {
    owner: textIn(ofRuns, OWNER) ?? textIn(memo, OWNER),
    hash: textIn(ofRuns, HASH),
    term: termIn(ofRuns),
  };
}

/** Whether its runs carry exactly these notes. */
function hasNotes(schedule: Schedule, { owner, hash, term }: Notes): boolean {
  const memo = memoOfRuns(schedule);
  return textIn(memo, OWNER) === owner && textIn(memo, HASH) === hash && termIn(memo) === term;
}

function memoOfRuns({ action }: Schedule): Memo | null {
  return action?.startWorkflow?.memo ?? null;
}

/** Returns `NO_TERM` if it is not a number: anybody in the namespace can change a memo. */
function termIn(memo: Memo | null): number {
  const term = Number(textIn(memo, TERM) ?? NO_TERM);
  return Number.isSafeInteger(term) ? term : NO_TERM;
}

function textIn(memo: Memo | null, name: string): string | null {
  const payload = memo?.fields?.[name];
  return payload == null ? null : payloadText(payload);
}

/** Timeout of a whole check; the server answers each call in milliseconds. */
const ENSURE_MS_MAX = 30_000;
/** Maximum conflicts with another writer of the same schedule. */
const TRIES_MAX = 3;

/** The parts of a connection that this file uses. */
type SchedulesConnection = Pick<Connection, 'workflowService' | 'operatorService' | 'withDeadline'>;

interface InstallationSchedulesOptions {
  readonly connection: SchedulesConnection;
  readonly namespace: string;
  /** Id of this installation; unique within a shared Temporal namespace. */
  readonly owner: string;
  readonly schedules: readonly DeclaredSchedule[];
  readonly searchAttributes: Readonly<Record<string, string>>;
}

export function createInstallationSchedules(
  options: InstallationSchedulesOptions,
): InstallationSchedules {
  const { connection } = options;
  return {
    async ensure(term = NO_TERM) {
      try {
        return await connection.withDeadline(Date.now() + ENSURE_MS_MAX, async () => {
          const outcomes = await ensureAll({ ...options, term });
          return { schedules: outcomes, searchAttributes: await attributesOf(options) };
        });
      } catch (error) {
        throw rpcFailure(error, 'keep its schedules');
      }
    },
  };
}

interface Ensuring extends InstallationSchedulesOptions {
  readonly term: number;
}

/**
 * Checks all schedules; one that somebody else keeps changing does not block the others.
 * @throws VarveError CONFLICT for the first such schedule, after all were checked
 */
async function ensureAll(options: Ensuring): Promise<ScheduleOutcome[]> {
  const outcomes: ScheduleOutcome[] = [];
  const contested: VarveError[] = [];
  for (const declared of options.schedules) {
    try {
      outcomes.push(await ensureOne(options, declared));
    } catch (error) {
      if (!(error instanceof VarveError) || error.code !== 'CONFLICT') throw error;
      contested.push(error);
    }
  }
  const [first] = contested;
  if (first !== undefined) throw first;
  return outcomes;
}

/** Registers the attributes that runs need; some servers leave that to a person or a program. */
async function attributesOf({
  connection,
  namespace,
  searchAttributes,
}: InstallationSchedulesOptions): Promise<SearchAttributesOutcome> {
  try {
    return await ensureSearchAttributes(connection, namespace, searchAttributes);
  } catch (error) {
    if (!isNotOffered(error)) throw error;
    const attributes = Object.entries(searchAttributes).map(([name, type]) => `${name} (${type})`);
    const finding =
      'Temporal does not let Varve look at its search attributes; make sure that these are ' +
      `registered: ${attributes.join(', ')}`;
    return { added: [], conflicting: [finding] };
  }
}

async function ensureOne(options: Ensuring, declared: DeclaredSchedule): Promise<ScheduleOutcome> {
  let cause: unknown;
  for (let tries = 0; tries < TRIES_MAX; tries += 1) {
    try {
      const outcome = await tryOne(options, declared);
      if (outcome !== null) return outcome;
    } catch (error) {
      if (!isRace(error)) throw error;
      cause = error;
    }
  }
  const message = `Another process keeps changing the schedule ${declared.id}; find and stop it.`;
  throw new VarveError('CONFLICT', message, { details: { schedule: declared.id }, cause });
}

/** Null if another writer was faster. */
async function tryOne(
  options: Ensuring,
  declared: DeclaredSchedule,
): Promise<ScheduleOutcome | null> {
  const { id } = declared;
  const { owner, term } = options;
  const reading = scheduleReading(scheduleOf(declared));
  const notes: Notes = { owner, hash: hash('sha256', reading, 'hex'), term };
  const found = await describe(options, id);
  if (found === null) {
    await create(options, { declared, memo: memoOf(notes) });
    return { kind: 'Created', schedule: id };
  }
  const noted = notesOf(found);
  if (noted.owner !== null && noted.owner !== owner) {
    return { kind: 'Foreign', schedule: id, owner: noted.owner };
  }
  if (noted.term > term) return { kind: 'Fenced', schedule: id, term: noted.term };
  const { schedule } = found;
  const kept = { kind: 'Kept', schedule: id, isPaused: schedule.state?.paused ?? false } as const;
  const isAsDeclared = (now: Schedule) => scheduleReading(now) === reading;
  if (isAsDeclared(schedule) && hasNotes(schedule, notes)) return kept;
  await update(options, { declared, memo: memoOf(notes), found });
  const after = await describe(options, id);
  const isTaken = after !== null && isAsDeclared(after.schedule) && hasNotes(after.schedule, notes);
  if (!isTaken) return null;
  // Only the term is new: another leader checked it.
  if (isAsDeclared(schedule) && hasNotes(schedule, { ...notes, term: noted.term })) return kept;
  const isDrift = noted.hash === notes.hash && !isAsDeclared(schedule);
  return { kind: 'Corrected', schedule: id, cause: isDrift ? 'Drift' : 'Declaration' };
}

interface Described {
  readonly schedule: Schedule;
  readonly conflictToken: Uint8Array;
  readonly memo: Memo | null;
}

async function describe(
  { connection, namespace }: InstallationSchedulesOptions,
  scheduleId: string,
): Promise<Described | null> {
  try {
    const answer = await connection.workflowService.describeSchedule({ namespace, scheduleId });
    const { schedule, conflictToken, memo } = answer;
    return { schedule: schedule ?? {}, conflictToken, memo: memo ?? null };
  } catch (error) {
    if (isNotFound(error)) return null;
    throw error;
  }
}

interface ToWrite {
  readonly declared: DeclaredSchedule;
  readonly memo: Memo;
}

async function create(
  { connection, namespace, owner }: InstallationSchedulesOptions,
  { declared, memo }: ToWrite,
): Promise<void> {
  await connection.workflowService.createSchedule({
    namespace,
    scheduleId: declared.id,
    requestId: randomUUID(),
    identity: owner,
    schedule: scheduleOf(declared, memo),
    memo,
  });
}

async function update(
  { connection, namespace, owner }: InstallationSchedulesOptions,
  { declared, memo, found }: ToWrite & { readonly found: Described },
): Promise<void> {
  await connection.workflowService.updateSchedule({
    namespace,
    scheduleId: declared.id,
    requestId: randomUUID(),
    identity: owner,
    // Keep what people set, since an update replaces everything.
    schedule: { ...scheduleOf(declared, memo), state: found.schedule.state ?? null },
    conflictToken: found.conflictToken,
  });
}

/**
 * Returns what a schedule does as a text that is equal for equal schedules, since the server
 * changes the form of what it receives. Pure. It leaves out what people may set (paused, notes,
 * remaining runs).
 */
export function scheduleReading({ spec, action, policies }: Schedule): string {
  const start = action?.startWorkflow;
  return JSON.stringify({
    intervals: (spec?.interval ?? []).map(({ interval, phase }) => ({
      everyMs: optionalTsToMs(interval) ?? 0,
      phaseMs: optionalTsToMs(phase) ?? 0,
    })),
    // Fields that are never declared, so that any addition counts as a difference.
    calendars: sizeOf(spec?.structuredCalendar) + sizeOf(spec?.calendar) + sizeOf(spec?.cronString),
    exceptions: sizeOf(spec?.excludeStructuredCalendar) + sizeOf(spec?.excludeCalendar),
    from: optionalTsToMs(spec?.startTime) ?? null,
    to: optionalTsToMs(spec?.endTime) ?? null,
    jitterMs: optionalTsToMs(spec?.jitter) ?? 0,
    timeZone: spec?.timezoneName ?? '',
    workflowType: start?.workflowType?.name ?? '',
    workflowId: start?.workflowId ?? '',
    taskQueue: start?.taskQueue?.name ?? '',
    timeoutMs: optionalTsToMs(start?.workflowExecutionTimeout) ?? 0,
    runTimeoutMs: optionalTsToMs(start?.workflowRunTimeout) ?? 0,
    inputs: sizeOf(start?.input?.payloads),
    summary: summaryOf(start?.userMetadata?.summary),
    overlap: policies?.overlapPolicy ?? 0,
    catchupMs: optionalTsToMs(policies?.catchupWindow) ?? 0,
    pauseOnFailure: policies?.pauseOnFailure ?? false,
  });
}

function sizeOf(list: readonly unknown[] | null | undefined): number {
  return list?.length ?? 0;
}

function summaryOf(payload: Payload | null | undefined): string {
  return payload == null ? '' : (payloadText(payload) ?? 'not a text');
}

/** Null if it is not a text; a payload of another writer may be anything. */
function payloadText(payload: Payload): string | null {
  try {
    const value: unknown = defaultPayloadConverter.fromPayload(payload);
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
}
