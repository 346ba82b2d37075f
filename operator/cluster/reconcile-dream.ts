/**
 * One DeepDream: only its status is written, since it reaches the store with its tenant. Reads
 * nothing but memory.
 */
import { DEEP_DREAM } from '#crds/resource-types.ts';
import { NO_LIMITS } from '#crds/limit-values.ts';
import { DONE, type ReconcileResult } from '../queue/reconcile-result.ts';
import type { ReconcileRequest } from '../queue/workqueue.ts';
import { conditionsIn, firstUnmet } from '../tenant/conditions.ts';
import type { ClusterContext } from './context.ts';
import { dreamConditions, type DreamView } from './dream-conditions.ts';
import { dreamStatus } from './dream-status.ts';
import { placeOfKey } from '../tenant/resource-key.ts';
import { isDeleting } from '../tenant/annotations.ts';
import { tenantIdIn, tenantKeyIn, tenantNameIn } from './resource-lister.ts';
import { outageOfTenant } from './store-outage.ts';
import type { TenantSnapshot } from './last-reconcile.ts';
import { heardDreams, type SeenDream } from '../tenant/desired-dreams.ts';
import { writeConditions } from './write-conditions.ts';
import { writeStatus } from './write-status.ts';

export function createDreamReconcile(
  context: ClusterContext,
): (request: ReconcileRequest) => Promise<ReconcileResult> {
  return async ({ key, signal }) => {
    const { lister, views, platform } = context;
    const object = lister.dream(key);
    if (object === null || isDeleting(object.metadata)) return DONE;
    const tenantKey = tenantKeyIn(object);
    const tenant = lister.tenant(tenantKey);
    const snapshot = views.get(tenantKey);
    // Its tenant is looked at first, and says so.
    const isTenantPending = tenant !== null && snapshot?.uid !== tenant.metadata.uid;
    const isPending = isTenantPending && !isDeleting(tenant.metadata);
    const outage = isPending ? outageOfTenant(object, tenant) : null;
    if (isPending && outage === null) return DONE;
    const dream = { object, reading: lister.readDream(object) };
    const view = viewOf(dream, tenant === null ? null : snapshot, context);
    if (outage !== null) {
      const { Accepted } = dreamConditions(view);
      const findings = { Ready: firstUnmet([Accepted], outage), Accepted };
      return writeConditions({ type: DEEP_DREAM, object, findings }, { context, signal });
    }
    const before = conditionsIn(object);
    const status = dreamStatus(view, {
      generation: object.metadata.generation ?? 0,
      now: platform.clock(),
      before,
    });
    return writeStatus({ type: DEEP_DREAM, object, status, signal }, context);
  };
}

function viewOf(
  dream: SeenDream,
  snapshot: TenantSnapshot | null,
  { lister }: ClusterContext,
): DreamView {
  const { object } = dream;
  const { name, uid } = object.metadata;
  const tenantKey = tenantKeyIn(object);
  const tenant = lister.tenant(tenantKey);
  const heard = heardDreams(lister.dreamsOf(placeOfKey(tenantKey)));
  const { dreams = [] } = snapshot?.record?.policy ?? {};
  const { schedules = [], isWaiting = false } = snapshot?.facts?.dreams ?? {};
  return {
    dream,
    tenantName: tenantNameIn(object),
    tenant,
    tenantId: snapshot?.tenant ?? (tenant === null ? '' : tenantIdIn(tenant)),
    tenantReady: tenant === null ? null : readyOf(tenant),
    isHeard: heard.some((one) => one.object.metadata.uid === uid),
    applied: dreams.find((one) => one.name === name) ?? null,
    schedule: schedules.find((one) => one.name === name) ?? null,
    isWaiting,
    limits: snapshot?.limits ?? NO_LIMITS,
    before: readyOf(object),
  };
}

function readyOf(object: SeenDream['object']) {
  return conditionsIn(object).find(({ type }) => type === 'Ready') ?? null;
}
