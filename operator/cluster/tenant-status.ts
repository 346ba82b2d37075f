/** The status of a MemoryTenant: pure, from its view. Unknown fields are left out. */
import { limitOf } from '#core/budget/reserve-and-settle.ts';
import { VarveError } from '#core/errors.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { Account } from '#core/records/account.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';
import type { Condition, MemoryTenantStatus } from '#crds/status.ts';
import {
  FORCE_RELEASE_ANNOTATION,
  isDeleting,
  PAUSED_ANNOTATION,
  placeOf,
} from '../tenant/annotations.ts';
import {
  conditionsOf,
  timeText,
  found,
  type ConditionState,
  readyIn,
} from '../tenant/read-conditions.ts';
import type { ClusterContext } from './cluster-context.ts';
import { tenantKeyIn } from './resource-lister.ts';
import { tenantConditions, type TenantView } from './tenant-conditions.ts';
import type { TenantFacts } from './tenant-facts.ts';

export interface StatusMoment {
  readonly generation: number;
  readonly now: number;
  readonly before: readonly Condition[];
}

/** @param record of the tenant, where it is this resource's */
export function tenantStatus(
  view: TenantView,
  record: Pick<PolicyRecord, 'generation' | 'hash'> | null,
  { generation, now, before }: StatusMoment,
): MemoryTenantStatus & { readonly conditions: readonly Condition[] } {
  const conditions = conditionsOf(tenantConditions(view), before, { generation, now });
  return {
    observedGeneration: generation,
    conditions,
    tenantId: view.tenant,
    ...(record === null ? {} : { policy: { generation: record.generation, hash: record.hash } }),
    ...(view.facts === null ? {} : factFields(view.facts)),
  };
}

function factFields(facts: TenantFacts): Omit<MemoryTenantStatus, 'conditions' | 'tenantId'> {
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

/** `12/14`; a `+` says that there are more, which were not counted yet. */
function freshnessText({ fresh, stale, isComplete }: TenantFacts): string {
  return `${String(fresh)}/${String(fresh + stale)}${isComplete ? '' : '+'}`;
}

/** `$3.20 of $25.00, 12000 of 500000 tokens`: whatever is limited, since either may end first. */
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

/** To the cent, half a cent up: what a person reads, and no accounting. */
function cents(microDollars: number): string {
  const whole = Math.round(microDollars / MICRO_DOLLARS_PER_CENT);
  return ((whole * MICRO_DOLLARS_PER_CENT) / MICRO_DOLLARS_PER_DOLLAR).toFixed(2);
}

/**
 * Whether the store failed: whatever is not of the API server, which reports its status, and is not
 * the end of this process or of its term.
 */
export function isOfStore({ code, details }: VarveError): boolean {
  return code !== 'CANCELLED' && !Object.hasOwn(details, 'httpStatus');
}

/** A permanent failure is reported with its code, since a person must act. */
export function outageCondition(
  object: KubernetesObject,
  { code, retryable }: Pick<VarveError, 'code' | 'retryable'>,
): ConditionState {
  const what = retryable ? 'The store does not answer' : `The store refuses its work (${code})`;
  if (!isDeleting(object.metadata)) {
    const message =
      `${what}, so nothing is applied; the last applied policy stays in force. ` +
      'Varve retries it. See why with: varve doctor';
    return found('False', 'StoreUnavailable', message);
  }
  const message =
    `${what}, so the tenant can not be released yet. It is tried again by ` +
    'itself. Where the store is gone for good, let the resource go without clean-up: ' +
    forceRelease(object);
  return found('False', 'CleanupBlocked', message);
}

/** The Ready condition of a tenant that is being deleted, or whose store does not answer: pure. */
export function erasingCondition(deleted: number): ConditionState {
  const message = `Everything of the tenant is being deleted; ${String(deleted)} records so far.`;
  return found('False', 'Erasing', message);
}

export function underWayCondition(): ConditionState {
  const message =
    'Everything of the tenant was deleted. The operator waits for what was under way, which may ' +
    'take some minutes, and deletes what that leaves.';
  return found('False', 'Erasing', message);
}

export function pausedDeletionCondition(object: KubernetesObject): ConditionState {
  const { namespace, name } = placeOf(object);
  const command = `kubectl annotate memorytenant ${name} -n ${namespace} ${PAUSED_ANNOTATION}-`;
  const message = `The deletion waits, since the resource is paused. Resume with: ${command}`;
  return found('False', 'Paused', message);
}

/** How to let a resource go without its store. */
function forceRelease(object: KubernetesObject): string {
  const { namespace, name } = placeOf(object);
  const annotation = `${FORCE_RELEASE_ANNOTATION}=true`;
  return `kubectl annotate memorytenant ${name} -n ${namespace} ${annotation}`;
}

/** Failures in a row that are tried again at once and not talked about. */
const QUIET_ATTEMPTS_MAX = 3;
/**
 * The status of resources while the store is unavailable and their record or tenant can't be read:
 * pure. Of a tenant that goes, or is held up by its store, see `outageCondition`.
 */
export const STORE_UNAVAILABLE = 'StoreUnavailable';

/** Whether it is a failure of the store that persists, so that it must be reported. */
export function isLastingOutage(error: unknown, attempt: number): error is VarveError {
  return error instanceof VarveError && isOfStore(error) && attempt > QUIET_ATTEMPTS_MAX;
}

/** Of a ModelProvider. */
export function providerOutage({ code, retryable }: VarveError): ConditionState {
  const what = retryable ? 'The store does not answer' : `The store refuses its work (${code})`;
  const message =
    `${what}, so it is not known whether the provider works, and nothing is applied; what was ` +
    'last applied stays in force. Varve retries it. See why with: varve doctor';
  return found('Unknown', STORE_UNAVAILABLE, message);
}

/**
 * The tenant of a resource, what is known of it, and what is said of the resource while that is
 * nothing. Null where the tenant is looked at first, and says so.
 */
export function standingOf(
  object: KubernetesObject,
  { lister, views }: Pick<ClusterContext, 'lister' | 'views'>,
) {
  const tenantKey = tenantKeyIn(object);
  const tenant = lister.tenant(tenantKey);
  if (tenant === null) return { tenantKey, tenant, snapshot: null, outage: null };
  const snapshot = views.get(tenantKey);
  const isKnown = snapshot?.uid === tenant.metadata.uid || isDeleting(tenant.metadata);
  const outage = isKnown ? null : outageOfTenant(object, tenant);
  return isKnown || outage !== null ? { tenantKey, tenant, snapshot, outage } : null;
}

/**
 * Of a resource that waits for the first look at its tenant. Null where the tenant does not say
 * that the store is away, since that look is a moment off; and where this version of the resource
 * was reported before, since what stood then may well stand.
 */
function outageOfTenant(object: KubernetesObject, tenant: KubernetesObject): ConditionState | null {
  const before = readyIn(object);
  if (readyIn(tenant)?.reason !== STORE_UNAVAILABLE) return null;
  if (before !== null && before.observedGeneration === object.metadata.generation) return null;
  const { namespace, name } = placeOf(tenant);
  const message =
    `MemoryTenant ${name} can not be read from the store, so it is not known whether this is in ` +
    'force. Varve retries it. See why with: ' +
    `kubectl describe memorytenant ${name} -n ${namespace}`;
  return found('Unknown', STORE_UNAVAILABLE, message);
}
