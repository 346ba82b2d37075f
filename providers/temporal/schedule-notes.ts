/**
 * What Varve notes beside a schedule: whose it is, what was declared, and in which term. Pure. They
 * stand in the memo of the runs that it starts, since its own can't be changed on all servers.
 */
import { defaultPayloadConverter } from '@temporalio/common';
import type { Memo, Schedule } from './declared-schedules.ts';
import { payloadText } from './schedule-reading.ts';

export interface Notes {
  /** Who this installation is. */
  readonly owner: string;
  /** Of what was declared. */
  readonly hash: string;
  /** Of the leader who kept it last; `NO_TERM` where there are no leaders. */
  readonly term: number;
}

/** Below that of every leader. */
export const NO_TERM = 0;

const OWNER = 'varveOwner';
const HASH = 'varveHash';
const TERM = 'varveTerm';

export function memoOf({ owner, hash, term }: Notes): Memo {
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

/** What was noted when it was written last; the memo of the schedule itself is of its making. */
export function notesOf({ schedule, memo }: { schedule: Schedule; memo: Memo | null }) {
  const ofRuns = memoOfRuns(schedule);
  return {
    owner: textIn(ofRuns, OWNER) ?? textIn(memo, OWNER),
    hash: textIn(ofRuns, HASH),
    term: termIn(ofRuns),
  };
}

/** Whether its runs carry exactly these. */
export function hasNotes(schedule: Schedule, { owner, hash, term }: Notes): boolean {
  const memo = memoOfRuns(schedule);
  return textIn(memo, OWNER) === owner && textIn(memo, HASH) === hash && termIn(memo) === term;
}

function memoOfRuns({ action }: Schedule): Memo | null {
  return action?.startWorkflow?.memo ?? null;
}

/** None where there is no number: a memo is open to whoever may write to the namespace. */
function termIn(memo: Memo | null): number {
  const term = Number(textIn(memo, TERM) ?? NO_TERM);
  return Number.isSafeInteger(term) ? term : NO_TERM;
}

function textIn(memo: Memo | null, name: string): string | null {
  const payload = memo?.fields?.[name];
  return payload == null ? null : payloadText(payload);
}
