/** Reads what the store tells of a tenant: its account, its scope records, its providers. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { periodOf } from '#core/budget.ts';
import type { Layer } from '#core/layer.ts';
import { readTenantStatus } from '#core/read-tenant-status.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';
import type { StatusFailure } from '#core/status-failure.ts';
import type { SummariesStatus } from '#core/tenant-status.ts';
import type { ClusterContext } from './context.ts';
import type { RefreshTimes, TenantFacts } from './tenant-facts.ts';
import { providersOf } from './tenant-findings.ts';

/** Providers of an installation: endpoints, of which there are a handful. */
export const PROVIDERS_MAX = 1_000;

export async function readFacts(
  { tenant, policy }: PolicyRecord,
  context: ClusterContext,
): Promise<TenantFacts> {
  const { store, platform } = context;
  const now = platform.clock();
  const account = await store.accounts.get(tenant, periodOf(now), policy.budget);
  // Which recipe a model has is known to workers; a changed one shows once they have looked.
  const rules = { policy, now, recipeOf: () => null };
  const status = await readTenantStatus(store, tenant, { ...rules, pause: () => nextTurn() });
  const names = providersOf(policy);
  const providers = names.length === 0 ? [] : await readProviderRecords(context);
  return {
    ...timesOf(status),
    account,
    fresh: status.fresh,
    stale: status.stale,
    dead: status.deadLetters,
    waitingForBudget: status.waitingForBudget,
    layers: Object.fromEntries(
      Object.entries(status.layers)
        .filter(([, { scopes }]) => scopes > 0)
        .map(([layer, ofLayer]) => [layer, timesOf(ofLayer)]),
    ) as Partial<Record<Layer, RefreshTimes>>,
    lastError: status.failure === null ? null : errorOf(status.failure, tenant),
    providers: providers.filter(({ name }) => names.includes(name)),
  };
}

export function readProviderRecords({
  store,
}: Pick<ClusterContext, 'store'>): Promise<readonly ModelProviderRecord[]> {
  return store.modelProviders.list(PROVIDERS_MAX);
}

function timesOf({ lastRefreshAt, nextDueAt }: SummariesStatus): RefreshTimes {
  return { lastRefreshAt, nextRefreshAt: nextDueAt };
}

/** No number of scopes: it moves, and the table of the command has it. */
function errorOf({ code, reason }: StatusFailure, tenant: string): TenantFacts['lastError'] {
  if (reason === null) return { code, message: 'It is tried again by itself.' };
  const again = `Try again with: varve summaries retry --tenant ${tenant}`;
  return { code, message: `${reason} ${again}` };
}
