/** Reads what a forecast is based on, tenant by tenant. Writes nothing. */
import { isDeepStrictEqual } from 'node:util';
import { openAccount, periodOf, withLimits } from '#core/budget/budget-account.ts';
import { NOTHING, type Amount } from '#core/records/account.ts';
import type { Layer } from '#core/layer.ts';
import type { TenantPolicy, PolicyRecord } from '#core/records/policy.ts';
import type { Calendar } from '#core/ports/calendar.ts';
import { PROVIDERS_MAX, type ModelProviderRecord } from '#core/records/model-provider.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Store } from '#core/ports/store.ts';
import type { Resources } from '#crds/read-resources.ts';
import {
  comparePolicy,
  pausedPolicy,
  type PolicyComparison,
  type MergedPolicy,
} from '#operator/forecast/policy-after-merge.ts';
import type { ForecastModels } from '#operator/forecast/forecast-models.ts';
import {
  forecastDreams,
  type DreamForecast,
  tallyTenant,
  type ForecastRow,
  forecastPeriod,
  type PeriodForecast,
} from '#operator/forecast/forecast-tenant.ts';
import { installationOf } from './plan-installation.ts';
import {
  knownProviders,
  plannedProviders,
  withModels,
  type UnheardProvider,
  otherPolicies,
  plannedPolicies,
} from './plan-policies.ts';

/** Scopes of one page: a few hundred kilobytes. */
const SCOPES_PER_PAGE = 500;
/** A million scopes; for a tenant with more, the forecast covers the first million. */
const PAGES_MAX = 2_000;
/** The same limit as for the operator of a folder. */
const POLICIES_MAX = 10_000;

export interface TenantForecast {
  readonly tenant: string;
  /** Namespace and name of its MemoryTenant. */
  readonly resource: string;
  readonly comparison: PolicyComparison;
  /** Layers that stay as they are, since no file declares them or their resource is paused. */
  readonly keptLayers: readonly Layer[];
  /** Dreams that stay as they are, since no file declares them or their resource is paused. */
  readonly keptDreams: readonly string[];
  /** Dreams that would begin, change or end; their cost is not known. */
  readonly dreams: readonly DreamForecast[];
  /** ModelProviders in the files that give the tenant no model, whatever they allow. */
  readonly unheardProviders: readonly UnheardProvider[];
  /** False if the files have ModelProviders and the namespace of the release is not known. */
  readonly isReleaseKnown: boolean;
  readonly rows: readonly ForecastRow[];
  /** The upper bound of the cost of all rows. */
  readonly planned: Amount;
  readonly period: string;
  /** Tokens, then micro-dollars; empty if nothing would be applied. */
  readonly periods: readonly PeriodForecast[];
  /** False if the tenant has more scopes than were read. */
  readonly isWhole: boolean;
}

type PlanStore = Pick<Store, 'policies' | 'accounts' | 'scopes' | 'modelProviders'>;

/** What a forecast is based on, apart from the resources. */
interface PlanBasis {
  readonly store: PlanStore;
  readonly models: Omit<ForecastModels, 'providers'>;
}

interface PlanMoment {
  readonly now: number;
  /** The namespace of the release, if the process knows it; otherwise null. */
  readonly podNamespace: string | null;
  readonly calendar: Pick<Calendar, 'nextTime'>;
}

/** Returns every ModelProvider in the store, of any installation. */
export function storedProviders(store: PlanStore): Promise<readonly ModelProviderRecord[]> {
  return store.modelProviders.list(PROVIDERS_MAX);
}

/** Returns every policy in the store that a plan may involve. */
export function storedPolicies(store: PlanStore): Promise<readonly PolicyRecord[]> {
  return store.policies.list(POLICIES_MAX);
}

/**
 * Returns one forecast for each MemoryTenant, in the order of the resources. Then one for each
 * stored tenant for which the files have only a LayerSummaryPolicy or DeepDream. Then one for each
 * tenant that would get other models because of ModelProviders in the files. `basis` is null if
 * nothing was ever kept: every tenant is new then.
 */
