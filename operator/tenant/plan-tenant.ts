/**
 * Plans what to do about one MemoryTenant: pure, from its resource, related resources and the
 * store.
 */
import type { Digest } from '#core/hash.ts';
import type { Layer } from '#core/layer.ts';
import { mayFollow } from '#core/policy/policy-ownership.ts';
import {
  type PolicyModels,
  type TenantPolicy,
  isReleased,
  isSameOwner,
  type Owner,
  type PolicyRecord,
} from '#core/records/policy.ts';
import type { KubernetesObject } from '#core/ports/kubernetes-api.ts';
import type { LayerSummaryPolicy } from '#crds/layer-summary-policy.ts';
import type { MemoryTenant } from '#crds/memory-tenant.ts';
import { NO_LIMITS, type PlatformLimits } from '#crds/limit-values.ts';
import { compileTenant, oldestOf, desiredDreams, type SeenDream } from './compile-policy.ts';
import { withinLimits, type AppliedLimits, type KnownLimits } from './apply-platform-limits.ts';
import { changedReason, policyHash } from './policy-changes.ts';
import {
  isDeleting,
  isForceReleased,
  hasPausedAnnotation,
  TENANT_FINALIZER,
} from './metadata-and-conditions.ts';
import type { ReadResult } from '#crds/read-object.ts';

/** A LayerSummaryPolicy that names the tenant. */
export interface SeenLayerPolicy {
  readonly object: KubernetesObject;
  readonly reading: ReadResult<LayerSummaryPolicy>;
  /** Null if not even the layer can be read. */
  readonly layer: Layer | null;
}

export interface TenantObservation {
  readonly object: KubernetesObject;
  readonly reading: ReadResult<MemoryTenant>;
  /** The tenant id from the spec, the status or the name. */
  readonly tenant: string;
  readonly owner: Owner;
  readonly layerPolicies: readonly SeenLayerPolicy[];
  /** DeepDreams that name the tenant. */
  readonly dreams: readonly SeenDream[];
  /** The models that the ModelProviders that allow the namespace have for each class. */
  readonly models: PolicyModels | undefined;
  /** Limits of the platform; absent if none are set, as in a folder. */
  readonly limits?: KnownLimits;
  /** The record in the store under the tenant's id. */
  readonly record: PolicyRecord | null;
  /** Whether the resource that owns the record is gone from its namespace. */
  readonly isOwnerGone: boolean;
  /** The policy that the status says was fully enforced. */
  readonly enforcedHash: { readonly generation: number; readonly hash: string } | null;
}

interface DesiredPolicy {
  readonly tenant: string;
  readonly owner: Owner;
  readonly policy: TenantPolicy;
  readonly hash: string;
  readonly applied: AppliedLimits;
}

export type TenantPlan =
  /** The resource is being deleted and has no claim. */
  | { readonly kind: 'Leave' }
  | { readonly kind: 'Paused' }
  | { readonly kind: 'Invalid'; readonly report: string }
  /** Nothing is applied that the platform may not allow. */
  | { readonly kind: 'LimitsUnknown'; readonly problem: string }
  /** Another resource owns the tenant, or released it for its own namespace only. */
  | { readonly kind: 'Claimed'; readonly owner: Owner; readonly isReleased: boolean }
  | ({
      readonly kind: 'Apply';
      /** The generation in the store; null if there is none. */
      readonly expectedGeneration: number | null;
      /** The owner whose claim ends first, because its resource is gone. */
      readonly takesOver: Owner | null;
      readonly reason: string;
      /** Whether another process changed what this operator had enforced. */
      readonly isDrift: boolean;
    } & DesiredPolicy)
  | ({ readonly kind: 'Keep'; readonly generation: number } & DesiredPolicy)
  /** Only the finalizer is removed. */
  | { readonly kind: 'Orphan'; readonly reason: 'ForceRelease' | 'NothingHeld' }
  | { readonly kind: 'Release'; readonly tenant: string; readonly owner: Owner }
  | { readonly kind: 'Erase'; readonly tenant: string; readonly owner: Owner };

/** The plans for a resource that is not being deleted. */
export type DeclaredTenantPlan = Extract<
  TenantPlan,
  { kind: 'Paused' | 'Invalid' | 'LimitsUnknown' | 'Claimed' | 'Apply' | 'Keep' }
>;
type DeletionPlan = Extract<
  TenantPlan,
  { kind: 'Leave' | 'Paused' | 'Orphan' | 'Release' | 'Erase' }
>;

/** Plans by the first rule that applies. Rules look only at the state, never at what was done. */
export function planTenant(seen: TenantObservation, digest: Digest): TenantPlan {
  return isDeleting(seen.object.metadata) ? planDeletion(seen) : planDeclaredTenant(seen, digest);
}

