/** What the conditions of a LayerSummaryPolicy say: pure, from what is beside it. */
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { Condition } from '#crds/status.ts';
import { firstUnmet, found, type ConditionState } from '../tenant/conditions.ts';
import { placeOf } from '../tenant/resource-key.ts';
import { isDeleting, isPaused, PAUSED_ANNOTATION } from '../tenant/annotations.ts';
import type { SeenLayerPolicy } from '../tenant/plan-tenant.ts';

export interface LayerPolicyView {
  readonly policy: SeenLayerPolicy;
  /** The name that it refers to. */
  readonly tenantName: string;
  /** The MemoryTenant of that name in the namespace; null where there is none. */
  readonly tenant: KubernetesObject | null;
  /** What the tenant says of itself. */
  readonly tenantReady: Condition | null;
  /** Who speaks for the layer. */
  readonly speaker: SeenLayerPolicy | null;
  /** Whether the policy in the store has the settings of this resource. */
  readonly isInForce: boolean;
}

export interface LayerPolicyConditions extends Readonly<
  Record<'Ready' | 'Accepted', ConditionState>
> {}

export function layerPolicyConditions(view: LayerPolicyView): LayerPolicyConditions {
  const Accepted = accepted(view);
  return { Ready: firstUnmet([Accepted, inForce(view)], inForce(view)), Accepted };
}

function accepted(view: LayerPolicyView): ConditionState {
  const { policy, tenant, tenantName, speaker } = view;
  const { namespace, name } = placeOf(policy.object);
  if (policy.reading.kind === 'Invalid') {
    const edit = `Fix it with: kubectl edit layersummarypolicy ${name} -n ${namespace}`;
    const kept = 'The layer keeps what was last applied.';
    return found('False', 'InvalidSpec', `${policy.reading.report} ${kept} ${edit}`);
  }
  if (tenant === null || isDeleting(tenant.metadata)) {
    const list = `kubectl get memorytenants -n ${namespace}`;
    const message = `There is no MemoryTenant ${tenantName} in the namespace. See: ${list}`;
    return found('False', 'TenantNotFound', message);
  }
  const winner = speaker?.object.metadata;
  if (winner !== undefined && winner.uid !== policy.object.metadata.uid) {
    const message =
      `LayerSummaryPolicy ${winner.name} is older and speaks for the layer. Delete one of them: ` +
      `kubectl delete layersummarypolicy ${name} -n ${namespace}`;
    return found('False', 'Superseded', message);
  }
  return found('True', 'Accepted', 'The resource is valid and speaks for its layer.');
}

function inForce({ policy, isInForce, tenantName, tenantReady }: LayerPolicyView): ConditionState {
  const { namespace, name } = placeOf(policy.object);
  if (isPaused(policy.object.metadata)) {
    const command = `kubectl annotate layersummarypolicy ${name} -n ${namespace}`;
    const message =
      'Changes are not applied; the layer keeps what was last applied. Resume with: ' +
      `${command} ${PAUSED_ANNOTATION}-`;
    return found('False', 'Paused', message);
  }
  if (isInForce) return found('True', 'InForce', 'The settings are in force.');
  const why = tenantReady === null ? '' : ` (${tenantReady.reason})`;
  const look = `kubectl describe memorytenant ${tenantName} -n ${namespace}`;
  const message = `MemoryTenant ${tenantName} has not taken the settings over yet${why}: ${look}`;
  return found('False', 'TenantPending', message);
}
