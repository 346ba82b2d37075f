/** Runs of the workflow that flushes a session: how they are started. */
import type { Client } from '@temporalio/client';
import { flushWorkflowId, type FlushInput } from '#core/flush/flush-contract.ts';
import type { FlushRuns } from '#core/ports/flush-runs.ts';
import { TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { ONE_OPEN_RUN, startedRun } from './started-run.ts';

/** A run that hangs must not keep the next out. */
const FLUSH_MS_MAX = 3_600_000;

export function createFlushRuns(client: Client): FlushRuns {
  return {
    start: async (input) => {
      const start = () => client.workflow.start('flushSession', startOptions(input));
      const isStarted = await startedRun(client, start, 'start a flush');
      return isStarted ? 'Started' : 'Running';
    },
  };
}

function startOptions(input: FlushInput) {
  return {
    ...ONE_OPEN_RUN,
    workflowId: flushWorkflowId(input),
    taskQueue: TASK_QUEUE,
    args: [input] as [FlushInput],
    workflowExecutionTimeout: FLUSH_MS_MAX,
    staticSummary: `Flush of a session of tenant ${input.tenant}`,
    staticDetails:
      'Keeps what turns say that lasts, and appends to the daily file. May be terminated: what ' +
      'waits lies in the store.',
    priority: { fairnessKey: input.tenant },
  };
}
