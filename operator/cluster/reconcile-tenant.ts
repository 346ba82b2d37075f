/**
 * One MemoryTenant from what it declares to what is so: observe → plan → apply → one status write.
 *
 * Guarantees: repeatable at any time and after a death anywhere; a tenant that stands as it stood
 * is read and not written; a store that does not answer is said in the status and tried again.
 */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { isReleased, isSameOwner, type PolicyRecord } from '#core/records/policy-record.ts';
import { DONE, type ReconcileResult } from '../queue/reconcile-result.ts';
import { resourceFields } from '../queue/resource-fields.ts';
import type { ReconcileRequest } from '../queue/workqueue.ts';
import { DURING_OUTAGE_MS } from './bounded-retries.ts';
import { applyTenant, type AppliedTenant } from './apply-tenant.ts';
import { cleanUpTenant } from './clean-up-tenant.ts';
import type { ClusterContext } from './context.ts';
import { placeOf } from '../tenant/resource-key.ts';
import { isDeleting } from '../tenant/annotations.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { observeTenant } from './observe-tenant.ts';
import {
  planTenant,
  planWithoutStore,
  type TenantObservation,
  type TenantPlan,
} from '../tenant/plan-tenant.ts';
import { readFacts } from './read-facts.ts';
import { outageCondition, pausedDeletionCondition } from './clean-up-conditions.ts';
import { conditionsIn } from '../tenant/conditions.ts';
import { isLastingOutage } from './store-outage.ts';
import { writeReady } from './write-ready.ts';
import { AFTER_CONFLICT_MS, isLostRace, writeStatus } from './write-status.ts';
import type { TenantFacts } from './tenant-facts.ts';
import type { TenantOutcome } from './tenant-conditions.ts';
import { tenantStatus } from './tenant-status.ts';
import { GO_ON_AFTER_MS, RESYNC_MS } from '../tenant/applied-policies.ts';

// When a tenant is looked at again: pure.

/** The store and the budget move without a word to the cluster, so a tenant is looked at again. */
const LOOK_AGAIN_MS = 30_000;
/** Up to as much later, so that tenants are not looked at together for ever. */
const LOOK_AGAIN_SPREAD_MS = 30_000;
/** Of the time of a worker, what looking at one tenant again and again may take. */
const LOOKING_SHARE_MAX = 0.02;

interface Looked {
  /** Whether a policy is not carried out to the end yet. */
  readonly isToGoOn: boolean;
  /** Whether scopes are left to count. */
  readonly isCounting: boolean;
  /** Milliseconds that the look at the scopes took. */
  readonly tookMs: number;
  /** At least 0 and below 1. */
  readonly chance: number;
}

/** A tenant with many scopes takes long to look at, and is looked at less often. */
export function requeueDelay({ isToGoOn, isCounting, tookMs, chance }: Looked): number {
  if (isToGoOn) return GO_ON_AFTER_MS;
  const pauseMs = Math.min(tookMs / LOOKING_SHARE_MAX, RESYNC_MS);
  if (isCounting) return Math.max(GO_ON_AFTER_MS, pauseMs);
  return Math.max(LOOK_AGAIN_MS, pauseMs) + chance * LOOK_AGAIN_SPREAD_MS;
}

