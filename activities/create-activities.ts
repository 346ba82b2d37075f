/** The activities of Varve over their ports, free of Temporal: the library runs them inline. */
import type { RefreshActivities, TickActivities } from '#core/contract.ts';
import type { Waker } from '#core/ports/waker.ts';
import { acknowledge } from './acknowledge.ts';
import { claimBatches } from './claim-batches.ts';
import { commitBatch } from './commit-batch.ts';
import { readWindow } from './read-window.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { releaseBatch } from './release-batch.ts';
import { summarizeBatch } from './summarize-batch.ts';
import { wakeDueTenants } from './wake-due-tenants.ts';

/** `callOf` answers the context of the activity that is running when it is called. */
export function createActivities(
  ports: RefreshPorts,
  waker: Waker,
  callOf: () => ActivityCall,
): RefreshActivities & TickActivities {
  return {
    readWindow: (input) => readWindow(ports, input),
    claimBatches: (input) => claimBatches(ports, input),
    summarizeBatch: (input) => summarizeBatch(ports, input, callOf()),
    commitBatch: (input) => commitBatch(ports, input, callOf()),
    releaseBatch: (input) => releaseBatch(ports, input),
    acknowledge: (input) => acknowledge(ports, input),
    wakeDueTenants: () => wakeDueTenants(ports, waker),
  };
}
