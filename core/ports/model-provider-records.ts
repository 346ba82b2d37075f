/** The providers of models that the installation knows; of no tenant. Keys are never kept. */
import type { ModelProvider } from '../records/model-provider-spec.ts';
import type { ModelProviderRecord, ProviderCheck } from '../records/model-provider.ts';
import type { Owner } from '../records/policy-record.ts';

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
