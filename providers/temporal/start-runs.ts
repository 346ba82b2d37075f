/** Starts runs of workflows for callers: dreams, compactions, flushes, erasures. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Client,
  ServiceError,
  WorkflowExecutionAlreadyStartedError,
} from '@temporalio/client';
import protocol from '@temporalio/proto';
import {
  type ApplyDreamInput,
  applyDreamWorkflowId,
  type DreamInput,
  dreamWorkflowId,
} from '#core/dreams/dream-contract.ts';
import { backoffDelay } from '#core/exponential-delay.ts';
import {
  type EraseRunInput,
  eraseWorkflowId,
  isIdle,
  lastProgress,
  type RunObservation,
} from '#core/erasure/erase-run.ts';
import { type FlushInput, flushWorkflowId } from '#core/flush/flush-contract.ts';
import type { CompactionRun, CompactionRuns, CompactionTotals } from '#core/ports/compactions.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import type { EraseInput, ErasureRuns } from '#core/ports/erasure-runs.ts';
import type { FlushRuns } from '#core/ports/flush-runs.ts';
import { DREAM_MS_MAX } from '#core/records/dream-schedule.ts';
import { TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import {
  type CompactInput,
  COMPACTION_SETTINGS,
  type CompactionSettings,
  compactWorkflowId,
} from '#core/retention/retention-contract.ts';
import { foundRun, rpcFailure } from './rpc-failure.ts';

// Starts workflows that have at most one open run at a time.

/** A caller waits at most this long for an answer; pending work is in the store. */
export const START_DEADLINE_MS = 5_000;

/** The part of a client used here; tests simulate a server that hangs. */
export type RunStarting = Pick<Client, 'withDeadline'>;

/** An open run continues, and another one is refused. */
const ONE_OPEN_RUN = {
  workflowIdConflictPolicy: 'FAIL',
  workflowIdReusePolicy: 'ALLOW_DUPLICATE',
} as const;

/**
 * Starts a run unless one is open already.
 * @param doing what is being started, e.g. `start a dream`
 * @throws VarveError PROVIDER_ERROR, or TIMEOUT if the server does not answer, or its refusal
 */
export async function startedRun(
  client: RunStarting,
  start: () => Promise<unknown>,
  doing: string,
): Promise<'Started' | 'Running'> {
  try {
    await client.withDeadline(Date.now() + START_DEADLINE_MS, start);
    return 'Started';
  } catch (error) {
    if (error instanceof WorkflowExecutionAlreadyStartedError) return 'Running';
    throw rpcFailure(error instanceof ServiceError ? error.cause : error, doing);
  }
}

/** Options of a run of a tenant: its input, how people find it, and what names its workflow. */
function runOptions<Input extends { readonly tenant: string }>(
  input: Input,
  own: { workflowId: string; staticSummary: string; staticDetails: string },
) {
  const { tenant } = input;
  const args = [input] as [Input];
  return {
    ...ONE_OPEN_RUN,
    taskQueue: TASK_QUEUE,
    args,
    ...own,
    priority: { fairnessKey: tenant },
  };
}

export function createDreamRuns(client: Client): DreamRuns {
  return {
    start: async (input) => {
      const options = dreamOptions(input);
      const start = () => client.workflow.start('dream', options);
      const started = await startedRun(client, start, 'start a dream');
      if (started === 'Started') return started;
      // A repeated start finds its own run.
      return (await dreamOf(client, input)) === input.dreamId ? 'Started' : 'Running';
    },
    apply: (input) => {
      const start = () => client.workflow.start('applyDream', applyOptions(input));
      return startedRun(client, start, 'start a dream');
    },
  };
}

function dreamOptions(input: DreamInput) {
  const options = runOptions(input, {
    workflowId: dreamWorkflowId(input),
    staticSummary: `Dream of a subject of tenant ${input.tenant}`,
    staticDetails:
      'Reads MEMORY.md and daily files, and rewrites MEMORY.md. May be terminated: pending ' +
      'work is in the store.',
  });
  // A run that hangs must not block the next one forever.
  return { ...options, memo: { dreamId: input.dreamId }, workflowExecutionTimeout: DREAM_MS_MAX };
}

function applyOptions(input: ApplyDreamInput) {
  const options = runOptions(input, {
    workflowId: applyDreamWorkflowId(input),
    staticSummary: `Application of a proposal of tenant ${input.tenant}`,
    staticDetails: 'Writes what a person approved. May be terminated, and started again.',
  });
  return { ...options, workflowExecutionTimeout: DREAM_MS_MAX };
}

/** Returns the dream id of a subject's last run; null if the server no longer has one. */
async function dreamOf(client: Client, input: DreamInput): Promise<unknown> {
  const run = client.workflow.getHandle(dreamWorkflowId(input));
  return (await foundRun(() => run.describe()))?.memo?.['dreamId'] ?? null;
}

/**
 * Timeout of a run and those that continue it, in milliseconds: a run that hangs must not block the
 * next one forever. A million sessions take less than a day; the next run takes the rest.
 */
