/**
 * Brings one MemoryTenant from its observed to its desired state: observe → plan → apply → one
 * status write.
 *
 * Guarantees: repeatable at any time and after a crash anywhere; an unchanged tenant is read but
 * not written; if the store does not answer, the status says so and the reconcile is retried.
 */
import { fieldOf } from '#core/is-record.ts';
import { mayFollow } from '#core/policy/policy-ownership.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { isReleased, isSameOwner, type PolicyRecord, type Owner } from '#core/records/policy.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import {
  DONE,
  type Reconcile,
  type ReconcileRequest,
  type ReconcileResult,
  resourceFields,
  DURING_OUTAGE,
} from '../queue/reconcile-result.ts';
import {
  isDeleting,
  placeOfObject,
  namespacedKey,
  momentOf,
} from '../tenant/metadata-and-conditions.ts';
import { CONTINUE_AFTER_MS, CLUSTER_RESYNC_MS } from '../resync-intervals.ts';
import { chooseModels, providersInUse } from '../tenant/compile-policy.ts';
import {
  planTenant,
  planWithoutStore,
  type TenantObservation,
  type TenantPlan,
} from '../tenant/plan-tenant.ts';
import { applyPolicy, type AppliedTenant } from './apply-tenant.ts';
import {
  outageCondition,
  pausedDeletionCondition,
  tenantStatus,
  type TenantOutcome,
} from './tenant-conditions.ts';
import { cleanUpTenant, withFinalizer } from './clean-up-tenant.ts';
import { PROVIDERS_MAX } from '#core/records/model-provider.ts';
import type { ClusterContext } from './cluster-context.ts';
import { readStoredTenant, type StoredTenant } from './stored-tenant.ts';
import { tenantIdIn } from './resource-lister.ts';
import { writeReady, AFTER_CONFLICT_MS, isLostRace, writeStatus } from './status-writer.ts';

// When a tenant is requeued: pure.

/** The cluster is not notified when the store or the budget changes, so a tenant is requeued. */
const LOOK_AGAIN_MS = 30_000;
/** Random extra pause, so that tenants do not stay in step. */
const LOOK_AGAIN_SPREAD_MS = 30_000;
/** The share of a worker's time that repeated checks of one tenant may take. */
const LOOKING_SHARE_MAX = 0.02;

interface Looked {
  /** Whether a policy is not fully enforced yet. */
  readonly isToGoOn: boolean;
  /** Whether scopes are left to count. */
  readonly isCounting: boolean;
  /** Milliseconds that reading the scopes took. */
  readonly tookMs: number;
  /** Random; at least 0 and below 1. */
  readonly chance: number;
}

/**
 * Returns the delay in milliseconds. A tenant with many scopes takes long to check, so it is
 * checked less often.
 */
export function requeueDelay({ isToGoOn, isCounting, tookMs, chance }: Looked): number {
  if (isToGoOn) return CONTINUE_AFTER_MS;
  const pauseMs = Math.min(tookMs / LOOKING_SHARE_MAX, CLUSTER_RESYNC_MS);
  if (isCounting) return Math.max(CONTINUE_AFTER_MS, pauseMs);
  return Math.max(LOOK_AGAIN_MS, pauseMs) + chance * LOOK_AGAIN_SPREAD_MS;
}

export function createTenantReconcile(
  context: ClusterContext,
  onChange: (tenantKey: string) => void,
): Reconcile {
  return async (request) => {
    const { key } = request;
    const object = context.lister.get('tenants', key);
    if (object === null) {
      forget(key, context);
      onChange(key);
      return DONE;
    }
    try {
      return await reconcileTenant(object, request, { context, onChange });
    } catch (error) {
      return resultOfFailure(error, { object, request, context });
    }
  };
}

interface Failure {
  readonly object: KubernetesObject;
  readonly request: ReconcileRequest;
  readonly context: ClusterContext;
}

async function reconcileTenant(
  object: KubernetesObject,
  { key, signal }: ReconcileRequest,
  { context, onChange }: { context: ClusterContext; onChange: (tenantKey: string) => void },
): Promise<ReconcileResult> {
  const forced = planWithoutStore(object);
  if (forced?.kind === 'Leave') return DONE;
  if (forced !== null) return cleanUpTenant(object, forced, { context, signal });
  await context.fence.ensure();
  const seen = await observeTenant(object, context, signal);
  context.storeOutage.answered();
  const plan = planTenant(seen, context.platform.digest);
  if (plan.kind === 'Leave') return DONE;
  if (plan.kind === 'Orphan' || plan.kind === 'Release' || plan.kind === 'Erase') {
    return cleanUpTenant(object, plan, { context, signal });
  }
  if (plan.kind === 'Paused' && isDeleting(object.metadata)) {
    return writeReady(object, pausedDeletionCondition(object), { context, signal });
  }
  const applied = await applyPlan(seen, plan, { context, signal });
  const { record } = applied;
  const { timer, random } = context.timers;
  const startedAt = timer();
  const facts = record === null ? null : await readStoredTenant(record, context);
  const tookMs = timer() - startedAt;
  const { uid = '' } = object.metadata;
  const limits = seen.limits?.kind === 'Known' ? seen.limits.limits : null;
  const view = { uid, tenant: seen.tenant, record, facts, limits };
  if (context.views.put(key, view)) onChange(key);
  const status = statusOf(applied, view, context);
  const isToGoOn = !applied.isEnforced;
  const isCounting = context.scopeCounts.isUnderWay(seen.tenant);
  const requeueMs = requeueDelay({ isToGoOn, isCounting, tookMs, chance: random() });
  const write = { type: MEMORY_TENANT, object: applied.object, status, signal };
  return writeStatus(write, context, requeueMs);
}

