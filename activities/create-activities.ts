/** The activities of Varve over their ports, free of Temporal: the library runs them inline. */
import type { RefreshActivities, TickActivities } from '#core/contract.ts';
import type { Waker } from '#core/ports/waker.ts';
import type { ReembedActivities } from '#core/reembed-contract.ts';
import { acknowledge } from './acknowledge.ts';
import { claimBatches } from './claim-batches.ts';
import { commitBatch } from './commit-batch.ts';
import { continueReembed } from './continue-reembed.ts';
import { readWindow } from './read-window.ts';
import { commandReembed, listReembed } from './reembed-command.ts';
import { reembedTurn } from './reembed-turn.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { releaseBatch } from './release-batch.ts';
import { summarizeBatch } from './summarize-batch.ts';
import { wakeDueTenants } from './wake-due-tenants.ts';

export type AllActivities = RefreshActivities & TickActivities & ReembedActivities;

/** `callOf` answers the context of the activity that is running when it is called. */
export function createActivities(
  ports: RefreshPorts,
  waker: Waker,
  callOf: () => ActivityCall,
): AllActivities {
  return {
    readWindow: (input) => readWindow(ports, input),
    claimBatches: (input) => claimBatches(ports, input),
    summarizeBatch: (input) => summarizeBatch(ports, input, callOf()),
    commitBatch: (input) => commitBatch(ports, input, callOf()),
    releaseBatch: (input) => releaseBatch(ports, input),
    acknowledge: (input) => acknowledge(ports, input),
    wakeDueTenants: async () => {
      const woken = await wakeDueTenants(ports, waker);
      await continueReembed(ports, waker);
      return woken;
    },
    commandReembed: (input) => commandReembed(ports, input),
    listReembed: (input) => listReembed(ports, input),
    reembedTurn: (input) => reembedTurn(ports, input, callOf()),
  };
}
