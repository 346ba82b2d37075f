/** The paths through the retention workflows that are recorded. */
import { TASK_QUEUE } from '#core/refresh/refresh-contract.ts';
import { compactWorkflowId, SESSIONS_PER_STEP } from '#core/retention/retention-contract.ts';
import {
  OLD_MS,
  sessionsOf,
  type RetentionOptions,
  type RetentionStack,
} from '../workflows/retention-fixture.ts';

export interface RetentionRecording {
  readonly options?: RetentionOptions;
  readonly around?: Parameters<RetentionStack['startWorker']>[0];
  /** Answers the id of the workflow, whose run has ended. */
  readonly play: (stack: RetentionStack) => Promise<string>;
}

export const RETENTION_RECORDINGS: Readonly<Record<string, RetentionRecording>> = {
  'compact-plain': {
    play: async (stack) => {
      await stack.talk(stack.tenant, sessionsOf(2));
      await stack.talk(stack.tenant, ['late'], false);
      return compacted(stack);
    },
  },
  'compact-nothing': { play: compacted },
  'compact-continued': {
    options: { settings: { stepsMax: 1 } },
    play: async (stack) => {
      await stack.talk(stack.tenant, sessionsOf(SESSIONS_PER_STEP + 1));
      return compacted(stack);
    },
  },
  'retention-tick': {
    play: async (stack) => {
      await stack.talk(stack.tenant, sessionsOf(1));
      stack.advance(OLD_MS);
      const workflowId = `retention-tick-${stack.tenant}`;
      const options = { workflowId, taskQueue: TASK_QUEUE, args: [] as [] };
      await stack.temporal.client.workflow.execute('retentionTick', options);
      await stack.temporal.compactions.settled(stack.tenant);
      return workflowId;
    },
  },
};

async function compacted({ temporal, tenant, advance }: RetentionStack): Promise<string> {
  advance(OLD_MS);
  await temporal.compactions.start(tenant);
  await temporal.compactions.settled(tenant);
  return compactWorkflowId(tenant);
}
