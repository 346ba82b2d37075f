/**
 * The memory provider: memories with their embeddings over any store (MEM-01). Callers are already
 * authorized and scopes are resolved; everything else about a memory is decided here.
 *
 * Every method takes the tenant and touches no other tenant's records. Failures are VarveErrors;
 * PROVIDER_ERROR and RATE_LIMITED reach a caller after three retries.
 */
import type { Identifiers } from '../identifiers.ts';
import type { Layer } from '../layer.ts';
import type { Memory, MemoryPatch, Origin } from '../records/memory.ts';
import type { MemoryRecords } from './memory-records.ts';
import type { Trust } from '../trust.ts';
import type { TenantPolicy } from '../records/policy.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Scope } from '../scope.ts';
import type { MemoryConditions, SearchMode } from '../search/scope-search.ts';
import type { SearchHit, SearchReport } from '../search/search-result.ts';
import type { IdempotencyClaim, StoreCapabilities } from './store.ts';
import type { ItemOutcome } from './write-rules-and-outcomes.ts';

export const BULK_ITEMS_MAX = 10_000;

export interface MemoryToAdd {
  readonly layer: Layer;
  readonly scopeId: string;
  readonly kind: Memory['kind'];
  readonly content: string;
  readonly key: string | null;
  /** What to do with a memory that has the key and other content; `update` if absent. */
  readonly onConflict?: 'update' | 'error';
  /** `Exact`: content that the scope already has is not added again, even by concurrent callers. */
  readonly deduplicate: 'Exact' | null;
  readonly tags: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly origin: Origin;
  readonly trust: Trust;
  readonly validFrom: number | null;
  /** Minutes that the clock of `validFrom` was ahead of UTC; 0 if absent. */
  readonly utcOffset?: number | undefined;
  readonly expiresAt: number | null;
  /** Ids of memories of its scope that are no longer true: superseded in the same commit. */
  readonly supersedes?: readonly string[];
  /** Ids of memories that one of those had ended, and that hold again in the same commit. */
  readonly restores?: readonly string[];
  /** Ids of memories of its scope that introduce whom or what it names. */
  readonly mentions?: readonly string[];
  /** Id of the memory that it only repeats, from another source. */
  readonly repeats?: string;
}

export interface ContentPatch extends Omit<MemoryPatch, 'content'> {
  readonly content?: string;
}

export interface Written {
  readonly memory: Memory;
  /**
   * False if there was nothing to embed, or if the embedder could not be reached or paid for.
   * Search then finds the memory by its words.
   */
  readonly embeddingGenerated: boolean;
  /** True if the memory already said the same, found by key or content. */
  readonly deduplicated: boolean;
  readonly scope: ScopeRecord;
}

