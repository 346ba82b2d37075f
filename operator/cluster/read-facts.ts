/** Reads what the store holds of a tenant: account, scope records, dreams, providers. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import { periodOf } from '#core/budget/budget.ts';
import type { Layer } from '#core/layer.ts';
import { readTenantStatus } from '#core/refresh/read-tenant-status.ts';
import type { DreamSchedule } from '#core/records/dream-schedule.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';
import type { StatusFailure } from '#core/refresh/status-failure.ts';
import type { SummariesStatus, TenantStatus } from '#core/refresh/tenant-status.ts';
import type { ClusterContext } from './context.ts';
import type {
  DreamFacts,
  LayerFacts,
  RefreshTimes,
  ShownSchedule,
  TenantFacts,
} from './tenant-facts.ts';
import { providersOf } from './tenant-conditions.ts';

/** Providers of an installation: endpoints, of which there are a handful. */
export const PROVIDERS_MAX = 1_000;

export type FactsContext = Pick<ClusterContext, 'store' | 'platform' | 'walks'>;

/** Scopes are counted as far as one look goes; the next look goes on with the rest. */
export async function readFacts(
  { tenant, policy, hash }: PolicyRecord,
  context: FactsContext,
): Promise<TenantFacts> {
  const { store, platform, walks } = context;
  const now = platform.clock();
  const account = await store.accounts.get(tenant, periodOf(now), policy.budget);
  // Which recipe a model has is known to workers; a changed one shows once they have looked.
  const rules = { policy, now, recipeOf: () => null };
  const walk = walks.take(tenant, hash);
  const read = await readTenantStatus(store, tenant, { ...rules, walk, pause: () => nextTurn() });
  const status = walks.put(tenant, hash, read);
  const names = providersOf(policy);
  const providers = names.length === 0 ? [] : await readProviderRecords(context);
  return {
    ...(status.isComplete ? timesOf(status) : NO_TIMES),
    account,
    isComplete: status.isComplete,
    fresh: status.fresh,
    stale: status.stale,
    dead: status.deadLetters,
    waitingForBudget: status.waitingForBudget,
    layers: layerFactsOf(status, tenant),
    dreams: await readDreamFacts({ tenant, policy }, store),
    lastError: errorOf(status.failure, tenant),
    providers: providers.filter(({ name }) => names.includes(name)),
  };
}

/** A tenant that nothing dreams for costs no read. */
async function readDreamFacts(
  { tenant, policy }: Pick<PolicyRecord, 'tenant' | 'policy'>,
  { dreamSchedules, proposals }: Pick<ClusterContext['store'], 'dreamSchedules' | 'proposals'>,
): Promise<DreamFacts> {
  if (policy.dreams === undefined) return { schedules: [], isWaiting: false };
  const timers = await proposals.list(tenant, { limit: 1, state: 'Waiting' });
  const schedules = (await dreamSchedules.list(tenant)).map(shownSchedule);
  return { schedules, isWaiting: timers.length > 0 };
}

function shownSchedule({ name, nextAt, last }: DreamSchedule): ShownSchedule {
  if (last === null) return { name, nextAt, last };
  const { counted: _, ...shown } = last;
  return { name, nextAt, last: shown };
}

export function readProviderRecords({
  store,
}: Pick<ClusterContext, 'store'>): Promise<readonly ModelProviderRecord[]> {
  return store.modelProviders.list(PROVIDERS_MAX);
}

/** Of a part of the scopes, when the next is due is nothing to go by. */
function layerFactsOf({ layers, isComplete }: TenantStatus, tenant: string): TenantFacts['layers'] {
  if (!isComplete) return {};
  return Object.fromEntries(
    Object.entries(layers)
      .filter(([, { scopes }]) => scopes > 0)
      .map(([layer, ofLayer]) => [layer, factsOfLayer(ofLayer, tenant)]),
  ) as Partial<Record<Layer, LayerFacts>>;
}

function factsOfLayer(ofLayer: SummariesStatus, tenant: string): LayerFacts {
  const { fresh, stale, failure } = ofLayer;
  return { ...timesOf(ofLayer), fresh, stale, lastError: errorOf(failure, tenant) };
}

const NO_TIMES: RefreshTimes = { lastRefreshAt: null, nextRefreshAt: null };

function timesOf({ lastRefreshAt, nextDueAt }: SummariesStatus): RefreshTimes {
  return { lastRefreshAt, nextRefreshAt: nextDueAt };
}

/** People read one line of it. */
const REASON_LENGTH_MAX = 200;

/** No number of scopes: it moves, and the table of the command has it. */
function errorOf(failure: StatusFailure | null, tenant: string): TenantFacts['lastError'] {
  if (failure === null) return null;
  const { code, reason, since } = failure;
  if (reason === null) {
    const began = new Date(since).toISOString();
    return { code, message: `Since ${began}. It is tried again by itself.` };
  }
  const again = `Try again with: varve summaries retry --tenant ${tenant}`;
  return { code, message: `${shortened(reason)} ${again}` };
}

function shortened(reason: string): string {
  if (reason.length <= REASON_LENGTH_MAX) return reason;
  return `${reason.slice(0, REASON_LENGTH_MAX - 1)}…`;
}
