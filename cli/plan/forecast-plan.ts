/** Reads what a forecast rests on, tenant by tenant. Writes nothing. */
import { openAccount, periodOf, withLimits } from '#core/budget.ts';
import { NOTHING, type Amount } from '#core/records/account.ts';
import type { Layer } from '#core/layer.ts';
import type { TenantPolicy } from '#core/policy.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';
import type { ScopeRecord } from '#core/records/scope-record.ts';
import type { Store } from '#core/ports/store.ts';
import type { Resources } from '#crds/read-resources.ts';
import { namespaceOf } from '#crds/metadata.ts';
import { compileResources } from '#operator/compile.ts';
import { comparePolicy, type PolicyComparison } from '#operator/forecast/compare-policy.ts';
import type { ForecastModels } from '#operator/forecast/forecast-models.ts';
import { forecastDreams, type DreamForecast } from '#operator/forecast/forecast-dreams.ts';
import { FOLDER_CLUSTER } from '#operator/folder/reconcile.ts';
import { forecastPeriod, type PeriodForecast } from '#operator/forecast/forecast-period.ts';
import { tallyTenant, type ForecastRow } from '#operator/forecast/forecast-tenant.ts';
import { overStored, withStored, type MergedPolicy } from '#operator/forecast/merged-policy.ts';
import { recordNamed } from './known-tenants.ts';
import { compiledProviders, providersOf, withModels } from './plan-policies.ts';

/** Scopes read at once: a few hundred kilobytes. */
const SCOPES_PER_PAGE = 500;
/** A million scopes; a tenant with more is forecast by its first million. */
const PAGES_MAX = 2_000;
/** Far above what an installation has. */
const PROVIDERS_MAX = 1_000;
/** As an operator of a folder looks at. */
const POLICIES_MAX = 10_000;
/** Not compared: files do not know which cluster they are for. */
const ANY_CLUSTER = 'plan';

export interface TenantForecast {
  readonly tenant: string;
  /** Namespace and name of its MemoryTenant. */
  readonly resource: string;
  readonly comparison: PolicyComparison;
  /** Layers that no file speaks of, and whose LayerSummaryPolicies in the cluster stay. */
  readonly keptLayers: readonly Layer[];
  /** Dreams that no file speaks of, and that stay. */
  readonly keptDreams: readonly string[];
  /** Those that would begin, change or end; what they cost is not known. */
  readonly dreams: readonly DreamForecast[];
  readonly rows: readonly ForecastRow[];
  /** What all rows cost at most. */
  readonly planned: Amount;
  readonly period: string;
  /** Tokens, then micro-dollars; empty where nothing would be applied. */
  readonly periods: readonly PeriodForecast[];
  /** False where the tenant has more scopes than were looked at. */
  readonly isWhole: boolean;
}

type PlanStore = Pick<Store, 'policies' | 'accounts' | 'scopes' | 'modelProviders'>;

/** What a forecast rests on beside the resources. */
export interface PlanBasis {
  readonly store: PlanStore;
  readonly models: Omit<ForecastModels, 'providers'>;
}

/** Every policy of the store that a plan may speak of. */
export function storedPolicies(store: PlanStore): Promise<readonly PolicyRecord[]> {
  return store.policies.list(POLICIES_MAX);
}

/**
 * One forecast for each MemoryTenant, in the order of the resources, and then for each tenant of
 * the store that a LayerSummaryPolicy or DeepDream alone speaks of. `basis` is null where nothing
 * was ever kept: every tenant is new then.
 */
export async function forecastPlan(
  resources: Resources,
  basis: PlanBasis | null,
  now: number,
): Promise<readonly TenantForecast[]> {
  const records = (await basis?.store.modelProviders.list(PROVIDERS_MAX)) ?? [];
  const providers = providersOf(resources, records);
  const choice = { providers, isChosenAnew: resources.providers.length > 0 };
  const forecasts: TenantForecast[] = [];
  const stored = basis === null ? [] : await storedPolicies(basis.store);
  for (const { merged, record } of mergedPolicies(resources, stored)) {
    const wanted = { ...merged, desired: withModels(merged.desired, record, choice) };
    const known = compiledProviders(providers);
    const models = basis === null ? null : { ...basis.models, providers: known };
    const kept = basis === null || models === null ? null : { store: basis.store, models };
    forecasts.push(await forecastTenant(wanted, record, { kept, now }));
  }
  return forecasts;
}

interface Merged {
  readonly merged: MergedPolicy;
  readonly record: PolicyRecord | null;
}

/** The policies as they would be once the resources are applied. */
function mergedPolicies(resources: Resources, stored: readonly PolicyRecord[]): readonly Merged[] {
  const byTenant = new Map(stored.map((record) => [record.tenant, record]));
  const named = Map.groupBy([...resources.policies, ...resources.dreams], placeOfTenant);
  const declared = compileResources(resources, ANY_CLUSTER).map((desired): Merged => {
    const { owner, policy } = desired;
    const record = byTenant.get(policy.tenant) ?? null;
    const own = named.get(`${owner.namespace}/${owner.name}`) ?? [];
    named.delete(`${owner.namespace}/${owner.name}`);
    // The files of a folder are all that there is of it; those of a cluster are a part.
    const isWhole = record === null || record.owner.cluster === FOLDER_CLUSTER;
    if (isWhole) return { merged: { desired, ...NOTHING_KEPT }, record };
    const spoken = new Set(own.filter(isLayerPolicy).map(({ spec }) => spec.layer));
    return { merged: withStored(desired, record.policy, spoken), record };
  });
  const alone = [...named.values()].flatMap((beside): readonly Merged[] => {
    const [first] = beside;
    if (first === undefined) return [];
    const { name } = first.spec.tenantRef;
    const record = recordNamed(stored, { namespace: namespaceOf(first), name });
    if (record === null) return [];
    const policies = beside.filter(isLayerPolicy);
    const dreams = beside.filter((one) => one.kind === 'DeepDream');
    const desired = overStored(record, { policies, dreams });
    return [{ merged: { desired, ...NOTHING_KEPT }, record }];
  });
  return [...declared, ...alone];
}

const NOTHING_KEPT = { keptLayers: [], keptDreams: [] };

/** What names a MemoryTenant. */
type BesideTenant = Resources['policies'][number] | Resources['dreams'][number];

function isLayerPolicy(resource: BesideTenant): resource is Resources['policies'][number] {
  return resource.kind === 'LayerSummaryPolicy';
}

function placeOfTenant(resource: BesideTenant): string {
  return `${namespaceOf(resource)}/${resource.spec.tenantRef.name}`;
}

interface TenantContext {
  readonly kept: { readonly store: PlanStore; readonly models: ForecastModels } | null;
  readonly now: number;
}

async function forecastTenant(
  { desired, keptLayers, keptDreams }: MergedPolicy,
  record: PolicyRecord | null,
  { kept, now }: TenantContext,
): Promise<TenantForecast> {
  const { owner, policy } = desired;
  const { tenant } = policy;
  const comparison = comparePolicy(desired, record);
  const period = periodOf(now);
  const resource = `${owner.namespace}/${owner.name}`;
  const head = { tenant, resource, comparison, keptLayers, keptDreams, period };
  const none = { rows: [], planned: NOTHING, isWhole: true };
  if (comparison.kind === 'Claimed') return { ...head, ...none, dreams: [], periods: [] };
  const { before } = comparison;
  const dreams = forecastDreams(before, policy);
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

/** Answers whether every scope was read. */
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
