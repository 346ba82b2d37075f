/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  Erasure,
} from './shared.generated.ts';

export interface TenantEraseInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Repeat the id of the tenant to confirm that you want to erase everything of it. */
  readonly confirm: string;
}

export type TenantEraseOutput = Erasure;

export interface TenantGetInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
}

export interface TenantGetDeclaredBy {
  /** Id of the cluster; `folder` for a policy folder. */
  readonly cluster: string;
  readonly namespace: string;
  readonly name: string;
  /** Rises with every change of the policy, and with every claim. */
  readonly generation: number;
  /** Milliseconds since the epoch. */
  readonly appliedAt: number;
}

export interface TenantGetModel {
  readonly modelClass: 'economy' | 'standard';
  /** Name of the ModelProvider. */
  readonly provider: string;
  readonly model: string;
  /** What a worker found last; `Unchecked` until one has asked the provider. */
  readonly state: 'Unchecked' | 'Available' | 'Unavailable';
  /** Why it is not available; null otherwise. */
  readonly code: string | null;
  /** Since when the state has been the same; null if unchecked. */
  readonly since: number | null;
}

export interface TenantGetEmbedding {
  readonly active: string;
  readonly target: string | null;
  readonly phase: 'Steady' | 'Filling' | 'Paused' | 'Dropping';
  readonly dropping: string | null;
  /** Until then, a rollback to the vectors of `dropping` costs nothing; null if none are kept. */
  readonly keptUntil: number | null;
  /** Memories with a vector of `target`; of `active` if no change is under way. */
  readonly done: number;
  /** Memories without one. */
  readonly missing: number;
}

export interface TenantGetOutput {
  readonly tenant: string;
  /** The MemoryTenant whose policy is in force; null if the defaults are. */
  readonly declaredBy: TenantGetDeclaredBy | null;
  /** When that resource was deleted: reads are served, writes are refused. Null before that. */
  readonly releasedAt: number | null;
  /** When a policy folder erases the released tenant, unless its file comes back; null if not. */
  readonly erasesAt: number | null;
  /** Models of ModelProviders that serve the tenant; empty if none does. */
  readonly models: TenantGetModel[];
  /**
   * How memories are compared, and a change of the embedding model; null before the first memory.
   */
  readonly embeddings: TenantGetEmbedding | null;
}

/** Calls of `tenant`. */
export interface TenantCalls {
  /**
   * Erases everything of a tenant for good, including its keys and its audit. Its policy stays
   * until its owner removes it, and so do the receipts of erasures.
   */
  readonly erase: (input: TenantEraseInput) => Promise<TenantEraseOutput>;
  /**
   * Returns which resource declares a tenant, whether it was released and will be erased, which
   * models serve it, and how far a change of the embedding model is.
   */
  readonly get: (input: TenantGetInput) => Promise<TenantGetOutput>;
}
