/** The schedules of an installation; no tenant has its own. */
import { defaultPayloadConverter } from '@temporalio/common';
import { msToTs } from '@temporalio/common/lib/time.js';
import protocol from '@temporalio/proto';
import { REFRESH_TICK_SCHEDULE, TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { DREAM_TICK_SCHEDULE } from '#core/dreams/dream-contract.ts';
import { FLUSH_TICK_SCHEDULE } from '#core/flush/flush-contract.ts';
import { RETENTION_TICK_SCHEDULE } from '#core/retention/retention-contract.ts';

export type Schedule = protocol.temporal.api.schedule.v1.ISchedule;
export type Memo = protocol.temporal.api.common.v1.IMemo;

export interface DeclaredSchedule {
  readonly id: string;
  readonly workflowType: string;
  /** The server adds the time of each start. */
  readonly workflowId: string;
  readonly everyMs: number;
  /** A start missed by more than this is skipped; the next one makes up for it. */
  readonly catchupMs: number;
  /** A run that hangs must not cause all later runs to be skipped. */
  readonly timeoutMs: number;
  /** One line for people in the UI. */
  readonly summary: string;
}

const TICK_EVERY_MS = 60_000;
const TICK_CATCHUP_MS = 60_000;
const TICK_TIMEOUT_MS = 5 * 60_000;
/** So a turn's age limit in the policy is accurate to an hour. */
const RETENTION_EVERY_MS = 60 * 60_000;
const RETENTION_TIMEOUT_MS = 30 * 60_000;

/**
 * Returns the schedules.
 * @param tickEveryMs interval of the tick; default a minute
 */
export function declaredSchedules(tickEveryMs = TICK_EVERY_MS): readonly DeclaredSchedule[] {
  const tick = { everyMs: tickEveryMs, catchupMs: TICK_CATCHUP_MS, timeoutMs: TICK_TIMEOUT_MS };
  return [
    {
      id: REFRESH_TICK_SCHEDULE,
      workflowType: 'refreshTick',
      workflowId: 'refresh-tick',
      ...tick,
      summary: 'Signals every tenant with something due that no open run may know of',
    },
    {
      id: DREAM_TICK_SCHEDULE,
      workflowType: 'dreamTick',
      workflowId: 'dream-tick',
      ...tick,
      summary: 'Starts the dreams of every DeepDream whose time has come',
    },
    {
      id: FLUSH_TICK_SCHEDULE,
      workflowType: 'flushTick',
      workflowId: 'flush-tick',
      ...tick,
      summary: 'Starts the flushes of sessions that fell silent, and of those whose run was lost',
    },
    {
      id: RETENTION_TICK_SCHEDULE,
      workflowType: 'retentionTick',
      workflowId: 'retention-tick',
      everyMs: RETENTION_EVERY_MS,
      catchupMs: RETENTION_EVERY_MS,
      timeoutMs: RETENTION_TIMEOUT_MS,
      summary: 'Starts a compaction for every tenant with turns past their retention time',
    },
  ];
}

/**
 * Returns a schedule in the server's form; `memo` is the memo of the runs. The paused state is left
 * out, since people set it.
 */
export function scheduleOf(declared: DeclaredSchedule, memo: Memo | null = null): Schedule {
  const { ScheduleOverlapPolicy } = protocol.temporal.api.enums.v1;
  return {
    spec: { interval: [{ interval: msToTs(declared.everyMs) }] },
    action: {
      startWorkflow: {
        workflowId: declared.workflowId,
        workflowType: { name: declared.workflowType },
        taskQueue: { name: TASK_QUEUE },
        workflowExecutionTimeout: msToTs(declared.timeoutMs),
        memo,
        userMetadata: { summary: defaultPayloadConverter.toPayload(declared.summary) },
      },
    },
    policies: {
      overlapPolicy: ScheduleOverlapPolicy.SCHEDULE_OVERLAP_POLICY_SKIP,
      catchupWindow: msToTs(declared.catchupMs),
    },
  };
}
