/**
 * The status of a MemoryTenant and its conditions: pure, from the outcome of the plan and the
 * reports of the store. Unknown fields are left out.
 *
 * No message contains a number or time that moves, so that the status of an unchanged tenant is not
 * written again.
 */
import { limitOf, reservedOf } from '#core/budget/budget-account.ts';
import type { VarveError } from '#core/errors.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { Account } from '#core/records/account.ts';
import type { PolicyRecord, Owner, TenantPolicy } from '#core/records/policy.ts';
import type { Condition, MemoryTenantStatus } from '#crds/status.ts';
import {
  FORCE_RELEASE_ANNOTATION,
  isDeleting,
  PAUSED_ANNOTATION,
  placeOfObject,
  statusConditions,
  timeText,
  conditionState,
  type ConditionState,
  type StatusMoment,
  readyIn,
  firstUnmet,
  type NamespacedPlace,
} from '../tenant/metadata-and-conditions.ts';
import type { ClusterContext } from './cluster-context.ts';
import { tenantKeyIn } from './resource-lister.ts';
import { type StoredTenant, providersOf } from './stored-tenant.ts';
import type { ModelProviderRecord } from '#core/records/model-provider.ts';
import type { AppliedLimits } from '../tenant/apply-platform-limits.ts';

/** @param record of the tenant, if this resource owns it */
export function tenantStatus(
  view: TenantView,
  record: Pick<PolicyRecord, 'generation' | 'hash'> | null,
  moment: StatusMoment,
): MemoryTenantStatus & { readonly conditions: readonly Condition[] } {
  return {
    observedGeneration: moment.generation,
    conditions: statusConditions(tenantConditions(view), moment),
    tenantId: view.tenant,
    ...(record === null ? {} : { policy: { generation: record.generation, hash: record.hash } }),
    ...(view.facts === null ? {} : factFields(view.facts)),
  };
}

function factFields(facts: StoredTenant): Omit<MemoryTenantStatus, 'conditions' | 'tenantId'> {
  const { fresh, stale, account, lastRefreshAt, nextRefreshAt, lastError } = facts;
  return {
    freshness: { fresh, stale, summary: freshnessText(facts) },
    budget: {
      period: account.period,
      usedTokens: account.spent.tokens,
      usedDollars: cents(account.spent.microDollars),
      summary: budgetText(account),
    },
    ...(lastRefreshAt === null ? {} : { lastRefreshTime: timeText(lastRefreshAt) }),
    ...(nextRefreshAt === null ? {} : { nextRefreshTime: timeText(nextRefreshAt) }),
    ...(lastError === null ? {} : { lastError }),
  };
}

/** E.g. `12/14`; a `+` means that more scopes were not counted yet. */
function freshnessText({ fresh, stale, isComplete }: StoredTenant): string {
  return `${String(fresh)}/${String(fresh + stale)}${isComplete ? '' : '+'}`;
}

/**
 * E.g. `$3.20 of $25.00, 12000 of 500000 tokens`: every limited amount, since either may run out
 * first.
 */
function budgetText(account: Account): string {
  const [dollars, tokens] = [limitOf(account, 'microDollars'), limitOf(account, 'tokens')];
  const { spent } = account;
  const parts = [
    ...(dollars === null ? [] : [`$${cents(spent.microDollars)} of $${cents(dollars)}`]),
    ...(tokens === null ? [] : [`${spent.tokens} of ${tokens} tokens`]),
  ];
  return parts.length === 0 ? `$${cents(spent.microDollars)}, no limit` : parts.join(', ');
}

const MICRO_DOLLARS_PER_CENT = 10_000;
const MICRO_DOLLARS_PER_DOLLAR = 1_000_000;

/** Rounded to the cent, half a cent up: for people, not for accounting. */
function cents(microDollars: number): string {
  const whole = Math.round(microDollars / MICRO_DOLLARS_PER_CENT);
  return ((whole * MICRO_DOLLARS_PER_CENT) / MICRO_DOLLARS_PER_DOLLAR).toFixed(2);
}

/** Reports a permanent failure with its code, since a person must act. */
export function outageCondition(
  object: KubernetesObject,
  { code, retryable }: Pick<VarveError, 'code' | 'retryable'>,
): ConditionState {
  const what = retryable ? 'The store does not answer' : `The store refuses its work (${code})`;
  if (!isDeleting(object.metadata)) {
    const message =
      `${what}, so nothing is applied; the last applied policy stays in force. ` +
      'Varve retries it. See why with: varve doctor';
    return conditionState('False', 'StoreUnavailable', message);
  }
  const message =
    `${what}, so the tenant cannot be released yet. Varve retries it. ` +
    'If the store is gone for good, release the resource without cleanup: ' +
    forceRelease(object);
  return conditionState('False', 'CleanupBlocked', message);
}

