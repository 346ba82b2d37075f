/** What stays of a stored policy where files say a part of it alone: pure. */
import { LAYERS, type Layer } from '#core/layer.ts';
import type { LayerPolicy, TenantPolicy } from '#core/policy.ts';
import type { PolicyRecord } from '#core/records/policy-record.ts';
import type { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import { compileLayer, type DesiredPolicy } from '../compile.ts';

export interface MergedPolicy {
  readonly desired: DesiredPolicy;
  /** Layers that no file speaks of and that stay other than the files alone would have them. */
  readonly keptLayers: readonly Layer[];
}

/**
 * A MemoryTenant whose LayerSummaryPolicies are other resources: those that no file brings are
 * still there once the files are applied.
 * @param spoken layers that the files have a LayerSummaryPolicy for
 */
export function withStoredLayers(
  desired: DesiredPolicy,
  stored: TenantPolicy,
  spoken: ReadonlySet<Layer>,
): MergedPolicy {
  const { owner, policy } = desired;
  const windows = { before: usualWindow(stored), after: usualWindow(policy) };
  const kept = LAYERS.filter((layer) => !spoken.has(layer)).map(
    (layer) => [layer, movedWindow(layer, stored.layers[layer], windows)] as const,
  );
  const layers = { ...policy.layers, ...Object.fromEntries(kept) };
  const keptLayers = kept
    .filter(([layer, one]) => JSON.stringify(one) !== JSON.stringify(policy.layers[layer]))
    .map(([layer]) => layer);
  return { desired: { owner, policy: { ...policy, layers } }, keptLayers };
}

/** LayerSummaryPolicies of a MemoryTenant that no file has, over what is stored of it. */
export function overStored(
  { owner, policy }: Pick<PolicyRecord, 'owner' | 'policy'>,
  policies: readonly LayerSummaryPolicy[],
): DesiredPolicy {
  const window = usualWindow(policy);
  const said = policies.map(
    (one) => [one.spec.layer, compileLayer(one.spec.layer, window, one)] as const,
  );
  return {
    owner,
    policy: { ...policy, layers: { ...policy.layers, ...Object.fromEntries(said) } },
  };
}

/**
 * The batch window of the tenant, which a compiled policy has in its layers alone: what most of
 * them have, sessions aside, which have their own.
 */
function usualWindow({ layers }: TenantPolicy): number {
  const windows = LAYERS.filter((layer) => layer !== 'session').map(
    (layer) => layers[layer].batchWindowMs,
  );
  const counted = [...Map.groupBy(windows, (window) => window)];
  const most = counted.toSorted(([, a], [, b]) => b.length - a.length)[0];
  return most?.[0] ?? layers.user.batchWindowMs;
}

function movedWindow(
  layer: Layer,
  policy: LayerPolicy,
  { before, after }: { readonly before: number; readonly after: number },
): LayerPolicy {
  const isUsual = layer !== 'session' && policy.batchWindowMs === before;
  return isUsual ? { ...policy, batchWindowMs: after } : policy;
}
