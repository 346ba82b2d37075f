/** The activities of Varve over their ports, free of Temporal: the library runs them inline. */
import type { RefreshActivities, TickActivities } from '#core/contract.ts';
import type { Waker } from '#core/ports/waker.ts';
import type { ReembedActivities } from '#core/reembed-contract.ts';
import { acknowledge } from './acknowledge.ts';
import type { RecipeLooks } from './backfill-recipes.ts';
import { claimBatches } from './claim-batches.ts';
import { commitBatch } from './commit-batch.ts';
import { continueReembed } from './reembed/continue-reembed.ts';
import { pacedModels } from './paced-models.ts';
import { readWindow } from './read-window.ts';
import { commandReembed, listReembed } from './reembed/reembed-command.ts';
import { reembedTurn } from './reembed/reembed-turn.ts';
import type { ActivityCall, RefreshPorts } from './refresh-ports.ts';
import { releaseBatch } from './release-batch.ts';
import { summarizeBatch } from './summarize-batch.ts';
import { withVariantBatches } from './variants/variant-activities.ts';
import { wakeDueTenants } from './wake-due-tenants.ts';

export type AllActivities = RefreshActivities & TickActivities & ReembedActivities;

/** `callOf` answers the context of the activity that is running when it is called. */
export function createActivities(
  given: RefreshPorts,
  waker: Waker,
  callOf: () => ActivityCall,
): AllActivities {
  const ports = { ...given, models: pacedModels(given.models, given.platform.clock) };
  const looks: RecipeLooks = new Map();
  const scopes: Parameters<typeof withVariantBatches>[1] = {
    claimBatches: (input) => claimBatches(ports, input),
    summarizeBatch: (input) => summarizeBatch(ports, input, callOf()),
    commitBatch: (input) => commitBatch(ports, input, callOf()),
    releaseBatch: (input) => releaseBatch(ports, input, callOf()),
  };
  return {
    ...withVariantBatches(ports, scopes, callOf),
    readWindow: (input) => readWindow(ports, input),
    acknowledge: (input) => acknowledge(ports, input),
    wakeDueTenants: async () => {
      const woken = await wakeDueTenants(ports, waker, looks);
      await continueReembed(ports, waker);
      return woken;
    },
    commandReembed: (input) => commandReembed(ports, input),
    listReembed: (input) => listReembed(ports, input),
    reembedTurn: (input) => reembedTurn(ports, input, callOf()),
  };
}
