/** What to do about one MemoryTenant: pure, from its resource, those beside it, and the store. */
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
import { withinLimits, type AppliedLimits, type KnownLimits } from './limit-policy.ts';
import { changedReason, policyHash } from './policy-changes.ts';
import {
  isDeleting,
  isForceReleased,
  isPaused,
  TENANT_FINALIZER,
} from './metadata-and-conditions.ts';
import type { ReadResult } from '#crds/read-object.ts';

/** A LayerSummaryPolicy that names the tenant. */
export interface SeenLayerPolicy {
  readonly object: KubernetesObject;
  readonly reading: ReadResult<LayerSummaryPolicy>;
  /** Null where not even that can be read. */
  readonly layer: Layer | null;
}

export interface TenantObservation {
  readonly object: KubernetesObject;
  readonly reading: ReadResult<MemoryTenant>;
  /** As its spec, its status or its name says. */
  readonly tenant: string;
  readonly owner: Owner;
  readonly layerPolicies: readonly SeenLayerPolicy[];
  /** DeepDreams that name the tenant. */
  readonly dreams: readonly SeenDream[];
  /** What the ModelProviders that allow the namespace have for each class. */
  readonly models: PolicyModels | undefined;
  /** Of the platform; absent where none are set, as in a folder. */
  readonly limits?: KnownLimits;
  /** What the store has under the id of the tenant. */
  readonly record: PolicyRecord | null;
  /** Whether no resource of its namespace stands behind the record any more. */
  readonly isOwnerGone: boolean;
  /** What the status says was enforced to the end. */
  readonly enforcedHash: { readonly generation: number; readonly hash: string } | null;
}

export interface DesiredPolicy {
  readonly tenant: string;
  readonly owner: Owner;
  readonly policy: TenantPolicy;
  readonly hash: string;
  readonly applied: AppliedLimits;
}

export type TenantPlan =
  /** It is being deleted and holds nothing. */
  | { readonly kind: 'Leave' }
  | { readonly kind: 'Paused' }
  | { readonly kind: 'Invalid'; readonly report: string }
  /** Nothing is applied that the platform may not allow. */
  | { readonly kind: 'LimitsUnknown'; readonly problem: string }
  /** Another resource has the tenant, or had it and let it go for its own namespace alone. */
  | { readonly kind: 'Claimed'; readonly owner: Owner; readonly isReleased: boolean }
  | ({
      readonly kind: 'Apply';
      /** What the store has now; null for nothing. */
      readonly expectedGeneration: number | null;
      /** Whose claim ends before, since its resource is gone. */
      readonly takesOver: Owner | null;
      readonly reason: string;
      /** Whether another process changed what this operator had enforced. */
      readonly isDrift: boolean;
    } & DesiredPolicy)
  | ({ readonly kind: 'Keep'; readonly generation: number } & DesiredPolicy)
  /** The finaliser goes, and nothing else is done. */
  | { readonly kind: 'Orphan'; readonly reason: 'ForceRelease' | 'NothingHeld' }
  | { readonly kind: 'Release'; readonly tenant: string; readonly owner: Owner }
  | { readonly kind: 'Erase'; readonly tenant: string; readonly owner: Owner };

/** What may be planned for a resource that is there to stay, and for one that is not. */
export type StandingPlan = Extract<
  TenantPlan,
  { kind: 'Paused' | 'Invalid' | 'LimitsUnknown' | 'Claimed' | 'Apply' | 'Keep' }
>;
export type DeletionPlan = Extract<
  TenantPlan,
  { kind: 'Leave' | 'Paused' | 'Orphan' | 'Release' | 'Erase' }
>;

/** The first rule that speaks decides; each looks at the state alone and never at what was done. */
export function planTenant(seen: TenantObservation, digest: Digest): TenantPlan {
  return isDeleting(seen.object.metadata) ? planDeletion(seen) : planStanding(seen, digest);
}

export function planStanding(seen: TenantObservation, digest: Digest): StandingPlan {
  if (isPaused(seen.object.metadata)) return { kind: 'Paused' };
  if (seen.reading.kind === 'Invalid') return seen.reading;
  const known = seen.limits ?? UNLIMITED;
  if (known.kind === 'Unknown') return { kind: 'LimitsUnknown', problem: known.problem };
  const { limits } = known;
  return planPolicy(seen, { resource: seen.reading.resource, limits }, digest);
}

const UNLIMITED: KnownLimits = { kind: 'Known', limits: NO_LIMITS };

/** What needs no look at the store, so that a store outage does not block it. */
export function planWithoutStore(
  object: KubernetesObject,
): Extract<TenantPlan, { kind: 'Orphan' | 'Leave' }> | null {
  const { metadata } = object;
  if (!isDeleting(metadata)) return null;
  if (!(metadata.finalizers ?? []).includes(TENANT_FINALIZER)) return { kind: 'Leave' };
  return isForceReleased(metadata) ? { kind: 'Orphan', reason: 'ForceRelease' } : null;
}

/** The LayerSummaryPolicy that speaks for each layer: the oldest of those that name it. */
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
  if (isPaused(metadata)) return { kind: 'Paused' };
  if (record === null || !isSameOwner(record.owner, owner)) {
    return { kind: 'Orphan', reason: 'NothingHeld' };
  }
  // What can't be read is no order to delete, and what was there before the claim is not its own.
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
): StandingPlan {
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
    reading.kind === 'Valid' && !isPaused(object.metadata) ? [reading.resource] : [],
  );
  const isOwn = record !== null && isSameOwner(record.owner, owner);
  const dreams = desiredDreams(seen.dreams, (isOwn ? record.policy.dreams : null) ?? []);
  const compiled = compileTenant(resource, { policies: heard, dreams, models });
  const last = isOwn ? record.policy.layers : null;
  if (last === null) return compiled;
  const kept = speakers.flatMap(([layer, { object, reading }]) =>
    reading.kind === 'Invalid' || isPaused(object.metadata) ? [[layer, last[layer]] as const] : [],
  );
  return { ...compiled, layers: { ...compiled.layers, ...Object.fromEntries(kept) } };
}
