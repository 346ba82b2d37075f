/**
 * One LayerSummaryPolicy: only its status is written, since its settings reach the store with its
 * tenant. Reads nothing but memory.
 */
import { formatDuration } from '#core/duration.ts';
import type { Layer } from '#core/layer.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import { NO_LIMITS } from '#crds/limit-values.ts';
import { LAYER_SUMMARY_POLICY } from '#crds/resource-types.ts';
import type { Condition, LayerSummaryPolicyStatus } from '#crds/status.ts';
import { DONE, type ReconcileResult } from '../queue/reconcile-result.ts';
import type { ReconcileRequest } from '../queue/workqueue.ts';
import { isDeleting } from '../tenant/annotations.ts';
import { compileTenant } from '../tenant/compile.ts';
import { conditionsIn, firstUnmet, conditionsOf, timeText } from '../tenant/conditions.ts';
import { withinLimits } from '../tenant/limit-policy.ts';
import { speakersOf, type SeenLayerPolicy } from '../tenant/plan-tenant.ts';
import { placeOfKey } from '../tenant/resource-key.ts';
import type { ClusterContext } from './context.ts';
import type { TenantSnapshot } from './last-reconcile.ts';
import { layerPolicyConditions, type LayerPolicyView } from './layer-policy-conditions.ts';
import { tenantKeyIn, tenantNameIn } from './resource-lister.ts';
import { outageOfTenant } from './store-outage.ts';
import type { LayerFacts } from './tenant-facts.ts';
import type { StatusMoment } from './tenant-status.ts';
import { writeConditions, writeStatus } from './write-status.ts';
import { isDeepStrictEqual } from 'node:util';

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

/** @param snapshot of the tenant; null where there is none, or not yet */
export function layerPolicyStatus(
  view: LayerPolicyView,
  snapshot: TenantSnapshot | null,
  { generation, now, before }: StatusMoment,
): LayerSummaryPolicyStatus & { readonly conditions: readonly Condition[] } {
  const conditions = conditionsOf({ ...layerPolicyConditions(view) }, before, { generation, now });
  const { layer } = view.policy;
  return {
    observedGeneration: generation,
    conditions,
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
}: LayerFacts): Omit<LayerSummaryPolicyStatus, 'conditions' | 'tenantId'> {
  return {
    freshness: { fresh, stale, summary: `${fresh}/${fresh + stale}` },
    ...(lastRefreshAt === null ? {} : { lastRefreshTime: timeText(lastRefreshAt) }),
    ...(nextRefreshAt === null ? {} : { nextRefreshTime: timeText(nextRefreshAt) }),
    ...(lastError === null ? {} : { lastError }),
  };
}

/** As they are written in YAML. */
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
      : { model: shortened(`${model.provider}/${model.model}`) }),
  };
}

/** As long as the schema of the status has it. */
const MODEL_LENGTH_MAX = 128;

function shortened(text: string): string {
  return text.length <= MODEL_LENGTH_MAX ? text : `${text.slice(0, MODEL_LENGTH_MAX - 1)}…`;
}