/** The Ready condition while a tenant is erased. */
export function erasingCondition(deleted: number): ConditionState {
  const message = `Everything of the tenant is being deleted; ${String(deleted)} records so far.`;
  return conditionState('False', 'Erasing', message);
}

export function underWayCondition(): ConditionState {
  const message =
    'Everything of the tenant was deleted. The operator waits for work still under way, which ' +
    'may take some minutes, and deletes what it leaves.';
  return conditionState('False', 'Erasing', message);
}

export function pausedDeletionCondition(object: KubernetesObject): ConditionState {
  const { namespace, name } = placeOfObject(object);
  const command = `kubectl annotate memorytenant ${name} -n ${namespace} ${PAUSED_ANNOTATION}-`;
  const message = `The deletion waits, since the resource is paused. Resume with: ${command}`;
  return conditionState('False', 'Paused', message);
}

/** How to release a resource without its store. */
function forceRelease(object: KubernetesObject): string {
  const { namespace, name } = placeOfObject(object);
  const annotation = `${FORCE_RELEASE_ANNOTATION}=true`;
  return `kubectl annotate memorytenant ${name} -n ${namespace} ${annotation}`;
}

/**
 * The reason in the status of a resource while the store does not answer, so that its record or
 * tenant can't be read. For a tenant that is deleted or held up by its store, see
 * `outageCondition`.
 */
const STORE_UNAVAILABLE = 'StoreUnavailable';

/** Ready of a ModelProvider while the store fails. */
export function providerOutage({ code, retryable }: VarveError): ConditionState {
  const what = retryable ? 'The store does not answer' : `The store refuses its work (${code})`;
  const message =
    `${what}, so it is not known whether the provider works, and nothing is applied; the last ` +
    'applied settings stay in force. Varve retries it. See why with: varve doctor';
  return conditionState('Unknown', STORE_UNAVAILABLE, message);
}

/**
 * Returns the tenant that a resource refers to, what is known of it, and the condition to report
 * while nothing is. Null while the first reconcile of the tenant is still to come; that reconcile
 * adds this resource again.
 */
export function tenantOfResource(
  object: KubernetesObject,
  { lister, views }: Pick<ClusterContext, 'lister' | 'views'>,
) {
  const tenantKey = tenantKeyIn(object);
  const tenant = lister.get('tenants', tenantKey);
  if (tenant === null) return { tenantKey, tenant, snapshot: null, outage: null };
  const snapshot = views.get(tenantKey);
  const isKnown = snapshot?.uid === tenant.metadata.uid || isDeleting(tenant.metadata);
  const outage = isKnown ? null : outageOfTenant(object, tenant);
  return isKnown || outage !== null ? { tenantKey, tenant, snapshot, outage } : null;
}

/**
 * Returns the condition Ready of a resource whose tenant was not reconciled yet. Null unless the
 * tenant reports that the store is unavailable: otherwise its first reconcile follows in a moment.
 * Also null if this version of the resource has a report, which may still hold.
 */
function outageOfTenant(object: KubernetesObject, tenant: KubernetesObject): ConditionState | null {
  const before = readyIn(object);
  if (readyIn(tenant)?.reason !== STORE_UNAVAILABLE) return null;
  if (before !== null && before.observedGeneration === object.metadata.generation) return null;
  const { namespace, name } = placeOfObject(tenant);
  const message =
    `MemoryTenant ${name} cannot be read from the store, so it is not known whether this is in ` +
    'force. Varve retries it. See why with: ' +
    `kubectl describe memorytenant ${name} -n ${namespace}`;
  return conditionState('Unknown', STORE_UNAVAILABLE, message);
}

/** The outcome of the plan, as far as a person has to know it. */
export type TenantOutcome =
  | { readonly kind: 'InForce'; readonly applied: AppliedLimits }
  | { readonly kind: 'Paused' }
  | { readonly kind: 'Invalid'; readonly report: string; readonly isKept: boolean }
  | { readonly kind: 'LimitsUnknown'; readonly problem: string; readonly isKept: boolean }
  | { readonly kind: 'Claimed'; readonly owner: Owner; readonly isReleased: boolean };

export interface TenantView {
  readonly place: NamespacedPlace;
  readonly tenant: string;
  readonly releaseNamespace: string;
  readonly outcome: TenantOutcome;
  /** The policy in the store, if this resource owns it. */
  readonly policy: TenantPolicy | null;
  /** Null if this resource does not own the tenant, or the store does not answer. */
  readonly facts: StoredTenant | null;
  /** Whether Temporal did not answer the latest check. */
  readonly isTemporalAway: boolean;
}

/** Commands need the store, which only pods of the installation can reach. */
export const WHO_RUNS_COMMANDS = 'Platform admin, from an API pod (docs/operating/alerts.md)';

