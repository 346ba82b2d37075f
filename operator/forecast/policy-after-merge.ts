/** The policy after files that declare only a part of a tenant are applied over the store: pure. */
import { LAYERS, type Layer } from '#core/layer.ts';
import { DREAMS_PER_TENANT_MAX, type DreamPolicy } from '#core/records/dream-policy.ts';
import {
  type PolicyRecord,
  isReleased,
  type Owner,
  type TenantPolicy,
} from '#core/records/policy.ts';
import { defaultPolicy } from '#core/policy/policy-defaults.ts';
import type { DeepDream } from '#crds/deep-dream.ts';
import type { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import {
  compileDream,
  dreamsField,
  compileLayer,
  type CompiledPolicy,
} from '../tenant/compile-policy.ts';
import { withLimitsOf } from '../tenant/apply-platform-limits.ts';
import { describeChanges } from '../tenant/policy-changes.ts';

export interface MergedPolicy {
  readonly desired: CompiledPolicy;
  /** Layers that no file declares and that differ from what the files alone would give. */
  readonly keptLayers: readonly Layer[];
  /** Names of dreams that no file declares and that stay. */
  readonly keptDreams: readonly string[];
}

/**
 * Merges a MemoryTenant with the store. LayerSummaryPolicies and DeepDreams are separate resources,
 * so those that the files lack stay when the files are applied.
 * @param spoken layers that the files have a LayerSummaryPolicy for
 */
export function mergeWithStored(
  desired: CompiledPolicy,
  stored: TenantPolicy,
  spoken: ReadonlySet<Layer>,
): MergedPolicy {
  const { owner } = desired;
  const policy = withLimitsOf(desired.policy, stored);
  const [before, batchWindowMs] = [usualWindow(stored), usualWindow(policy)];
  const kept = LAYERS.filter((layer) => !spoken.has(layer)).map((layer) => {
    const last = stored.layers[layer];
    const isUsual = layer !== 'session' && last.batchWindowMs === before;
    return [layer, isUsual ? { ...last, batchWindowMs } : last] as const;
  });
  const layers = { ...policy.layers, ...Object.fromEntries(kept) };
  const keptLayers = kept
    .filter(([layer, one]) => JSON.stringify(one) !== JSON.stringify(policy.layers[layer]))
    .map(([layer]) => layer);
  const dreams = overDreams(stored.dreams, policy.dreams ?? []);
  const brought = new Set(policy.dreams?.map(({ name }) => name));
  const keptDreams = dreams.map(({ name }) => name).filter((name) => !brought.has(name));
  const whole = { ...policy, layers, ...dreamsField(dreams) };
  return { desired: { owner, policy: whole }, keptLayers, keptDreams };
}

/**
 * Returns the policy of a folder, where only the files count, except for dreams that are paused.
 */
export function folderPolicy(
  { owner, policy }: CompiledPolicy,
  stored: TenantPolicy,
  paused: readonly string[],
): MergedPolicy {
  const last = (stored.dreams ?? []).filter(({ name }) => paused.includes(name));
  const dreams = dreamsField(overDreams(last, policy.dreams ?? []));
  const keptDreams = last.map(({ name }) => name);
  return { desired: { owner, policy: { ...policy, ...dreams } }, keptLayers: [], keptDreams };
}

/** Keeps layers whose LayerSummaryPolicy is paused exactly as last applied. */
export function keepPausedLayers(
  { desired, keptLayers, keptDreams }: MergedPolicy,
  stored: TenantPolicy,
  paused: readonly Layer[],
): MergedPolicy {
  const { owner, policy } = desired;
  const last = paused.map((layer) => [layer, stored.layers[layer]] as const);
  const layers = { ...policy.layers, ...Object.fromEntries(last) };
  const kept = LAYERS.filter((layer) => keptLayers.includes(layer) || paused.includes(layer));
  return { desired: { owner, policy: { ...policy, layers } }, keptLayers: kept, keptDreams };
}

/**
 * Merges layer policies and dreams from files with a stored policy whose MemoryTenant is in no
 * file.
 */
export function overStored(
  { owner, policy }: Pick<PolicyRecord, 'owner' | 'policy'>,
  {
    policies,
    dreams,
  }: { readonly policies: readonly LayerSummaryPolicy[]; readonly dreams: readonly DeepDream[] },
): CompiledPolicy {
  const window = usualWindow(policy);
  const said = policies.map(
    (one) => [one.spec.layer, compileLayer(one.spec.layer, window, one)] as const,
  );
  const layers = { ...policy.layers, ...Object.fromEntries(said) };
  const all = dreamsField(overDreams(policy.dreams, dreams.map(compileDream)));
  return { owner, policy: withLimitsOf({ ...policy, layers, ...all }, policy) };
}

/**
 * Merges dreams by name: a dream from the files replaces the stored one of that name. New dreams
 * follow the stored ones and are cut at the limit of a tenant.
 */
function overDreams(
  stored: readonly DreamPolicy[] | undefined,
  brought: readonly DreamPolicy[],
): readonly DreamPolicy[] {
  const byName = new Map([...(stored ?? []), ...brought].map((dream) => [dream.name, dream]));
  return [...byName.values()].slice(0, DREAMS_PER_TENANT_MAX);
}

/**
 * Returns the tenant's batch window. A compiled policy has it only in its layers, so this is the
 * most common value, sessions excepted: they have their own.
 */
function usualWindow({ layers }: TenantPolicy): number {
  const windows = LAYERS.filter((layer) => layer !== 'session').map(
    (layer) => layers[layer].batchWindowMs,
  );
  const counted = [...Map.groupBy(windows, (window) => window)];
  const most = counted.toSorted(([, a], [, b]) => b.length - a.length)[0];
  return most?.[0] ?? layers.user.batchWindowMs;
}

/** What applying the resources would change in the stored policy: pure. */
export type PolicyComparison =
  /** No resource declares the tenant yet; until now it had the defaults. */
  | { readonly kind: 'New'; readonly before: TenantPolicy; readonly changes: string }
  | { readonly kind: 'Changed'; readonly before: TenantPolicy; readonly changes: string }
  | { readonly kind: 'Unchanged'; readonly before: TenantPolicy }
  /** The resource is paused, so nothing would be applied. */
  | { readonly kind: 'Paused'; readonly before: TenantPolicy }
  /** A resource of another name or namespace has the tenant: nothing would be applied. */
  | { readonly kind: 'Claimed'; readonly owner: Owner };

/**
 * Compares owners by namespace and name: files know neither the cluster that they will be applied
 * to nor the uid that a resource has there.
 */
export function comparePolicy(
  { owner, policy }: CompiledPolicy,
  record: PolicyRecord | null,
): PolicyComparison {
  const held = isReleased(record) ? null : record;
  if (record !== null && !isHeldFor(record, owner)) return { kind: 'Claimed', owner: record.owner };
  const before = record?.policy ?? defaultPolicy(policy.tenant);
  const changes = describeChanges(before, policy);
  if (held === null) return { kind: 'New', before, changes };
  return changes === '' ? { kind: 'Unchanged', before } : { kind: 'Changed', before, changes };
}

/** Returns the result for a paused resource, which is not checked, whoever owns the tenant. */
export function pausedPolicy(
  tenant: string,
  record: PolicyRecord | null,
): Extract<PolicyComparison, { kind: 'Paused' }> {
  return { kind: 'Paused', before: record?.policy ?? defaultPolicy(tenant) };
}

/** Decides like `mayClaim`, with what files know about an owner. */
function isHeldFor(record: PolicyRecord, { namespace, name }: Owner): boolean {
  if (record.owner.namespace !== namespace) return false;
  return isReleased(record) || record.owner.name === name;
}
