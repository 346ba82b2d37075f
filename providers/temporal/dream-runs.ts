/** Runs of the workflows of dreams: how they are started. */
import { WorkflowNotFoundError, type Client } from '@temporalio/client';
import { TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import {
  applyDreamWorkflowId,
  dreamWorkflowId,
  type ApplyDreamInput,
  type DreamInput,
} from '#core/dreams/dream-contract.ts';
import type { DreamRuns } from '#core/ports/dream-runs.ts';
import { DREAM_MS_MAX } from '#core/records/dream-schedule.ts';
import { ONE_OPEN_RUN, startedRun } from './started-run.ts';

export function createDreamRuns(client: Client): DreamRuns {
  return {
    start: async (input) => {
      const options = dreamOptions(input);
      const start = () => client.workflow.start('dream', options);
      const isStarted = await startedRun(client, start, 'start a dream');
      if (isStarted) return 'Started';
      // A start that is repeated meets its own run.
      return (await dreamOf(client, input)) === input.dreamId ? 'Started' : 'Running';
    },
    apply: async (input) => {
      const options = applyOptions(input);
      const start = () => client.workflow.start('applyDream', options);
      const isStarted = await startedRun(client, start, 'start a dream');
      return isStarted ? 'Started' : 'Running';
    },
  };
}

const OPTIONS = {
  ...ONE_OPEN_RUN,
  taskQueue: TASK_QUEUE,
  // A run that hangs must not keep the next out.
  workflowExecutionTimeout: DREAM_MS_MAX,
};

function dreamOptions(input: DreamInput) {
  const { tenant, dreamId } = input;
  return {
    ...OPTIONS,
    workflowId: dreamWorkflowId(input),
    args: [input] as [DreamInput],
    memo: { dreamId },
    staticSummary: `Dream of a subject of tenant ${tenant}`,
    staticDetails:
      'Reads MEMORY.md and daily files, and writes MEMORY.md anew. May be terminated: what is ' +
      'owed lies in the store.',
    priority: { fairnessKey: tenant },
  };
}

function applyOptions(input: ApplyDreamInput) {
  return {
    ...OPTIONS,
    workflowId: applyDreamWorkflowId(input),
    args: [input] as [ApplyDreamInput],
    staticSummary: `Application of a proposal of tenant ${input.tenant}`,
    staticDetails: 'Writes what a person approved. May be terminated, and started again.',
    priority: { fairnessKey: input.tenant },
  };
}

/** The dream that the last run of a subject is; null where there is none any more. */
async function dreamOf(client: Client, input: DreamInput): Promise<unknown> {
  try {
    const { memo } = await client.workflow.getHandle(dreamWorkflowId(input)).describe();
    return memo?.['dreamId'] ?? null;
  } catch (error) {
    if (error instanceof WorkflowNotFoundError) return null;
    throw error;
  }
}