export function planDeclaredTenant(seen: TenantObservation, digest: Digest): DeclaredTenantPlan {
  if (hasPausedAnnotation(seen.object.metadata)) return { kind: 'Paused' };
  if (seen.reading.kind === 'Invalid') return seen.reading;
  const known = seen.limits ?? UNLIMITED;
  if (known.kind === 'Unknown') return { kind: 'LimitsUnknown', problem: known.problem };
  const { limits } = known;
  return planPolicy(seen, { resource: seen.reading.resource, limits }, digest);
}

const UNLIMITED: KnownLimits = { kind: 'Known', limits: NO_LIMITS };

/** Plans what needs no read of the store, so that a store outage does not block it. */
export function planWithoutStore(
  object: KubernetesObject,
): Extract<TenantPlan, { kind: 'Orphan' | 'Leave' }> | null {
  const { metadata } = object;
  if (!isDeleting(metadata)) return null;
  if (!(metadata.finalizers ?? []).includes(TENANT_FINALIZER)) return { kind: 'Leave' };
  return isForceReleased(metadata) ? { kind: 'Orphan', reason: 'ForceRelease' } : null;
}

/** Returns the LayerSummaryPolicy that counts for each layer: the oldest that names it. */
export function oldestPolicyByLayer(
  policies: readonly SeenLayerPolicy[],
): ReadonlyMap<Layer, SeenLayerPolicy> {
  const speakers = new Map<Layer, SeenLayerPolicy>();
  for (const [layer, claims] of Map.groupBy(policies, (policy) => policy.layer)) {
    const oldest = layer === null ? null : oldestOf(claims);
    if (layer !== null && oldest !== null) speakers.set(layer, oldest);
  }
  return speakers;
}

export function planDeletion(
  seen: Pick<TenantObservation, 'object' | 'reading' | 'tenant' | 'owner' | 'record'>,
): DeletionPlan {
  const { object, record, owner, tenant, reading } = seen;
  const { metadata } = object;
  const withoutStore = planWithoutStore(object);
  if (withoutStore !== null) return withoutStore;
  if (hasPausedAnnotation(metadata)) return { kind: 'Paused' };
  if (record === null || !isSameOwner(record.owner, owner)) {
    return { kind: 'Orphan', reason: 'NothingHeld' };
  }
  // An unreadable resource is no order to delete, and memories older than the claim are not its
  // own.
  const isErased =
    reading.kind === 'Valid' &&
    reading.resource.spec.reclaimPolicy === 'Erase' &&
    record.hadMemories !== true;
  return { kind: isErased ? 'Erase' : 'Release', tenant, owner };
}

function planPolicy(
  seen: TenantObservation,
  { resource, limits }: { resource: MemoryTenant; limits: PlatformLimits },
  digest: Digest,
): DeclaredTenantPlan {
  const { owner, record, isOwnerGone, enforcedHash } = seen;
  const isOwn = record !== null && isSameOwner(record.owner, owner);
  if (record !== null && !isOwn && !(isOwnerGone && mayFollow(record.owner, owner))) {
    return { kind: 'Claimed', owner: record.owner, isReleased: isReleased(record) };
  }
  const { policy, applied } = withinLimits(desiredPolicy(seen, resource), limits);
  const hash = policyHash(digest, policy);
  const desired = { tenant: policy.tenant, owner, policy, hash, applied };
  if (isOwn && !isReleased(record) && record.hash === hash) {
    return { kind: 'Keep', generation: record.generation, ...desired };
  }
  return {
    kind: 'Apply',
    expectedGeneration: record?.generation ?? null,
    takesOver: record === null || isOwn || isReleased(record) ? null : record.owner,
    reason: record === null ? 'New' : changedReason(record.policy, policy),
    isDrift: enforcedHash?.hash === hash,
    ...desired,
  };
}

/** The policy of a resource that can't be read, or is paused, stays as it was last applied. */
function desiredPolicy(seen: TenantObservation, resource: MemoryTenant): TenantPolicy {
  const { layerPolicies, models, record, owner } = seen;
  const speakers = [...oldestPolicyByLayer(layerPolicies)];
  const heard = speakers.flatMap(([, { object, reading }]) =>
    reading.kind === 'Valid' && !hasPausedAnnotation(object.metadata) ? [reading.resource] : [],
  );
  const isOwn = record !== null && isSameOwner(record.owner, owner);
  const dreams = desiredDreams(seen.dreams, (isOwn ? record.policy.dreams : null) ?? []);
  const compiled = compileTenant(resource, { policies: heard, dreams, models });
  const last = isOwn ? record.policy.layers : null;
  if (last === null) return compiled;
  const kept = speakers.flatMap(([layer, { object, reading }]) =>
    reading.kind === 'Invalid' || hasPausedAnnotation(object.metadata)
      ? [[layer, last[layer]] as const]
      : [],
  );
  return { ...compiled, layers: { ...compiled.layers, ...Object.fromEntries(kept) } };
}
