/** Runs of the workflow that changes the embedding model: start, signals and queries. */
import type { Client } from '@temporalio/client';
import { foundRun } from './rpc-failure.ts';
import {
  PAUSE_SIGNAL,
  RESUME_SIGNAL,
  STATUS_QUERY,
  TASK_QUEUE,
} from '#core/refresh/refresh-contract.ts';
import * as contract from '#core/embedding/reembed-contract.ts';

/** Orders to a change that is under way. */
export type ReembedOrder = 'Pause' | 'Resume' | 'RollBack' | 'Finish';

const SIGNAL_OF = {
  Pause: PAUSE_SIGNAL,
  Resume: RESUME_SIGNAL,
  RollBack: contract.ROLLBACK_SIGNAL,
  Finish: contract.FINISH_SIGNAL,
} as const satisfies Record<ReembedOrder, string>;

export interface ReembedRuns {
  /** Starts the run of a generation, or signals more tenants to its open run. */
  begin(generation: string, message: contract.BeginMessage): Promise<void>;
  /** Sends an order to the run; starts a terminated run again, since its work is in the store. */
  order(generation: string, order: ReembedOrder): Promise<void>;
  /** Returns the status of a generation's open run; null if none is open. */
  status(generation: string): Promise<contract.ReembedStatus | null>;
  /** Waits for the open or last run; null if there never was one. */
  settled(generation: string): Promise<contract.ReembedStatus | null>;
  /** Starts a run of the first generation if none of them has a run. Repeatable. */
  ensure(generations: readonly string[]): Promise<void>;
}

export function createReembedRuns(
  client: Client,
  settings: contract.ReembedSettings = contract.REEMBED_SETTINGS,
): ReembedRuns {
  const handleOf = (generation: string) =>
    client.workflow.getHandle(contract.reembedWorkflowId(generation));
  const isOpen = async (generation: string): Promise<boolean> => {
    const run = await foundRun(() => handleOf(generation).describe());
    return run?.status.name === 'RUNNING';
  };
  return {
    begin: async (generation, message) => {
      await client.workflow.signalWithStart('reembed', {
        ...startOptions(generation, settings),
        signal: contract.BEGIN_SIGNAL,
        signalArgs: [message],
      });
    },
    order: async (generation, order) => {
      await client.workflow.signalWithStart('reembed', {
        ...startOptions(generation, settings),
        signal: SIGNAL_OF[order],
        signalArgs: [],
      });
    },
    status: async (generation) => {
      if (!(await isOpen(generation))) return null;
      return handleOf(generation).query<contract.ReembedStatus>(STATUS_QUERY);
    },
    settled: (generation) =>
      foundRun(async () => (await handleOf(generation).result()) as contract.ReembedStatus),
    ensure: async (generations) => {
      const open = await Promise.all(generations.map(isOpen));
      const [first] = generations;
      if (first === undefined || open.includes(true)) return;
      await client.workflow.start('reembed', startOptions(first, settings));
    },
  };
}

/** One run per generation: a start that meets an open run uses it. */
function startOptions(generation: string, settings: contract.ReembedSettings) {
  const input: contract.ReembedInput = { generation, settings };
  return {
    workflowId: contract.reembedWorkflowId(generation),
    taskQueue: TASK_QUEUE,
    args: [input] as [contract.ReembedInput],
    workflowIdConflictPolicy: 'USE_EXISTING' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    staticSummary: `Change of the embedding model to ${generation}`,
    staticDetails:
      'Re-embeds the memories of each tenant, then cuts over. May be terminated: it resumes.',
  };
}
