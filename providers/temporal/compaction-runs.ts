/** Runs of the workflow that takes the text of old turns: how they are started and waited for. */
import {
  WorkflowExecutionAlreadyStartedError,
  WorkflowNotFoundError,
  type Client,
} from '@temporalio/client';
import { TASK_QUEUE } from '#core/contract.ts';
import type { CompactionRuns } from '#core/ports/compactions.ts';
import {
  COMPACTION_SETTINGS,
  compactWorkflowId,
  type CompactInput,
  type CompactionSettings,
  type CompactionTotals,
} from '#core/retention-contract.ts';

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
      try {
        await client.workflow.start('compact', startOptions(tenant, settings));
        return 'Started';
      } catch (error) {
        if (error instanceof WorkflowExecutionAlreadyStartedError) return 'UnderWay';
        throw error;
      }
    },
    settled: async (tenant) => {
      try {
        const handle = client.workflow.getHandle(compactWorkflowId(tenant));
        return (await handle.result()) as CompactionTotals;
      } catch (error) {
        if (error instanceof WorkflowNotFoundError) return null;
        throw error;
      }
    },
  };
}

/** One open run per tenant: another one is refused. */
function startOptions(tenant: string, settings: CompactionSettings) {
  const input: CompactInput = { tenant, settings };
  return {
    workflowId: compactWorkflowId(tenant),
    taskQueue: TASK_QUEUE,
    args: [input] as [CompactInput],
    workflowIdConflictPolicy: 'FAIL' as const,
    workflowIdReusePolicy: 'ALLOW_DUPLICATE' as const,
    staticSummary: `Compaction of tenant ${tenant}`,
    staticDetails: 'Takes the text of turns past their retention time. May be terminated.',
    priority: { fairnessKey: tenant },
  };
}
