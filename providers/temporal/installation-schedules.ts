/**
 * Keeps the schedules of an installation as they are declared.
 *
 * Flow, for each: describe → absent: create → of another owner: leave → equal: leave → else update
 * with the token of the description, then describe again to see that it took.
 * Guarantees: nothing is written where all is as declared. A schedule that a person paused stays
 * paused. Memos name the owner and the hash of what was declared, so that a change by another
 * (drift) is told from a change of ours. A schedule without an owner is of a Varve before owners
 * were written, and is taken over: its id is ours. The memo of a schedule can't be changed on all
 * servers, so both also stand in the memo of the runs that it starts, which can.
 * Not guaranteed by the server: that an update with an outdated token is an error. It may only be
 * without effect, which is why it is read back.
 */
import { hash, randomUUID } from 'node:crypto';
import type { Connection } from '@temporalio/client';
import { defaultPayloadConverter } from '@temporalio/common';
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
} from './declared-schedules.ts';
import { isNotFound, isNotOffered, isRace, rpcFailure } from './rpc-failure.ts';
import { payloadText, scheduleReading } from './schedule-reading.ts';
import { ensureSearchAttributes } from './search-attributes.ts';

/** All of one look; the server answers each call in milliseconds. */
const ENSURE_MS_MAX = 30_000;
/** Another that changes the same schedule at the same moment is met at most this often. */
const TRIES_MAX = 3;

const OWNER_MEMO = 'varveOwner';
const HASH_MEMO = 'varveHash';

export interface InstallationSchedulesOptions {
  readonly connection: Connection;
  readonly namespace: string;
  /** Who this installation is; different for each that may share a Temporal namespace. */
  readonly owner: string;
  readonly schedules: readonly DeclaredSchedule[];
  readonly searchAttributes: Readonly<Record<string, string>>;
}

export function createInstallationSchedules(
  options: InstallationSchedulesOptions,
): InstallationSchedules {
  const { connection } = options;
  return {
    async ensure() {
      try {
        return await connection.withDeadline(Date.now() + ENSURE_MS_MAX, async () => {
          const outcomes = await ensureAll(options);
          return { schedules: outcomes, searchAttributes: await attributesOf(options) };
        });
      } catch (error) {
        throw rpcFailure(error, 'keep its schedules');
      }
    },
  };
}

/**
 * One that something else keeps changing holds up none of the others.
 * @throws VarveError CONFLICT for the first such one, once all were looked at
 */
async function ensureAll(options: InstallationSchedulesOptions): Promise<ScheduleOutcome[]> {
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

/** Some servers leave attributes to a person or a program of their own; runs need them to start. */
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
      'Temporal does not let Varve look at its search attributes; see to it that these are ' +
      `registered: ${attributes.join(', ')}`;
    return { added: [], conflicting: [finding] };
  }
}

async function ensureOne(
  options: InstallationSchedulesOptions,
  declared: DeclaredSchedule,
): Promise<ScheduleOutcome> {
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
  const message = `Something else keeps changing the schedule ${declared.id}; find out what does.`;
  throw new VarveError('CONFLICT', message, { details: { schedule: declared.id }, cause });
}

/** Null where another was quicker. */
async function tryOne(
  options: InstallationSchedulesOptions,
  declared: DeclaredSchedule,
): Promise<ScheduleOutcome | null> {
  const { id } = declared;
  const { owner } = options;
  const reading = scheduleReading(scheduleOf(declared));
  const memo = memoOf({ owner, hash: hash('sha256', reading, 'hex') });
  const found = await describe(options, id);
  if (found === null) {
    await create(options, { declared, memo });
    return { kind: 'Created', schedule: id };
  }
  const noted = notesOf(found);
  if (noted.owner !== null && noted.owner !== owner) {
    return { kind: 'Foreign', schedule: id, owner: noted.owner };
  }
  const { schedule } = found;
  if (isAsWanted(schedule, { reading, memo })) {
    return { kind: 'Kept', schedule: id, isPaused: schedule.state?.paused ?? false };
  }
  await update(options, { declared, memo, found });
  const after = await describe(options, id);
  if (after === null || !isAsWanted(after.schedule, { reading, memo })) return null;
  const wasOurs = noted.hash === textIn(memo, HASH_MEMO) && scheduleReading(schedule) !== reading;
  return { kind: 'Mended', schedule: id, cause: wasOurs ? 'Drift' : 'Declaration' };
}

interface Wanted {
  readonly reading: string;
  readonly memo: Memo;
}

function isAsWanted(schedule: Schedule, { reading, memo }: Wanted): boolean {
  const found = schedule.action?.startWorkflow?.memo;
  const isNoted = [OWNER_MEMO, HASH_MEMO].every(
    (name) => textIn(found, name) === textIn(memo, name),
  );
  return isNoted && scheduleReading(schedule) === reading;
}

/** What we noted when it was written last; the memo of the schedule itself is of its making. */
function notesOf({ schedule, memo }: Described): { owner: string | null; hash: string | null } {
  const ofRuns = schedule.action?.startWorkflow?.memo;
  return {
    owner: textIn(ofRuns, OWNER_MEMO) ?? textIn(memo, OWNER_MEMO),
    hash: textIn(ofRuns, HASH_MEMO),
  };
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
    // What people set stays as it is: an update replaces all of it.
    schedule: { ...scheduleOf(declared, memo), state: found.schedule.state ?? null },
    conflictToken: found.conflictToken,
  });
}

function memoOf(notes: { readonly owner: string; readonly hash: string }): Memo {
  return {
    fields: {
      [OWNER_MEMO]: defaultPayloadConverter.toPayload(notes.owner),
      [HASH_MEMO]: defaultPayloadConverter.toPayload(notes.hash),
    },
  };
}

function textIn(memo: Memo | null | undefined, name: string): string | null {
  const payload = memo?.fields?.[name];
  return payload == null ? null : payloadText(payload);
}
