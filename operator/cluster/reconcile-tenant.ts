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
import { placeOf } from './key.ts';
import { lookAgainAfter } from './look-again.ts';
import { isDeleting } from './marks.ts';
import { MEMORY_TENANT } from '#crds/resource-types.ts';
import { observeTenant } from './observe-tenant.ts';
import {
  planTenant,
  planWithoutStore,
  type TenantObservation,
  type TenantPlan,
} from './plan-tenant.ts';
import { readFacts } from './read-facts.ts';
import { outageFinding, pausedDeletionFinding } from './clean-up-findings.ts';
import { conditionsIn } from './conditions.ts';
import { isLastingOutage } from './store-outage.ts';
import { writeReady } from './write-ready.ts';
import { AFTER_CONFLICT_MS, isLostRace, writeStatus } from './write-status.ts';
import type { TenantFacts } from './tenant-facts.ts';
import type { TenantOutcome } from './tenant-findings.ts';
import { tenantStatus } from './tenant-status.ts';

export function createTenantReconcile(
  context: ClusterContext,
  onChange: (tenantKey: string) => void,
): (request: ReconcileRequest) => Promise<ReconcileResult> {
  return async (request) => {
    const { key } = request;
    const object = context.seen.tenant(key);
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
  const seen = await observeTenant(object, context, signal);
  const plan = planTenant(seen, context.platform.digest);
  if (plan.kind === 'Leave') return DONE;
  if (plan.kind === 'LetGo' || plan.kind === 'Release' || plan.kind === 'Erase') {
    return cleanUpTenant(object, plan, { context, signal });
  }
  if (plan.kind === 'Paused' && isDeleting(object.metadata)) {
    return writeReady(object, pausedDeletionFinding(object), { context, signal });
  }
  const applied = await carryOutPlan(seen, plan, { context, signal });
  const { record } = applied;
  const { timer, random } = context.waiting;
  const startedAt = timer();
  const facts = record === null ? null : await readFacts(record, context);
  const tookMs = timer() - startedAt;
  const { uid = '' } = object.metadata;
  const limits = seen.limits?.kind === 'Known' ? seen.limits.limits : null;
  const view = { uid, tenant: seen.tenant, record, facts, limits };
  if (context.views.put(key, view)) onChange(key);
  const status = statusOf(applied, view, context);
  const isToGoOn = !applied.isCarriedOut;
  const isCounting = context.walks.isUnderWay(seen.tenant);
  const lookAgainMs = lookAgainAfter({ isToGoOn, isCounting, tookMs, chance: random() });
  const write = { type: MEMORY_TENANT, object: applied.object, status, signal };
  return writeStatus(write, context, lookAgainMs);
}

type StandingPlan = Exclude<TenantPlan, { kind: 'Leave' | 'LetGo' | 'Release' | 'Erase' }>;

async function carryOutPlan(
  seen: TenantObservation,
  plan: StandingPlan,
  run: { context: ClusterContext; signal: AbortSignal },
): Promise<AppliedTenant> {
  const { object, owner } = seen;
  const record = ownRecord(seen.record, owner);
  if (plan.kind === 'Apply' || plan.kind === 'Keep') return applyTenant(seen, plan, run);
  if (plan.kind === 'Claimed') return { object, outcome: plan, record: null, isCarriedOut: true };
  const outcome: TenantOutcome =
    plan.kind === 'Paused' ? plan : { ...plan, isKept: record !== null };
  return { object, outcome, record, isCarriedOut: true };
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
  { platform, releaseNamespace }: ClusterContext,
) {
  const policy = record?.policy ?? null;
  const view = { place: placeOf(object), tenant, releaseNamespace, outcome, policy, facts };
  const generation = object.metadata.generation ?? 0;
  const moment = { generation, now: platform.clock(), before: conditionsIn(object) };
  return tenantStatus(view, record, moment);
}

function forget(key: string, { views, settled, statuses, walks }: ClusterContext): void {
  const view = views.get(key);
  if (view === null) return;
  settled.delete(view.tenant);
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
  const finding = outageFinding(object, error);
  context.platform.log.warn({ ...resourceFields(request.key), code: error.code }, finding.message);
  await writeReady(object, finding, { context, signal: request.signal });
  return { kind: 'RequeueAfter', ms: DURING_OUTAGE_MS };
}