type TenantConditions = Readonly<
  Record<'Ready' | 'Accepted' | 'Fresh' | 'BudgetAvailable' | 'ModelAvailable', ConditionState>
>;

export function tenantConditions(view: TenantView): TenantConditions {
  const Accepted = accepted(view);
  const Fresh = fresh(view);
  const BudgetAvailable = budgetAvailable(view);
  const ModelAvailable = modelAvailable(view);
  // Summaries are stale now and then by design; that does not make a tenant unready.
  const working = [Accepted, pausedCondition(view), BudgetAvailable, ModelAvailable];
  const Ready = firstUnmet(
    working,
    conditionState(
      'True',
      'InForce',
      'The policy is in force, and budget and models are available.',
    ),
  );
  return { Ready: unready(Ready), Accepted, Fresh, BudgetAvailable, ModelAvailable };
}

/**
 * A tenant is unready while something is not known to work; a model that was never called is
 * excepted.
 */
function unready(finding: ConditionState): ConditionState {
  return finding.status === 'Unknown' ? { ...finding, status: 'False' } : finding;
}

function accepted({ outcome, place, policy, tenant }: TenantView): ConditionState {
  const { namespace, name } = place;
  if (outcome.kind === 'Invalid') {
    const rest = restOf(outcome);
    const edit = `Fix it with: kubectl edit memorytenant ${name} -n ${namespace}`;
    return conditionState('False', 'InvalidSpec', `${outcome.report} ${rest} ${edit}`);
  }
  if (outcome.kind === 'Claimed') return claimed({ outcome, place, tenant });
  if (outcome.kind === 'Paused' && policy === null) return paused(place, false);
  if (outcome.kind === 'LimitsUnknown') {
    const message = `The platform's limits cannot be read. ${outcome.problem} ${restOf(outcome)}`;
    return conditionState('False', 'LimitsUnreadable', message);
  }
  const valid = 'The resource is valid and owns the tenant.';
  const changes = outcome.kind === 'InForce' ? outcome.applied.changes : [];
  if (changes.length === 0) return conditionState('True', 'Accepted', valid);
  return conditionState(
    'True',
    'Limited',
    `${valid} The platform's limits apply: ${changes.join('; ')}.`,
  );
}

function restOf({ isKept }: { readonly isKept: boolean }): string {
  return isKept ? 'The last valid policy stays in force.' : 'Nothing was applied.';
}

type ClaimedView = Pick<TenantView, 'place' | 'tenant'> & {
  readonly outcome: Extract<TenantOutcome, { kind: 'Claimed' }>;
};

function claimed({ outcome, place, tenant }: ClaimedView): ConditionState {
  const { cluster, namespace, name } = outcome.owner;
  if (outcome.isReleased) {
    const move = `varve tenants move --tenant ${tenant} --to-namespace ${place.namespace}`;
    const message =
      `The tenant id belonged to MemoryTenant ${namespace}/${name} of cluster ${cluster}, which ` +
      'released it and kept its memories. Only a MemoryTenant in that cluster and namespace can ' +
      'take them over; nothing was changed. Create this resource there, or create one with ' +
      `another tenantId. ${WHO_RUNS_COMMANDS}: ${move} moves it here, within a cluster.`;
    return conditionState('False', 'TenantClaimed', message);
  }
  const look = `kubectl describe memorytenant ${name} -n ${namespace}`;
  const message =
    `The tenant id belongs to MemoryTenant ${namespace}/${name} of cluster ${cluster}; nothing ` +
    `was changed. Recreate this resource with another tenantId, or see: ${look}`;
  return conditionState('False', 'TenantClaimed', message);
}

function pausedCondition({ outcome, place, policy }: TenantView): ConditionState {
  if (outcome.kind === 'Paused') return paused(place, policy !== null);
  return conditionState('True', 'InForce', '');
}

function paused({ namespace, name }: NamespacedPlace, isInForce: boolean): ConditionState {
  const rest = isInForce ? 'The last applied policy stays in force.' : 'Nothing was applied yet.';
  const command = `kubectl annotate memorytenant ${name} -n ${namespace} ${PAUSED_ANNOTATION}-`;
  return conditionState(
    'False',
    'Paused',
    `Changes are not applied. ${rest} Resume with: ${command}`,
  );
}

