/** The activities of retention over their ports. */
import type { RetentionActivities } from '#core/retention/retention-contract.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import { resumeErasures } from '#memory/erase.ts';
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
    startCompactions: async (input) => {
      const report =
        compactions === undefined
          ? { started: 0, underWay: 0, failed: 0, after: null }
          : await startCompactions(ports, compactions, input);
      // Once a tick, and last: one that takes long holds up no compaction.
      if (report.after === null) await resumeErasures(ports, ports.platform.clock());
      return report;
    },
    compactStep: (input) => compactStep(ports, input, callOf()),
    endCompaction: (input) => endCompaction(ports, input),
  };
}
