/**
 * Reconciles one LayerSummaryPolicy. It writes only the status, since the settings reach the store
 * with the tenant, and reads only memory.
 */
import { shortenToUnits } from '#core/storable-text.ts';
import { isDeepStrictEqual } from 'node:util';
import { formatDuration } from '#core/duration.ts';
import type { Layer } from '#core/layer.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { NO_LIMITS } from '#crds/limit-values.ts';
import { LAYER_SUMMARY_POLICY } from '#crds/resource-types.ts';
import type { Condition, LayerSummaryPolicyStatus } from '#crds/status.ts';
import { DONE, type Reconcile } from '../queue/reconcile-result.ts';
import {
  isDeleting,
  hasPausedAnnotation,
  PAUSED_ANNOTATION,
  placeOfKey,
  placeOfObject,
  momentOf,
  type StatusMoment,
  readyIn,
  firstUnmet,
  statusConditions,
  timeText,
  conditionState,
  tenantNotFound,
  unreadyReason,
  type ConditionState,
} from '../tenant/metadata-and-conditions.ts';
import { compileTenant } from '../tenant/compile-policy.ts';
import { withinLimits } from '../tenant/apply-platform-limits.ts';
import { oldestPolicyByLayer, type SeenLayerPolicy } from '../tenant/plan-tenant.ts';
import type { ClusterContext } from './cluster-context.ts';
import { type TenantSnapshot, tenantNameIn } from './resource-lister.ts';
import type { LayerCounts } from './stored-tenant.ts';
import { tenantOfResource } from './tenant-conditions.ts';
import { writeConditions, writeStatus } from './status-writer.ts';

export function createLayerPolicyReconcile(context: ClusterContext): Reconcile {
  return async ({ key, signal }) => {
    const object = context.lister.get('layerPolicies', key);
    if (object === null || isDeleting(object.metadata)) return DONE;
    const standing = tenantOfResource(object, context);
    if (standing === null) return DONE;
    const { tenantKey, tenant, snapshot, outage } = standing;
    const policy = context.lister.readLayerPolicy(object);
    const beside = oldestPolicyByLayer(context.lister.layerPoliciesOf(placeOfKey(tenantKey)));
    const view = {
      policy,
      tenantName: tenantNameIn(object),
      tenant,
      tenantReady: tenant === null ? null : readyIn(tenant),
      speaker: policy.layer === null ? null : (beside.get(policy.layer) ?? null),
      isInForce: isInForce(policy, { tenant, snapshot, context }),
    };
    if (outage !== null) {
      const { Accepted } = layerPolicyConditions(view);
      const findings = { Ready: firstUnmet([Accepted], outage), Accepted };
      const write = { type: LAYER_SUMMARY_POLICY, object, findings };
      return writeConditions(write, { context, signal });
    }
    const status = layerPolicyStatus(view, snapshot, momentOf(object, context.platform));
    return writeStatus({ type: LAYER_SUMMARY_POLICY, object, status, signal }, context);
  };
}

/** Whether the layer in the store has the settings of the resource. */
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
  const desired = compileTenant(declared.resource, { policies: [reading.resource], dreams: [] });
  const { policy } = withinLimits(desired, snapshot?.limits ?? NO_LIMITS);
  return isDeepStrictEqual(policy.layers[layer], record.policy.layers[layer]);
}

/** @param snapshot of the tenant; null if there is none yet */
export function layerPolicyStatus(
  view: LayerPolicyView,
  snapshot: TenantSnapshot | null,
  moment: StatusMoment,
): LayerSummaryPolicyStatus & { readonly conditions: readonly Condition[] } {
  const { layer } = view.policy;
  return {
    observedGeneration: moment.generation,
    conditions: statusConditions({ ...layerPolicyConditions(view) }, moment),
    ...(snapshot === null ? {} : { tenantId: snapshot.tenant }),
    ...(snapshot === null || layer === null ? {} : layerFields(snapshot, layer)),
  };
}

function layerFields(
  { record, facts }: TenantSnapshot,
  layer: Layer,
): Omit<LayerSummaryPolicyStatus, 'conditions' | 'tenantId'> {
  const ofLayer = facts?.layers[layer];
  return {
    ...(record === null ? {} : { effective: effectiveSettings(record.policy, layer) }),
    ...(ofLayer === undefined ? {} : factFields(ofLayer)),
  };
}

