/** The policy of each tenant, the model providers, and who declared them. */
import type { Owner, PolicyDefaults, PolicyRecord, TenantPolicy } from '../records/policy.ts';
import type {
  ModelProvider,
  ModelProviderRecord,
  ProviderCheck,
} from '../records/model-provider.ts';

/** How to write a policy, and under which preconditions. */
export interface PolicyWrite {
  readonly hash: string;
  readonly now: number;
  /** Epoch of the leader that writes; 0 if there are no leaders, as for a folder. */
  readonly epoch?: number;
  /** The generation that the writer saw; null if it saw none. Not compared if absent. */
  readonly expectedGeneration?: number | null;
  /** Whether the tenant had memories before this first claim. */
  readonly hadMemories?: boolean;
}

export type PutPolicyResult =
  | { readonly kind: 'Applied'; readonly record: PolicyRecord }
  | { readonly kind: 'Unchanged'; readonly record: PolicyRecord }
  /** Another owner has the tenant. */
  | { readonly kind: 'Claimed'; readonly owner: Owner }
  /** A later leader of the cluster, of this epoch, is at work: the caller no longer leads. */
  | { readonly kind: 'Fenced'; readonly epoch: number }
  /** Another process wrote; null if the expected record is gone. */
  | { readonly kind: 'Changed'; readonly record: PolicyRecord | null };

export interface PolicyRelease {
  readonly now: number;
  /** Epoch of the leader that writes; 0 if there are no leaders. */
  readonly epoch?: number;
  /** The generation that the writer saw. Not compared if absent. */
  readonly generation?: number | undefined;
  /** When everything of the tenant is erased; absent if it is kept. Replaces an earlier time. */
  readonly erasesAt?: number | undefined;
}

export type ReleasePolicyResult =
  | { readonly kind: 'Released'; readonly record: PolicyRecord }
  /** It was already released, with the same time of erasure. */
  | { readonly kind: 'Unchanged'; readonly record: PolicyRecord }
  /** Another generation was claimed meanwhile. */
  | { readonly kind: 'Changed'; readonly record: PolicyRecord }
  /** The tenant has no policy, so there is nothing to release. */
  | { readonly kind: 'Absent' }
  | { readonly kind: 'Claimed'; readonly owner: Owner }
  | { readonly kind: 'Fenced'; readonly epoch: number };

export type MovePolicyResult =
  | { readonly kind: 'Moved'; readonly record: PolicyRecord }
  /** It already belongs to that namespace. */
  | { readonly kind: 'Unchanged'; readonly record: PolicyRecord }
  | { readonly kind: 'Absent' }
  /** Its owner has not released it. */
  | { readonly kind: 'Claimed'; readonly owner: Owner };

export interface PolicyRecords {
  /** What the installation sets for tenants without a policy; absent if it sets nothing. */
  readonly defaults?: PolicyDefaults;
  get(tenant: string): Promise<PolicyRecord | null>;
  /** By tenant, the page after a given one; includes released tenants. */
  list(limit: number, after?: string): Promise<readonly PolicyRecord[]>;
  /**
   * Claims the tenant for its first owner, or, after a release, for the first owner of the same
   * namespace. Any other owner changes nothing. The rules are in core/policy/policy-ownership.ts.
   * Decides and writes in one step.
   */
  put(owner: Owner, policy: TenantPolicy, write: PolicyWrite): Promise<PutPolicyResult>;
  /**
   * Blocks every write of an earlier leader of the cluster, also one in progress. A new leader
   * calls it before its first write; can be repeated. Returns false if a later leader called it
   * before: then the caller no longer leads.
   */
  fence(cluster: string, epoch: number): Promise<boolean>;
  /**
   * Releases the claim and keeps the policy: readers are served, but nothing is refreshed. Records
   * when a folder erases the tenant; the next claim or move takes that back.
   */
  release(tenant: string, owner: Owner, write: PolicyRelease): Promise<ReleasePolicyResult>;
  /** Hands a released tenant to another namespace of its cluster, which may then claim it. */
  move(tenant: string, namespace: string): Promise<MovePolicyResult>;
}

export interface ModelProviderWrite {
  readonly hash: string;
  readonly now: number;
  /** Epoch of the leader that writes; 0 if there are no leaders. */
  readonly epoch?: number;
  /** When the resource was created, in milliseconds since the epoch; absent if unknown. */
  readonly createdAt?: number | undefined;
}

export type PutModelProviderResult =
  | { readonly kind: 'Applied'; readonly record: ModelProviderRecord }
  | { readonly kind: 'Unchanged'; readonly record: ModelProviderRecord }
  /** Another cluster or namespace has a provider of this name in the same store. */
  | { readonly kind: 'Claimed'; readonly owner: Owner }
  | { readonly kind: 'Fenced'; readonly epoch: number };

export type RemoveModelProviderResult =
  | { readonly kind: 'Removed' }
  | { readonly kind: 'Absent' }
  | { readonly kind: 'Claimed'; readonly owner: Owner }
  | { readonly kind: 'Fenced'; readonly epoch: number };

/** What a worker found when it checked a provider. */
export interface FoundCheck extends Pick<ProviderCheck, 'at' | 'state' | 'code'> {
  /** Hash of the record that was checked. A name can have the same generation again. */
  readonly hash: string;
}

/**
 * The model providers that the installation knows; they belong to no tenant. Keys are never stored.
 */
export interface ModelProviderRecords {
  get(name: string): Promise<ModelProviderRecord | null>;
  /** By name, the page after a given one. */
  list(limit: number, after?: string): Promise<readonly ModelProviderRecord[]>;
  /**
   * Writes the provider of a name for the cluster and namespace that had the name first. A resource
   * that is created again under the name continues it. Every change discards the results of earlier
   * checks. Decides and writes in one step (core/policy/policy-ownership.ts).
   */
  put(
    { name, owner }: Pick<ModelProviderRecord, 'name' | 'owner'>,
    provider: ModelProvider,
    write: ModelProviderWrite,
  ): Promise<PutModelProviderResult>;
  remove(
    { name, owner }: Pick<ModelProviderRecord, 'name' | 'owner'>,
    write: { epoch?: number },
  ): Promise<RemoveModelProviderResult>;
  /**
   * Records what a worker found. Returns false if the provider is gone or has changed, or if a
   * later check is recorded.
   */
  recordCheck(name: string, found: FoundCheck): Promise<boolean>;
}
