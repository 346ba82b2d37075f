/** The status of a LayerSummaryPolicy: pure. */
import { formatDuration } from '#core/duration.ts';
import type { Layer } from '#core/layer.ts';
import type { TenantPolicy } from '#core/records/policy.ts';
import type { Condition, LayerSummaryPolicyStatus } from '#crds/status.ts';
import { conditionsOf, timeText } from '../tenant/conditions.ts';
import { layerPolicyConditions, type LayerPolicyView } from './layer-policy-conditions.ts';
import type { LayerFacts } from './tenant-facts.ts';
import type { TenantSnapshot } from './last-reconcile.ts';
import type { StatusMoment } from './tenant-status.ts';

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