function factFields({
  fresh,
  stale,
  lastRefreshAt,
  nextRefreshAt,
  lastError,
}: LayerCounts): Omit<LayerSummaryPolicyStatus, 'conditions' | 'tenantId'> {
  return {
    freshness: { fresh, stale, summary: `${fresh}/${fresh + stale}` },
    ...(lastRefreshAt === null ? {} : { lastRefreshTime: timeText(lastRefreshAt) }),
    ...(nextRefreshAt === null ? {} : { nextRefreshTime: timeText(nextRefreshAt) }),
    ...(lastError === null ? {} : { lastError }),
  };
}

/** The settings, written as in YAML. */
function effectiveSettings(
  { layers, models }: TenantPolicy,
  layer: Layer,
): NonNullable<LayerSummaryPolicyStatus['effective']> {
  const settings = layers[layer];
  const model = models?.[settings.modelClass];
  return {
    depths: settings.depths.join(', '),
    updateInterval: formatDuration(settings.updateIntervalMs),
    updateOnChanges: String(settings.updateOnChanges),
    maxAge: formatDuration(settings.maxAgeMs),
    skipIfUnchanged: String(settings.skipIfUnchanged),
    batchWindow: formatDuration(settings.batchWindowMs),
    personalized: String(settings.personalized),
    modelClass: settings.modelClass,
    ...(model === undefined || model === null
      ? {}
      : { model: shortenToUnits(`${model.provider}/${model.model}`, MODEL_LENGTH_MAX) }),
  };
}

/** The limit of the status schema. */
const MODEL_LENGTH_MAX = 128;

export interface LayerPolicyView {
  readonly policy: SeenLayerPolicy;
  /** The name in its tenantRef. */
  readonly tenantName: string;
  /** The MemoryTenant of that name in its namespace; null if there is none. */
  readonly tenant: KubernetesObject | null;
  /** The tenant's own Ready condition. */
  readonly tenantReady: Condition | null;
  /** The policy whose settings count for the layer: the oldest. */
  readonly speaker: SeenLayerPolicy | null;
  /** Whether the policy in the store has the settings of this resource. */
  readonly isInForce: boolean;
}

interface LayerPolicyConditions extends Readonly<Record<'Ready' | 'Accepted', ConditionState>> {}

/** Returns the conditions of a LayerSummaryPolicy: pure, from the resource and its tenant. */
export function layerPolicyConditions(view: LayerPolicyView): LayerPolicyConditions {
  const Accepted = accepted(view);
  return { Ready: firstUnmet([Accepted, inForce(view)], inForce(view)), Accepted };
}

function accepted(view: LayerPolicyView): ConditionState {
  const { policy, tenant, tenantName, speaker } = view;
  const { namespace, name } = placeOfObject(policy.object);
  if (policy.reading.kind === 'Invalid') {
    const edit = `Fix it with: kubectl edit layersummarypolicy ${name} -n ${namespace}`;
    const kept = 'The layer keeps its last applied settings.';
    return conditionState('False', 'InvalidSpec', `${policy.reading.report} ${kept} ${edit}`);
  }
  if (tenant === null || isDeleting(tenant.metadata)) return tenantNotFound(tenantName, namespace);
  const winner = speaker?.object.metadata;
  if (winner !== undefined && winner.uid !== policy.object.metadata.uid) {
    const message =
      `LayerSummaryPolicy ${winner.name} is older and applies to the layer. Delete one of them: ` +
      `kubectl delete layersummarypolicy ${name} -n ${namespace}`;
    return conditionState('False', 'Superseded', message);
  }
  return conditionState('True', 'Accepted', 'The resource is valid and applies to its layer.');
}

function inForce({ policy, isInForce, tenantName, tenantReady }: LayerPolicyView): ConditionState {
  const { namespace, name } = placeOfObject(policy.object);
  if (hasPausedAnnotation(policy.object.metadata)) {
    const command = `kubectl annotate layersummarypolicy ${name} -n ${namespace}`;
    const message =
      'Changes are not applied; the layer keeps its last applied settings. Resume with: ' +
      `${command} ${PAUSED_ANNOTATION}-`;
    return conditionState('False', 'Paused', message);
  }
  if (isInForce) return conditionState('True', 'InForce', 'The settings are in force.');
  const why = unreadyReason(tenantReady);
  const look = `kubectl describe memorytenant ${tenantName} -n ${namespace}`;
  const message = `MemoryTenant ${tenantName} has not applied the settings yet${why}: ${look}`;
  return conditionState('False', 'TenantPending', message);
}