const COMPACTION_MS_MAX = 86_400_000;

/** Statuses of a run that has not ended, or that another run continues. */
const GOING_ON: ReadonlySet<string> = new Set(['RUNNING', 'CONTINUED_AS_NEW', 'PAUSED']);

export interface StartedCompactions extends CompactionRuns {
  /** Waits for the open or last run; null if there never was one. */
  settled(tenant: string): Promise<CompactionTotals | null>;
}

/** Creates the starter of compaction runs, which can also wait for them. */
export function createCompactionRuns(
  client: Client,
  settings: CompactionSettings = COMPACTION_SETTINGS,
): StartedCompactions {
  return {
    start: async (tenant) => {
      const start = () => client.workflow.start('compact', compactionOptions(tenant, settings));
      const started = await startedRun(client, start, 'start a compaction');
      return started === 'Started' ? started : 'UnderWay';
    },
    last: (tenant) => foundRun(async () => lastRun(client, tenant)),
    settled: (tenant) => foundRun(async () => resultOf(client, tenant)),
  };
}

async function lastRun(client: Client, tenant: string): Promise<CompactionRun> {
  const { status } = await client.workflow.getHandle(compactWorkflowId(tenant)).describe();
  if (status.name === 'COMPLETED') return { state: 'Done', totals: await resultOf(client, tenant) };
  return { state: GOING_ON.has(status.name) ? 'UnderWay' : 'Failed' };
}

async function resultOf(client: Client, tenant: string): Promise<CompactionTotals> {
  const handle = client.workflow.getHandle(compactWorkflowId(tenant));
  return (await handle.result()) as CompactionTotals;
}

function compactionOptions(tenant: string, settings: CompactionSettings) {
  const input: CompactInput = { tenant, settings };
  const options = runOptions(input, {
    workflowId: compactWorkflowId(tenant),
    staticSummary: `Compaction of tenant ${tenant}`,
    staticDetails: 'Takes the text of turns past their retention time. May be terminated.',
  });
  return { ...options, workflowExecutionTimeout: COMPACTION_MS_MAX };
}

/** A run that hangs must not block the next one forever. */
const FLUSH_MS_MAX = 3_600_000;

export function createFlushRuns(client: Client): FlushRuns {
  return {
    start: (input) =>
      startedRun(
        client,
        () => client.workflow.start('flushSession', flushOptions(input)),
        'start a flush',
      ),
  };
}

function flushOptions(input: FlushInput) {
  const options = runOptions(input, {
    workflowId: flushWorkflowId(input),
    staticSummary: `Flush of a session of tenant ${input.tenant}`,
    staticDetails:
      'Stores lasting statements of turns, and appends to the daily file. May be terminated: ' +
      'pending work is in the store.',
  });
  return { ...options, workflowExecutionTimeout: FLUSH_MS_MAX };
}

/** Intervals between checks of an awaited run: short at first, since most erasures are short. */
const POLL_DELAY = { firstMs: 50, mostMs: 1_000 } as const;
/** Maximum checks, longer than an activity of an erasure; then the caller stops waiting. */
const POLLS_MAX = 30_000;

/** Creates the starter of erasure runs, which can also wait for them. */
export function createErasureRuns(client: Client): ErasureRuns {
  return {
    start: (input) => {
      const start = () => client.workflow.start('erase', eraseOptions(input));
      return startedRun(client, start, 'start an erasure');
    },
    settled: (input) => hasErased(client, input),
  };
}

/** No timeout: the workflow runs until the erasure has its receipt. */
function eraseOptions({ tenant, requestId }: EraseInput) {
  const input: EraseRunInput = { tenant, requestId };
  return runOptions(input, {
    workflowId: eraseWorkflowId(input),
    staticSummary: `Erasure in tenant ${tenant}`,
    staticDetails:
      'Erases for good, and leaves a receipt. May be terminated: the request is in the store, ' +
      'and the tick of retention starts it again.',
  });
}

async function hasErased(client: Client, input: EraseInput): Promise<boolean> {
  let moved: RunObservation | null = null;
  for (let polls = 1; polls <= POLLS_MAX; polls += 1) {
    const { status, observation } = await describeEraseRun(client, input);
    if (status === 'COMPLETED') return true;
    moved = lastProgress(moved, observation);
    if (!GOING_ON.has(status) || isIdle(moved, observation.at)) return false;
    await sleep(backoffDelay(polls, POLL_DELAY));
  }
  return false;
}

async function describeEraseRun(client: Client, input: EraseInput) {
  const handle = client.workflow.getHandle(eraseWorkflowId(input));
  const describe = () => handle.describe();
  const run = await client.withDeadline(Date.now() + START_DEADLINE_MS, describe);
  const { PENDING_ACTIVITY_STATE_STARTED: started } =
    protocol.temporal.api.enums.v1.PendingActivityState;
  const isAtWork = (run.raw.pendingActivities ?? []).some(({ state }) => state === started);
  const observation: RunObservation = { at: Date.now(), events: run.historyLength, isAtWork };
  return { status: run.status.name, observation };
}
