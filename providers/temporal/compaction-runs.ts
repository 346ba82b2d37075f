/** Runs of the workflow that takes the text of old turns: how they are started and waited for. */
import type { CompactionTotals } from '#core/ports/compactions.ts';
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import type { CompactionRun, CompactionRuns } from '#core/ports/compactions.ts';
import {
  COMPACTION_SETTINGS,
  compactWorkflowId,
  type CompactInput,
  type CompactionSettings,
} from '#core/retention/retention-contract.ts';
import { ONE_OPEN_RUN, startedRun } from './started-run.ts';

/**
 * A run and those that continue it, in milliseconds: one that hangs must not keep the next out.
 * A million sessions take less than a day, and what is left is the next run's.
 */
const COMPACTION_MS_MAX = 86_400_000;

/** What Temporal calls a run that has not ended, or that another one continues. */
const GOING_ON: ReadonlySet<string> = new Set(['RUNNING', 'CONTINUED_AS_NEW', 'PAUSED']);

export interface StartedCompactions extends CompactionRuns {
  /** Waits for the open or last run; null where there never was one. */
  settled(tenant: string): Promise<CompactionTotals | null>;
}

export function createCompactionRuns(
  client: Client,
  settings: CompactionSettings = COMPACTION_SETTINGS,
): StartedCompactions {
  return {
    start: async (tenant) => {
      const start = () => client.workflow.start('compact', startOptions(tenant, settings));
      const isStarted = await startedRun(client, start, 'start a compaction');
      return isStarted ? 'Started' : 'UnderWay';
    },
    last: (tenant) => found(async () => lastRun(client, tenant)),
    settled: (tenant) => found(async () => resultOf(client, tenant)),
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

/** Null where there never was a run, or where it was long enough ago to be forgotten. */
async function found<T>(ask: () => Promise<T>): Promise<T | null> {
  try {
    return await ask();
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}

/** One open run per tenant: another one is refused. */
function startOptions(tenant: string, settings: CompactionSettings) {
  const input: CompactInput = { tenant, settings };
  return {
    ...ONE_OPEN_RUN,
    workflowId: compactWorkflowId(tenant),
    taskQueue: TASK_QUEUE,
    args: [input] as [CompactInput],
    workflowExecutionTimeout: COMPACTION_MS_MAX,
    staticSummary: `Compaction of tenant ${tenant}`,
    staticDetails: 'Takes the text of turns past their retention time. May be terminated.',
    priority: { fairnessKey: tenant },
  };
}
