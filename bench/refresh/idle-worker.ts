/** The worker of the workflow that does nothing, and how to run the workflow. */
import { fileURLToPath } from 'node:url';
import { NativeConnection, Worker } from '@temporalio/worker';
import type { Client } from '@temporalio/client';
import { SILENT_LOG } from '#core/ports/platform.ts';
import { bundleWorkflows } from '#providers/temporal/worker.ts';
import type { IdleActivities } from './idle-workflow.ts';

const WORKFLOW = fileURLToPath(new URL('idle-workflow.ts', import.meta.url));
const QUEUE = 'idle';

const ACTIVITIES: IdleActivities = { nothing: () => Promise.resolve({ done: 1 }) };

export interface IdleWorker extends AsyncDisposable {
  /** Runs the workflow once under this id. */
  run(workflowId: string, batches: number): Promise<void>;
}

export async function startIdleWorker(address: string, client: Client): Promise<IdleWorker> {
  const connection = await NativeConnection.connect({ address });
  const worker = await Worker.create({
    connection,
    taskQueue: QUEUE,
    activities: ACTIVITIES,
    workflowBundle: await bundleWorkflows(WORKFLOW, SILENT_LOG),
  });
  const finished = worker.run();
  return {
    run: async (workflowId, batches) => {
      await client.workflow.execute('idle', { workflowId, taskQueue: QUEUE, args: [{ batches }] });
    },
    [Symbol.asyncDispose]: async () => {
      worker.shutdown();
      await finished;
      await connection.close();
    },
  };
}
