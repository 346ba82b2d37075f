/** The activities of Varve over their ports, free of Temporal: the library runs them inline. */
import {
  type RefreshActivities,
  type TickActivities,
  HORIZON_MS,
  type WindowReading,
} from '#core/refresh/refresh-contract.ts';
import type { DreamActivities } from '#core/dreams/dream-contract.ts';
import type { EraseActivities } from '#core/erasure/erase-run.ts';
import type { FlushActivities } from '#core/flush/flush-contract.ts';
import type { RefreshTrigger } from '#core/ports/refresh-trigger.ts';
import type { ReembedActivities } from '#core/embedding/reembed-contract.ts';
import type { RetentionActivities } from '#core/retention/retention-contract.ts';
import { claimBatches } from './claim-batches.ts';
import { commitBatch } from './commit-batch.ts';
import { dreamActivities } from './dreams/dream-activities.ts';
import { flushActivities } from './flush/flush-activities.ts';
import { pausingRateLimitedModels, type Pauses } from './pause-rate-limited-model.ts';
import { commandReembed, continueReembed, listReembed } from './reembed/apply-reembed-command.ts';
import { reembedTurn } from './reembed/reembed-tenant.ts';
import { portsOfTenant, type ActivityCall, type RefreshPorts } from './refresh-ports.ts';
import { releaseBatch } from './release-batch.ts';
import { retentionActivities } from './retention/retention-activities.ts';
import { summarizeBatch } from './summarize-batch.ts';
import { withVariantBatches } from './variants/variant-activities.ts';
import { requestDueRefreshes, type RecipeChecks } from './request-due-refreshes.ts';
import { policyToRefreshBy } from '#core/policy/policy-in-force.ts';
import { withVariants } from '#core/variants/plan-variants.ts';
import { readWindowOf } from '#core/refresh/batch-window.ts';
import { eraseActivities } from '#memory/erase-activities.ts';

// Activity: returns when the tenant's batch window closes, or that nothing is due soon.

/** Scopes, and variants, read for one window; more than several rounds can claim. */
const DUE_SCOPES_MAX = 1_000;

async function readWindow(
  { store, platform }: RefreshPorts,
  { tenant }: { tenant: string },
): Promise<WindowReading> {
  const now = platform.clock();
  // Read this before the scopes: a request that arrives in between raises it and forces a round.
  const { wanted } = await store.refreshRequests.get(tenant);
  const policy = await policyToRefreshBy(store.policies, tenant);
  if (policy === null) return { kind: 'Idle', wanted };
  const until = now + HORIZON_MS;
  const due = await store.scopes.due(tenant, { until, now, limit: DUE_SCOPES_MAX });
  const variants = await store.variants.due(tenant, { until, now, limit: DUE_SCOPES_MAX });
  return withVariants(readWindowOf(due, { policy, wanted, now }), variants, now);
}

export type AllActivities = RefreshActivities &
  TickActivities &
  ReembedActivities &
  DreamActivities &
  FlushActivities &
  EraseActivities &
  RetentionActivities;

/** Returns all activities. `callOf` returns the context of the activity that calls it. */
export function createActivities(
  ports: RefreshPorts,
  refreshTrigger: RefreshTrigger,
  callOf: () => ActivityCall,
): AllActivities {
  const pauses: Pauses = new Map();
  const portsOf = async (tenant: string): Promise<RefreshPorts> => {
    const { models, ...own } = await portsOfTenant(ports, tenant);
    return { ...own, models: pausingRateLimitedModels(models, own.platform.clock, pauses) };
  };
  const checks: RecipeChecks = new Map();
  const scopes: Parameters<typeof withVariantBatches>[1] = {
    claimBatches: async (input) => claimBatches(await portsOf(input.tenant), input),
    summarizeBatch: async (input) => summarizeBatch(await portsOf(input.tenant), input, callOf()),
    commitBatch: async (input) => commitBatch(await portsOf(input.tenant), input, callOf()),
    releaseBatch: async (input) => releaseBatch(await portsOf(input.tenant), input, callOf()),
  };
  return {
    ...withVariantBatches(portsOf, scopes, callOf),
    ...dreamActivities({ ports, portsOf, runs: () => refreshTrigger.dreams, callOf }),
    ...flushActivities({
      ports: { ...ports, refreshTrigger },
      portsOf: async (tenant) => ({ ...(await portsOf(tenant)), refreshTrigger }),
      runs: () => refreshTrigger.flushes,
      callOf,
    }),
    ...retentionActivities(ports, refreshTrigger, callOf),
    ...eraseActivities({ ...ports, refreshTrigger }, () => callOf().signal),
    readWindow: (input) => readWindow(ports, input),
    acknowledge: (input) => acknowledge(ports, input),
    requestDueRefreshes: async () => {
      const requested = await requestDueRefreshes(ports, refreshTrigger, checks);
      await continueReembed(ports, refreshTrigger);
      return requested;
    },
    commandReembed: (input) => commandReembed(ports, input),
    listReembed: (input) => listReembed(ports, input),
    reembedTurn: (input) => reembedTurn(ports, input, callOf()),
  };
}

/** Activity: the last step of a run. True only if nothing was requested since its last look. */
async function acknowledge(
  ports: RefreshPorts,
  { tenant, seen }: { tenant: string; seen: number },
): Promise<boolean> {
  const window = await readWindow(ports, { tenant });
  return window.kind === 'Idle' && (await ports.store.refreshRequests.acknowledge(tenant, seen));
}