export function createTenantReconcile(
  context: ClusterContext,
  onChange: (tenantKey: string) => void,
): (request: ReconcileRequest) => Promise<ReconcileResult> {
  return async (request) => {
    const { key } = request;
    const object = context.lister.tenant(key);
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

interface Reconciling {
  readonly context: ClusterContext;
  readonly onChange: (tenantKey: string) => void;
}

async function reconcileTenant(
  object: KubernetesObject,
  { key, signal }: ReconcileRequest,
  { context, onChange }: Reconciling,
): Promise<ReconcileResult> {
  const forced = planWithoutStore(object);
  if (forced?.kind === 'Leave') return DONE;
  if (forced !== null) return cleanUpTenant(object, forced, { context, signal });
  await context.fence.ensure();
  const lister = await observeTenant(object, context, signal);
  const plan = planTenant(lister, context.platform.digest);
  if (plan.kind === 'Leave') return DONE;
  if (plan.kind === 'Orphan' || plan.kind === 'Release' || plan.kind === 'Erase') {
    return cleanUpTenant(object, plan, { context, signal });
  }
  if (plan.kind === 'Paused' && isDeleting(object.metadata)) {
    return writeReady(object, pausedDeletionCondition(object), { context, signal });
  }
  const applied = await carryOutPlan(lister, plan, { context, signal });
  const { record } = applied;
  const { timer, random } = context.timers;
  const startedAt = timer();
  const facts = record === null ? null : await readFacts(record, context);
  const tookMs = timer() - startedAt;
  const { uid = '' } = object.metadata;
  const limits = lister.limits?.kind === 'Known' ? lister.limits.limits : null;
  const view = { uid, tenant: lister.tenant, record, facts, limits };
  if (context.views.put(key, view)) onChange(key);
  const status = statusOf(applied, view, context);
  const isToGoOn = !applied.isEnforced;
  const isCounting = context.walks.isUnderWay(lister.tenant);
  const requeueMs = requeueDelay({ isToGoOn, isCounting, tookMs, chance: random() });
  const write = { type: MEMORY_TENANT, object: applied.object, status, signal };
  return writeStatus(write, context, requeueMs);
}

type StandingPlan = Exclude<TenantPlan, { kind: 'Leave' | 'Orphan' | 'Release' | 'Erase' }>;

async function carryOutPlan(
  lister: TenantObservation,
  plan: StandingPlan,
  run: { context: ClusterContext; signal: AbortSignal },
): Promise<AppliedTenant> {
  const { object, owner } = lister;
  const record = ownRecord(lister.record, owner);
  if (plan.kind === 'Apply' || plan.kind === 'Keep') return applyTenant(lister, plan, run);
  if (plan.kind === 'Claimed') return { object, outcome: plan, record: null, isEnforced: true };
  const outcome: TenantOutcome =
    plan.kind === 'Paused' ? plan : { ...plan, isKept: record !== null };
  return { object, outcome, record, isEnforced: true };
}

function ownRecord(
  record: PolicyRecord | null,
  owner: TenantObservation['owner'],
): PolicyRecord | null {
  const isOwn = record !== null && !isReleased(record) && isSameOwner(record.owner, owner);
  return isOwn ? record : null;
}

function statusOf(
  { object, outcome, record }: AppliedTenant,
  { tenant, facts }: { tenant: string; facts: TenantFacts | null },
  { platform, releaseNamespace, temporal }: ClusterContext,
) {
  const policy = record?.policy ?? null;
  const { isAway: isTemporalAway } = temporal;
  const found = { tenant, releaseNamespace, outcome, policy, facts, isTemporalAway };
  const view = { place: placeOf(object), ...found };
  const generation = object.metadata.generation ?? 0;
  const moment = { generation, now: platform.clock(), before: conditionsIn(object) };
  return tenantStatus(view, record, moment);
}

function forget(key: string, { views, appliedPolicies, statuses, walks }: ClusterContext): void {
  const view = views.get(key);
  if (view === null) return;
  appliedPolicies.delete(view.tenant);
  walks.delete(view.tenant);
  statuses.forget(view.uid);
  views.delete(key);
}

/** Lost races are told nobody; an outage stands in the status once it lasts. */
async function resultOfFailure(
  error: unknown,
  { object, request, context }: Failure,
): Promise<ReconcileResult> {
  if (isLostRace(error)) return { kind: 'RequeueAfter', ms: AFTER_CONFLICT_MS };
  if (!isLastingOutage(error, request.attempt)) throw error;
  const finding = outageCondition(object, error);
  context.platform.log.warn({ ...resourceFields(request.key), code: error.code }, finding.message);
  await writeReady(object, finding, { context, signal: request.signal });
  return { kind: 'RequeueAfter', ms: DURING_OUTAGE_MS };
}
