/**
 * The store: everything Varve keeps. One interface per kind of record, so that a caller asks for no
 * more than it uses; an adapter provides all of them over one database.
 *
 * Guarantees, checked by one conformance suite on every adapter:
 * - every method takes the tenant and touches no other tenant's records, but for what belongs to
 *   none: calibrations and providers of models;
 * - a method that resolves has made its change durable, one that rejects has made none or will be
 *   repaired by the next regeneration of the scope (it then shows as stale, never as fresh);
 * - conditional methods (`put` of a policy, `lease`, `commit`, `reserve`) decide and write in one
 *   atomic step.
 */
import type { Layer } from '../layer.ts';
import type { Owner } from '../records/policy-record.ts';
import type { ScopeRecords } from './scope-records.ts';
import type { EmbeddingRecords } from './embedding-records.ts';
import type { DocumentRecords } from './document-records.ts';
import type { DreamScheduleRecords, ProposalRecords } from './dream-records.ts';
import type { MemoryRecords } from './memory-records.ts';
import type { ModelProviderRecords } from './model-provider-records.ts';
import type { TurnRecords } from './turn-records.ts';
import type { ReviewRecords } from './review-records.ts';
import type { SessionRecords } from './session-records.ts';
import type { SubjectRecords } from './subject-records.ts';
import type { SegmentRecords } from './segment-records.ts';
import type { SummaryRecords } from './summary-records.ts';
import type { AccountRecords } from './account-records.ts';
import type { ApiKeyRecords } from './api-key-records.ts';
import type { AuditRecords } from './audit-records.ts';
import type { AnswerRecords } from './answer-records.ts';
import type { PolicyRecords } from './policy-records.ts';
import type { VariantRecords } from './variant-records.ts';
import type { RefreshRequestRecords } from './refresh-request-records.ts';
import type { ErasureRecords } from './erasure-records.ts';
import type { FileTraces } from '../records/erasure.ts';
import type { EventRecords } from './event-records.ts';
import type { IdempotencyRecords } from './idempotency-records.ts';

/** What an adapter can do, so that callers need not guess. */
export interface StoreCapabilities {
  readonly engine: 'sqlite' | 'mongodb';
  /** `Exact`: every vector is compared. `Index`: the database's own vector index answers. */
  readonly vectorSearch: 'Exact' | 'Index';
  readonly distanceMetrics: readonly 'cosine'[];
  readonly bulkOperations: boolean;
}

/** Bytes of live content by tenant and layer; kept with each write, never counted from memories. */
export interface StorageSize {
  readonly tenant: string;
  readonly layer: Layer;
  readonly bytes: number;
  readonly sources: number;
}

export interface StoreHealth {
  readonly ok: boolean;
  readonly engine: string;
  readonly schemaVersion: number;
  /** What is wrong and how to fix it; empty if nothing is. */
  readonly findings: readonly string[];
}

export interface ErasureRequest {
  /** Records deleted by this step at most. */
  readonly limit: number;
  readonly now: number;
  /** Who erases, where a leader does: see `requireErasable` in core/policy/policy-ownership.ts. */
  readonly by?: { readonly owner: Owner; readonly epoch: number };
  /**
   * Keeps the policy: for a released tenant it forbids new writes and summaries, and must exist
   * until the last possible writer has ended.
   */
  readonly keepsPolicy?: boolean;
  /** Leaves the receipts of erasures, and those that are not done. */
  readonly keepsReceipts?: boolean;
}

/** What one step of an erasure did. */
export interface ErasureStep {
  readonly deleted: number;
  /** True once nothing of the tenant is left, its policy included where that is not kept. */
  readonly isDone: boolean;
}

export interface Store extends AsyncDisposable {
  readonly memories: MemoryRecords;
  readonly turns: TurnRecords;
  readonly reviews: ReviewRecords;
  readonly sessions: SessionRecords;
  readonly scopes: ScopeRecords;
  readonly summaries: SummaryRecords;
  readonly segments: SegmentRecords;
  readonly variants: VariantRecords;
  readonly accounts: AccountRecords;
  readonly answers: AnswerRecords;
  readonly policies: PolicyRecords;
  readonly modelProviders: ModelProviderRecords;
  readonly refreshRequests: RefreshRequestRecords;
  readonly events: EventRecords;
  readonly audit: AuditRecords;
  readonly apiKeys: ApiKeyRecords;
  readonly idempotency: IdempotencyRecords;
  readonly embeddings: EmbeddingRecords;
  readonly documents: DocumentRecords;
  readonly subjects: SubjectRecords;
  readonly dreamSchedules: DreamScheduleRecords;
  readonly proposals: ProposalRecords;
  readonly erasures: ErasureRecords;
  readonly capabilities: StoreCapabilities;
  /** Sums over scope records, at most `limit` rows. */
  storageSizes(limit: number): Promise<readonly StorageSize[]>;
  /**
   * Deletes what is kept of a tenant, at most `limit` records of it, its policy last; to be called
   * until `isDone`. Repeatable, and after a death at any point. What is written meanwhile goes with
   * a later step; what is written after the last one is of a new tenant.
   * @throws VarveError CONFLICT where the tenant is not `by`'s to erase; nothing is deleted then
   */
  eraseTenant(tenant: string, request: ErasureRequest): Promise<ErasureStep>;
  /**
   * Has the database write its files without what was deleted, as far as it lets its clients;
   * repeatable. It takes as long as the database is large, and about as much room again.
   * @throws VarveError TIMEOUT where others keep reading the files
   */
  rewriteFiles(): Promise<FileTraces>;
  health(): Promise<StoreHealth>;
}