function fresh({ facts, tenant, isTemporalAway }: TenantView): ConditionState {
  if (facts === null) return UNKNOWN;
  if (facts.dead > 0) {
    const message =
      `Some summaries failed three times. ${WHO_RUNS_COMMANDS}: varve summaries dead-letters ` +
      `--tenant ${tenant} says why; varve summaries retry --tenant ${tenant} tries them again.`;
    return conditionState('False', 'DeadLettered', message);
  }
  if (facts.stale > 0 && isTemporalAway) return conditionState('False', AWAY, NO_REFRESH);
  if (facts.stale > 0) {
    const message =
      'Some summaries are behind their sources; status.freshness counts them, and ' +
      'status.nextRefreshTime says when they are next checked.';
    return conditionState('False', 'Stale', message);
  }
  if (!facts.isComplete) {
    const message =
      'The tenant has so many scopes that Varve checks them in turns, and has not checked all ' +
      'yet. The checked ones are fresh; status.freshness counts them, and the rest follow.';
    return conditionState('Unknown', 'StillCounting', message);
  }
  if (facts.fresh === 0)
    return conditionState('True', 'NothingToSummarize', 'There are no summaries yet.');
  return conditionState('True', 'Fresh', 'Every summary matches its sources.');
}

const AWAY = 'TemporalUnavailable';
const NO_REFRESH =
  'Temporal does not answer, so nothing is refreshed; some summaries are behind their sources ' +
  'and are served as stale. Due work is kept and resumes once Temporal answers. ' +
  'A platform admin finds the reason in the log of the operator.';

function budgetAvailable({ facts, policy, tenant }: TenantView): ConditionState {
  if (facts === null || policy === null) return UNKNOWN;
  const { account, waitingForBudget } = facts;
  const limits = [limitOf(account, 'tokens'), limitOf(account, 'microDollars')];
  if (limits.every((limit) => limit === null)) {
    return conditionState('True', 'NoLimit', 'The tenant has no limit.');
  }
  if (waitingForBudget === 0 && !isUsedUp(account)) {
    return conditionState('True', 'WithinLimit', 'The budget of the period is not used up.');
  }
  const then = {
    Reject: 'Refreshes are refused',
    ServeStale: 'The last summaries are served as stale',
    Extractive: 'Summaries are made without a model',
  }[policy.budget.onExhausted];
  const more = `varve budget grant --tenant ${tenant} --dollars 5 --reason "…"`;
  // A limit of 0 stays used up in every period.
  const [state, until] = limits.includes(0)
    ? ['The budget is 0, so no model is called', 'until']
    : [`The budget of ${account.period} is used up`, 'until the period ends,'];
  const message =
    `${state}. ${then} ${until} the resource allows more, or more is granted. ` +
    `${WHO_RUNS_COMMANDS}: ${more} grants it; ` +
    `varve budget show --tenant ${tenant} shows what was spent.`;
  return conditionState('False', 'BudgetExhausted', message);
}

function isUsedUp(account: Account): boolean {
  const reserved = reservedOf(account);
  return (['tokens', 'microDollars'] as const).some((measure) => {
    const limit = limitOf(account, measure);
    return limit !== null && account.spent[measure] + reserved[measure] >= limit;
  });
}

function modelAvailable(view: TenantView): ConditionState {
  const { facts, policy, releaseNamespace } = view;
  if (facts === null || policy === null) return UNKNOWN;
  const { outcome } = view;
  const unserved = outcome.kind === 'InForce' ? outcome.applied.unserved : [];
  if (unserved.length > 0) {
    const classes = unserved.join(' and ');
    const message =
      `The platform allows only models of class ${classes}, but no ModelProvider that serves the ` +
      'namespace has one, so the installation itself serves it. A platform admin has to change ' +
      'one of the two.';
    return conditionState('False', 'AllowedClassNotServed', message);
  }
  const names = providersOf(policy);
  if (names.length === 0) {
    const message = 'No ModelProvider serves the namespace; the installation itself does.';
    return conditionState('True', 'InstallationModels', message);
  }
  for (const name of names) {
    const record = facts.providers.find((provider) => provider.name === name);
    const finding = unavailable(name, record, releaseNamespace);
    if (finding !== null) return finding;
  }
  return conditionState(
    'True',
    'Available',
    `Models come from ModelProvider ${names.join(' and ')}.`,
  );
}

function unavailable(
  name: string,
  record: ModelProviderRecord | undefined,
  releaseNamespace: string,
): ConditionState | null {
  const look = `kubectl describe modelprovider ${name} -n ${releaseNamespace}`;
  if (record === undefined) {
    const message = `ModelProvider ${name} is not in the store yet. Look at it: ${look}`;
    return conditionState('False', 'ModelUnavailable', message);
  }
  if (record.check?.state !== 'Unavailable') return null;
  const code = record.check.code ?? 'Unavailable';
  const message = `ModelProvider ${name} does not answer as it should (${code}). See: ${look}`;
  return conditionState('False', 'ModelUnavailable', message);
}

const UNKNOWN = conditionState(
  'Unknown',
  'NotKnown',
  'The tenant has no state until the resource is applied.',
);