export async function forecastPlan(
  resources: Resources,
  basis: PlanBasis | null,
  { now, podNamespace, calendar }: PlanMoment,
): Promise<readonly TenantForecast[]> {
  const providers = basis === null ? [] : await storedProviders(basis.store);
  const policies = basis === null ? [] : await storedPolicies(basis.store);
  const known = { policies, providers, podNamespace };
  const forecasts: TenantForecast[] = [];
  const named = plannedPolicies(resources, policies);
  const others = new Set(resources.providers.length === 0 ? [] : otherPolicies(policies, named));
  for (const one of [...named, ...others]) {
    const { merged, record, isPaused } = one;
    const installation = installationOf(record, known);
    const planned = plannedProviders(resources.providers, providers, installation);
    const changed = { ...merged, desired: withModels(merged.desired, record, planned) };
    const { models: chosen } = changed.desired.policy;
    if (others.has(one) && isDeepStrictEqual(chosen, record?.policy.models)) continue;
    const all = knownProviders(providers, planned.accepted);
    const models = basis === null ? null : { ...basis.models, providers: all };
    const kept = basis === null || models === null ? null : { store: basis.store, models };
    const isReleaseKnown = resources.providers.length === 0 || installation.namespace !== null;
    const { unheard: unheardProviders } = planned;
    const forecast = await forecastTenant(changed, record, { kept, now, calendar, isPaused });
    forecasts.push({ ...forecast, unheardProviders, isReleaseKnown });
  }
  return forecasts;
}

interface TenantContext {
  readonly kept: { readonly store: PlanStore; readonly models: ForecastModels } | null;
  readonly now: number;
  readonly calendar: Pick<Calendar, 'nextTime'>;
  readonly isPaused: boolean;
}

async function forecastTenant(
  { desired, keptLayers, keptDreams }: MergedPolicy,
  record: PolicyRecord | null,
  { kept, now, calendar, isPaused }: TenantContext,
): Promise<Omit<TenantForecast, 'unheardProviders' | 'isReleaseKnown'>> {
  const { owner } = desired;
  const { tenant } = desired.policy;
  const comparison = isPaused ? pausedPolicy(tenant, record) : comparePolicy(desired, record);
  const period = periodOf(now);
  const resource = `${owner.namespace}/${owner.name}`;
  const head = { tenant, resource, comparison, keptLayers, keptDreams, period };
  const none = { rows: [], planned: NOTHING, isWhole: true };
  if (comparison.kind === 'Claimed') return { ...head, ...none, dreams: [], periods: [] };
  const { before } = comparison;
  const policy = isPaused ? before : desired.policy;
  const dreams = forecastDreams(before, policy, { calendar, now });
  const account =
    (await kept?.store.accounts.get(tenant, period, before.budget)) ??
    openAccount(tenant, period, before.budget);
  const remade = kept === null ? none : await tally({ before, after: policy }, kept, now);
  const periods = forecastPeriod(withLimits(account, policy.budget), remade.planned, now);
  return { ...head, ...remade, dreams, periods };
}

async function tally(
  policies: { readonly before: TenantPolicy; readonly after: TenantPolicy },
  { store, models }: NonNullable<TenantContext['kept']>,
  now: number,
): Promise<Pick<TenantForecast, 'rows' | 'planned' | 'isWhole'>> {
  const tallied = tallyTenant(policies, { models, now });
  const isWhole = await readScopes(store, policies.after.tenant, (page) => {
    tallied.add(page);
  });
  return { rows: tallied.rows(), planned: tallied.total(), isWhole };
}

/** Returns whether every scope was read. */
async function readScopes(
  { scopes }: Pick<PlanStore, 'scopes'>,
  tenant: string,
  add: (page: readonly ScopeRecord[]) => void,
): Promise<boolean> {
  let after: Parameters<typeof scopes.list>[2];
  for (let page = 0; page < PAGES_MAX; page += 1) {
    const records = await scopes.list(tenant, SCOPES_PER_PAGE, after);
    add(records);
    if (records.length < SCOPES_PER_PAGE) return true;
    after = records.at(-1);
  }
  return false;
}
