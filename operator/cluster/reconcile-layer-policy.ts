/**
 * One LayerSummaryPolicy: only its status is written, since its settings reach the store with its
 * tenant. Reads nothing but memory.
 */
import { isDeepStrictEqual } from 'node:util';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import { LAYER_SUMMARY_POLICY } from '#crds/resource-types.ts';
import { NO_LIMITS } from '#crds/limit-values.ts';
import { compileTenant } from '../tenant/compile.ts';
import { withinLimits } from '../tenant/limit-policy.ts';
import { DONE, type ReconcileResult } from '../queue/reconcile-result.ts';
import type { ReconcileRequest } from '../queue/workqueue.ts';
import { conditionsIn, firstUnmet } from '../tenant/conditions.ts';
import type { ClusterContext } from './context.ts';
import { layerPolicyConditions } from './layer-policy-conditions.ts';
import { layerPolicyStatus } from './layer-policy-status.ts';
import { placeOfKey } from '../tenant/resource-key.ts';
import { isDeleting } from '../tenant/annotations.ts';
import { speakersOf, type SeenLayerPolicy } from '../tenant/plan-tenant.ts';
import { tenantKeyIn, tenantNameIn } from './resource-lister.ts';
import { outageOfTenant } from './store-outage.ts';
import type { TenantSnapshot } from './last-reconcile.ts';
import { writeConditions } from './write-conditions.ts';
import { writeStatus } from './write-status.ts';

export function createLayerPolicyReconcile(
  context: ClusterContext,
): (request: ReconcileRequest) => Promise<ReconcileResult> {
  return async ({ key, signal }) => {
    const object = context.lister.layerPolicy(key);
    if (object === null || isDeleting(object.metadata)) return DONE;
    const tenantKey = tenantKeyIn(object);
    const tenant = context.lister.tenant(tenantKey);
    const snapshot = context.views.get(tenantKey);
    // Its tenant is looked at first, and says so.
    const isTenantPending = tenant !== null && snapshot?.uid !== tenant.metadata.uid;
    const isPending = isTenantPending && !isDeleting(tenant.metadata);
    const outage = isPending ? outageOfTenant(object, tenant) : null;
    if (isPending && outage === null) return DONE;
    const policy = context.lister.readLayerPolicy(object);
    const beside = speakersOf(context.lister.layerPoliciesOf(placeOfKey(tenantKey)));
    const view = {
      policy,
      tenantName: tenantNameIn(object),
      tenant,
      tenantReady: tenant === null ? null : readyOf(tenant),
      speaker: policy.layer === null ? null : (beside.get(policy.layer) ?? null),
      isInForce: isInForce(policy, { tenant, snapshot, context }),
    };
    if (outage !== null) {
      const { Accepted } = layerPolicyConditions(view);
      const findings = { Ready: firstUnmet([Accepted], outage), Accepted };
      const write = { type: LAYER_SUMMARY_POLICY, object, findings };
      return writeConditions(write, { context, signal });
    }
    const moment = {
      generation: object.metadata.generation ?? 0,
      now: context.platform.clock(),
      before: conditionsIn(object),
    };
    const status = layerPolicyStatus(view, tenant === null ? null : snapshot, moment);
    return writeStatus({ type: LAYER_SUMMARY_POLICY, object, status, signal }, context);
  };
}

function readyOf(tenant: KubernetesObject) {
  return conditionsIn(tenant).find(({ type }) => type === 'Ready') ?? null;
}

/** Whether the layer in the store is what the resource asks for. */
function isInForce(
  { reading, layer }: SeenLayerPolicy,
  {
    tenant,
    snapshot,
    context,
  }: {
    tenant: KubernetesObject | null;
    snapshot: TenantSnapshot | null;
    context: ClusterContext;
  },
): boolean {
  const record = snapshot?.record ?? null;
  if (tenant === null || record === null || layer === null) return false;
  const declared = context.lister.readTenant(tenant);
  if (reading.kind === 'Invalid' || declared.kind === 'Invalid') return false;
  const wanted = compileTenant(declared.resource, { policies: [reading.resource], dreams: [] });
  const { policy } = withinLimits(wanted, snapshot?.limits ?? NO_LIMITS);
  return isDeepStrictEqual(policy.layers[layer], record.policy.layers[layer]);
}