export interface CallOptions {
  /** Name of the principal, for the history. */
  readonly by: string;
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends CallOptions {
  /** For 7 days, the same key and body return the first answer (design 6.6). */
  readonly idempotencyKey: string | null;
}

export interface DeleteOptions extends WriteOptions {
  /**
   * Whether the caller may know of a memory; every memory if absent. A memory that the caller may
   * not know of stays, and the answer is as if it did not exist. This also holds under an
   * idempotency key, so that the two cases cannot be told apart.
   */
  readonly mayTouch?: (memory: Pick<Memory, 'layer' | 'scopeId'>) => boolean;
  /** Whether only their source is gone: what another source also says stays. False if absent. */
  readonly isSourceGone?: boolean;
}

export interface SearchRequest {
  readonly query: string;
  readonly identifiers: Identifiers;
  /** Null for all accessible layers. A named layer without its identifier is MISSING_IDENTIFIER. */
  readonly layers: readonly string[] | null;
  readonly mode: SearchMode;
  /** The most hits after merging. */
  readonly limit: number;
  /** 0 to 1. */
  readonly threshold: number;
  /** Order of the answer: by precedence, then score, then id; or by score alone. */
  readonly order: 'precedence' | 'relevance';
  readonly conditions: Omit<MemoryConditions, 'now'>;
  readonly explain: boolean;
  /** The time that the question is about; now if absent. */
  readonly at?: number;
}

export interface SearchAnswer extends SearchReport {
  readonly hits: readonly SearchHit[];
}

export interface ListRequest {
  readonly scopes: readonly Scope[];
  readonly conditions: Omit<MemoryConditions, 'now'>;
  readonly order: 'newest' | 'oldest';
  /** Cursor from an earlier answer; null for the first page. */
  readonly cursor: string | null;
  readonly limit: number;
}

export interface ListAnswer {
  readonly memories: readonly Memory[];
  /** Null on the last page. */
  readonly nextCursor: string | null;
  readonly totalCount: number;
}

export interface BulkAnswer<T> {
  /** One for each item, in the same order. */
  readonly items: readonly ItemOutcome<T>[];
  readonly succeeded: number;
  readonly failed: number;
}

export interface ProviderHealth {
  readonly ok: boolean;
  readonly engine: string;
  readonly findings: readonly string[];
}

/** What this provider can do (MEM-17). */
export interface ProviderCapabilities extends Omit<StoreCapabilities, 'vectorSearch'> {
  readonly vectorSearch: boolean;
  /** Whether vectors are compared one by one or by an index of the database. */
  readonly vectorSearchMethod: StoreCapabilities['vectorSearch'];
  readonly embeddingDimensions: number;
  readonly embeddingGeneration: string;
  readonly modes: readonly SearchMode[];
  readonly contentLengthMax: number;
}

export interface EmbeddedPassages {
  readonly generation: string;
  /** In the order of the texts; null for a text that could not be embedded. */
  readonly vectors: readonly (readonly number[] | null)[];
}

export interface ClaimedKey {
  /** The key as it is stored. */
  readonly key: string;
  readonly claim: Exclude<IdempotencyClaim, { readonly kind: 'OtherBody' }>;
  /** When it was claimed this time. */
  readonly now: number;
}

export interface MemoryProvider {
  /**
   * Returns semantic vectors of texts that are stored beside memories, such as passages of turns;
   * null if the embedder compares words only.
   * @throws VarveError PROVIDER_ERROR, BUDGET_EXHAUSTED, CANCELLED
   */
  embedPassages(
    tenant: string,
    texts: readonly string[],
    options: CallOptions,
  ): Promise<EmbeddedPassages | null>;
  /**
   * Checks that the store can be used; a second call does nothing. Any method called earlier starts
   * with this check.
   */
  initialize(): Promise<void>;
  /** Waits up to 10 s for running calls, then closes the store; later calls fail. */
  shutdown(): Promise<void>;
  healthCheck(): Promise<ProviderHealth>;
  capabilities(): Promise<ProviderCapabilities>;

  /**
   * Adds a memory. With a function, adds what it makes of the tenant's policy, which is then read
   * once for both.
   * @throws VarveError CONTENT_TOO_LONG, CONFLICT
   */
  add(
    tenant: string,
    memory: MemoryToAdd | ((policy: TenantPolicy) => MemoryToAdd),
    options: WriteOptions,
  ): Promise<Written>;
  /**
   * Adds memories in chunks; an item that fails does not affect the others. At most
   * `BULK_ITEMS_MAX`.
   */
  bulkAdd(
    tenant: string,
    memories: readonly MemoryToAdd[],
    options: WriteOptions & { progress?: (done: number) => void },
  ): Promise<BulkAnswer<Written>>;
  get(tenant: string, id: string): Promise<Memory | null>;
  /** @throws VarveError MEMORY_NOT_FOUND, CONFLICT, CONTENT_TOO_LONG */
  update(
    key: { tenant: string; id: string },
    patch: ContentPatch,
    options: WriteOptions,
  ): Promise<Written>;
  /** Returns null if there was no such memory. */
  delete(key: { tenant: string; id: string }, options: DeleteOptions): Promise<ScopeRecord | null>;
  bulkDelete(
    tenant: string,
    ids: readonly string[],
    options: DeleteOptions,
  ): Promise<BulkAnswer<ScopeRecord | null>>;
  list(tenant: string, request: ListRequest): Promise<ListAnswer>;
  /** @throws VarveError INVALID_LAYER, MISSING_IDENTIFIER, FILTER_TOO_BROAD */
  search(tenant: string, request: SearchRequest, options: CallOptions): Promise<SearchAnswer>;
  readonly history: MemoryRecords['history'];
  /** Returns a vector of the active generation, from the cache for a known text (MEM-21). */
  generateEmbedding(
    tenant: string,
    text: string,
    options: CallOptions & { readonly purpose?: 'query' | 'passage' },
  ): Promise<{ readonly generation: string; readonly vector: readonly number[] }>;
  /**
   * Claims an idempotency key for work that is no write of one memory and finds its own results
   * when it is repeated. Whoever claims it answers or releases it (`IdempotencyRecords`).
   * @throws VarveError CONFLICT if the key was used with another body
   */
  claimKey(
    tenant: string,
    claimed: { readonly key: string; readonly body: unknown },
    options: CallOptions,
  ): Promise<ClaimedKey>;
  /**
   * Embeds what was written while the embedder could not be reached or paid for, one page at a
   * time. Also starts on its own with a tenant's first calls that reach the embedder again.
   */
  backfill(tenant: string, options: CallOptions): Promise<{ readonly embedded: number }>;
}
