/** The activities of retention over their ports. */
import type { RetentionActivities } from '#core/retention/retention-contract.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { ActivityCall, RefreshPorts } from '../refresh-ports.ts';
import { compactStep } from './compact-step.ts';
import { endCompaction } from './end-compaction.ts';
import { startCompactions } from './start-compactions.ts';

export function retentionActivities(
  ports: RefreshPorts,
  { compactions }: Pick<RefreshTrigger, 'compactions'>,
  callOf: () => ActivityCall,
): RetentionActivities {
  return {
    startCompactions: async (input) =>
      compactions === undefined
        ? { started: 0, underWay: 0, failed: 0, after: null }
        : startCompactions(ports, compactions, input),
    compactStep: (input) => compactStep(ports, input, callOf()),
    endCompaction: (input) => endCompaction(ports, input),
  };
}
