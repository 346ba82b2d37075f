/** The policy of each tenant and the providers of models, and who declared them. */
import type { Owner, PolicyRecord, TenantPolicy } from '../records/policy.ts';
import type {
  ModelProvider,
  ModelProviderRecord,
  ProviderCheck,
} from '../records/model-provider.ts';

/** How a policy is written, and under which preconditions. */
export interface PolicyWrite {
  readonly hash: string;
  readonly now: number;
  /** Of the leader that writes; 0 where there are no leaders, as for a folder. */
  readonly epoch?: number;
  /** The generation that the writer saw; null where it saw none. Not compared where absent. */
  readonly expectedGeneration?: number | null;
  /** Whether the tenant has memories that were there before this first claim. */
  readonly hadMemories?: boolean;
}

export type PutPolicyResult =
  | { readonly kind: 'Applied'; readonly record: PolicyRecord }
  | { readonly kind: 'Unchanged'; readonly record: PolicyRecord }
  /** The tenant is another owner's. */
  | { readonly kind: 'Claimed'; readonly owner: Owner }
  /** A later leader of the cluster is at work, of this epoch: the caller leads no more. */
  | { readonly kind: 'Fenced'; readonly epoch: number }
  /** Another process wrote; null if the expected record is gone. */
  | { readonly kind: 'Changed'; readonly record: PolicyRecord | null };

export type ReleasePolicyResult =
  | { readonly kind: 'Released'; readonly record: PolicyRecord }
  /** It was released before. */
  | { readonly kind: 'Unchanged'; readonly record: PolicyRecord }
  /** There is no policy of the tenant, and nothing to release. */
  | { readonly kind: 'Absent' }
  | { readonly kind: 'Claimed'; readonly owner: Owner }
  | { readonly kind: 'Fenced'; readonly epoch: number };

export type MovePolicyResult =
  | { readonly kind: 'Moved'; readonly record: PolicyRecord }
  /** It is of that namespace already. */
  | { readonly kind: 'Unchanged'; readonly record: PolicyRecord }
  | { readonly kind: 'Absent' }
  /** Its owner has not released it. */
  | { readonly kind: 'Claimed'; readonly owner: Owner };

export interface PolicyRecords {
  get(tenant: string): Promise<PolicyRecord | null>;
  /** By tenant, a page after one; released tenants too. */
  list(limit: number, after?: string): Promise<readonly PolicyRecord[]>;
  /**
   * Claims the tenant for its first owner, or for the first one of the same namespace after a
   * release; another owner changes nothing. The rules stand in core/policy/policy-ownership.ts;
   * deciding and writing are one step.
   */
  put(owner: Owner, policy: TenantPolicy, write: PolicyWrite): Promise<PutPolicyResult>;
  /**
   * Lets no write of an earlier leader of the cluster through any more, also one that is under way.
   * To be called by a new leader before its first write; repeatable. False where a later leader was
   * there before: then the caller leads no more.
   */
  fence(cluster: string, epoch: number): Promise<boolean>;
  /** Frees the claim and keeps the policy: readers are served, nothing more is refreshed. */
  release(
    tenant: string,
    owner: Owner,
    write: { now: number; epoch?: number },
  ): Promise<ReleasePolicyResult>;
  /** Hands a released tenant to another namespace of its cluster, which may then claim it. */
  move(tenant: string, namespace: string): Promise<MovePolicyResult>;
}

export interface ModelProviderWrite {
  readonly hash: string;
  readonly now: number;
  /** Of the leader that writes; 0 where there are no leaders. */
  readonly epoch?: number;
  /** When the resource was made, in milliseconds since the epoch; left out where unknown. */
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

/** What a worker found: of which provider, and when. */
export interface FoundCheck extends Pick<ProviderCheck, 'at' | 'state' | 'code'> {
  /** Of the record of the provider that was asked; a generation may come again under its name. */
  readonly hash: string;
}

/** The providers of models that the installation knows; of no tenant. Keys are never kept. */
export interface ModelProviderRecords {
  get(name: string): Promise<ModelProviderRecord | null>;
  /** By name, a page after one. */
  list(limit: number, after?: string): Promise<readonly ModelProviderRecord[]>;
  /**
   * Writes the provider of a name for the cluster and namespace that had it first. A resource that
   * is created again under the name goes on with it. Every change discards the results of earlier
   * checks. Decision and write are one step (core/policy/policy-ownership.ts).
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
   * Notes what a worker found; false where the provider is gone or another one by now, or where a
   * later check was noted.
   */
  recordCheck(name: string, found: FoundCheck): Promise<boolean>;
}
