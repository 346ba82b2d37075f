/** The activities of Varve over their ports, free of Temporal: the library runs them inline. */
import type { RefreshActivities, TickActivities } from '#core/refresh/refresh-contract.ts';
import type { DreamActivities } from '#core/dreams/dream-contract.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { ReembedActivities } from '#core/embedding/reembed-contract.ts';
import type { RetentionActivities } from '#core/retention/retention-contract.ts';
import { acknowledge } from './acknowledge.ts';
import type { RecipeLooks } from './backfill-recipes.ts';
import { claimBatches } from './claim-batches.ts';
import { commitBatch } from './commit-batch.ts';
import { dreamActivities } from './dreams/dream-activities.ts';
import { continueReembed } from './reembed/continue-reembed.ts';
import { rateLimitedModels, type Pauses } from './rate-limited-models.ts';
import { readWindow } from './read-window.ts';
import { commandReembed, listReembed } from './reembed/reembed-command.ts';
import { reembedTurn } from './reembed/reembed-turn.ts';
import { portsOfTenant, type ActivityCall, type RefreshPorts } from './refresh-ports.ts';
import { releaseBatch } from './release-batch.ts';
import { retentionActivities } from './retention/retention-activities.ts';
import { summarizeBatch } from './summarize-batch.ts';
import { withVariantBatches } from './variants/variant-activities.ts';
import { requestDueRefreshes } from './request-due-refreshes.ts';

export type AllActivities = RefreshActivities &
  TickActivities &
  ReembedActivities &
  DreamActivities &
  RetentionActivities;

/** `callOf` answers the context of the activity that is running when it is called. */
export function createActivities(
  ports: RefreshPorts,
  refreshTrigger: RefreshTrigger,
  callOf: () => ActivityCall,
): AllActivities {
  const pauses: Pauses = new Map();
  const portsOf = async (tenant: string): Promise<RefreshPorts> => {
    const { models, ...own } = await portsOfTenant(ports, tenant);
    return { ...own, models: rateLimitedModels(models, own.platform.clock, pauses) };
  };
  const looks: RecipeLooks = new Map();
  const scopes: Parameters<typeof withVariantBatches>[1] = {
    claimBatches: async (input) => claimBatches(await portsOf(input.tenant), input),
    summarizeBatch: async (input) => summarizeBatch(await portsOf(input.tenant), input, callOf()),
    commitBatch: async (input) => commitBatch(await portsOf(input.tenant), input, callOf()),
    releaseBatch: async (input) => releaseBatch(await portsOf(input.tenant), input, callOf()),
  };
  return {
    ...withVariantBatches(portsOf, scopes, callOf),
    ...dreamActivities({ ports, portsOf, runs: () => refreshTrigger.dreams, callOf }),
    ...retentionActivities(ports, refreshTrigger, callOf),
    readWindow: (input) => readWindow(ports, input),
    acknowledge: (input) => acknowledge(ports, input),
    requestDueRefreshes: async () => {
      const woken = await requestDueRefreshes(ports, refreshTrigger, looks);
      await continueReembed(ports, refreshTrigger);
      return woken;
    },
    commandReembed: (input) => commandReembed(ports, input),
    listReembed: (input) => listReembed(ports, input),
    reembedTurn: (input) => reembedTurn(ports, input, callOf()),
  };
}