type DeclaredTenantPlan = Exclude<TenantPlan, { kind: 'Leave' | 'Orphan' | 'Release' | 'Erase' }>;

async function applyPlan(
  seen: TenantObservation,
  plan: DeclaredTenantPlan,
  run: { context: ClusterContext; signal: AbortSignal },
): Promise<AppliedTenant> {
  const { object, owner } = seen;
  const isOwn =
    seen.record !== null && !isReleased(seen.record) && isSameOwner(seen.record.owner, owner);
  const record = isOwn ? seen.record : null;
  if (plan.kind === 'Apply' || plan.kind === 'Keep') {
    const withOne = await withFinalizer(object, { ...run.context, signal: run.signal });
    return applyPolicy({ ...seen, object: withOne }, plan, run);
  }
  if (plan.kind === 'Claimed') return { object, outcome: plan, record: null, isEnforced: true };
  const outcome: TenantOutcome =
    plan.kind === 'Paused' ? plan : { ...plan, isKept: record !== null };
  return { object, outcome, record, isEnforced: true };
}

function statusOf(
  { object, outcome, record }: AppliedTenant,
  { tenant, facts }: { tenant: string; facts: StoredTenant | null },
  { platform, releaseNamespace, temporal }: ClusterContext,
) {
  const policy = record?.policy ?? null;
  const { isAway: isTemporalAway } = temporal;
  const found = { tenant, releaseNamespace, outcome, policy, facts, isTemporalAway };
  const view = { place: placeOfObject(object), ...found };
  return tenantStatus(view, record, momentOf(object, platform));
}

function forget(
  key: string,
  { views, enforcedPolicies, statuses, scopeCounts }: ClusterContext,
): void {
  const view = views.get(key);
  if (view === null) return;
  enforcedPolicies.delete(view.tenant);
  scopeCounts.delete(view.tenant);
  statuses.forget(view.uid);
  views.delete(key);
}

/** Lost races are not reported. An outage is reported in the status once it lasts. */
async function resultOfFailure(
  error: unknown,
  { object, request, context }: Failure,
): Promise<ReconcileResult> {
  if (isLostRace(error)) return { kind: 'RequeueAfter', ms: AFTER_CONFLICT_MS };
  const now = context.timers.timer();
  if (!context.storeOutage.isLasting(error, request.attempt, now)) throw error;
  const finding = outageCondition(object, error);
  const fields = { ...resourceFields(request.key), code: error.code, error: finding.message };
  context.platform.log.warn(fields, 'tenant not reconciled; will retry');
  await writeReady(object, finding, { context, signal: request.signal });
  return DURING_OUTAGE;
}

/** Observe: reads everything that the plan for one MemoryTenant depends on. Writes nothing. */
async function observeTenant(
  object: KubernetesObject,
  context: ClusterContext,
  signal: AbortSignal,
): Promise<TenantObservation> {
  const { lister, store, clusterId, releaseNamespace } = context;
  const place = placeOfObject(object);
  const owner: Owner = { cluster: clusterId, ...place, uid: object.metadata.uid ?? '' };
  const tenant = tenantIdIn(object);
  const record = await store.policies.get(tenant);
  const objects = lister
    .providersIn(releaseNamespace)
    .map((provider) => ({ object: provider, reading: lister.readProvider(provider) }));
  const installation = { cluster: clusterId, namespace: releaseNamespace };
  // No limit applies to a tenant that is being deleted, so it need not wait for them.
  const limits = isDeleting(object.metadata) ? null : await context.limits.known();
  const allowed = limits?.kind === 'Known' ? limits.limits.models : null;
  const records = objects.length === 0 ? [] : await store.modelProviders.list(PROVIDERS_MAX);
  const inUse = providersInUse(objects, records, installation);
  return {
    object,
    reading: lister.readTenant(object),
    tenant,
    owner,
    layerPolicies: lister.layerPoliciesOf(place),
    dreams: lister.dreamsOf(place),
    models: chooseModels(inUse, place.namespace, allowed),
    ...(limits === null ? {} : { limits }),
    record,
    isOwnerGone: await isOwnerGone({ record, owner }, context, signal),
    enforcedHash: enforcedOf(object),
  };
}

/**
 * Asks the server, since a cache may not have seen a resource yet. Does not ask if this resource
 * could not take the tenant over from that owner anyway.
 */
async function isOwnerGone(
  { record, owner }: { record: PolicyRecord | null; owner: Owner },
  { api, lister }: ClusterContext,
  signal: AbortSignal,
): Promise<boolean> {
  if (record === null || isSameOwner(record.owner, owner)) return false;
  if (!mayFollow(record.owner, owner)) return false;
  const { namespace, name, uid } = record.owner;
  if (lister.get('tenants', namespacedKey({ namespace, name }))?.metadata.uid === uid) return false;
  const live = await api.get(MEMORY_TENANT, { namespace, name }, signal);
  return live?.metadata.uid !== uid;
}

/** Returns what the status says was enforced; the status is written last of all. */
function enforcedOf(object: KubernetesObject): TenantObservation['enforcedHash'] {
  const policy = fieldOf(object['status'], 'policy');
  const [generation, hash] = [fieldOf(policy, 'generation'), fieldOf(policy, 'hash')];
  if (typeof generation !== 'number' || typeof hash !== 'string') return null;
  return { generation, hash };
}
