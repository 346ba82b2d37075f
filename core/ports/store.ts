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
import type { Owner } from '../records/policy.ts';
import type { LeaseCut, ScopeRecords, SegmentRecords, SummaryRecords } from './scope-records.ts';
import type { EmbeddingRecords } from './embedding-records.ts';
import type { DocumentRecords } from './document-records.ts';
import type { MemoryRecords } from './memory-records.ts';
import type { ModelProviderRecords, PolicyRecords } from './policy-records.ts';
import type { TurnRecords } from './turn-records.ts';
import type { AccountRecords } from './account-records.ts';
import type { ErasureRecords } from './erasure-records.ts';
import type { FileTraces } from '../records/erasure.ts';
import type { PaidAnswer } from '../records/paid-answer.ts';
import type { ApiKey } from '../records/api-key.ts';
import type { AuditEntry } from '../records/audit-entry.ts';
import type { EventRecord } from '../records/event.ts';
import type { SessionRecord } from '../records/session.ts';
import type { Subject } from '../subject.ts';
import type { SubjectRecord } from '../records/subject-record.ts';
import type { Variant } from '../records/variant.ts';
import type { Scope } from '../scope.ts';
import type { Review, ReviewDecision } from '../records/review.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { WriteRules } from './write-rules.ts';
import type { DreamSchedule } from '../records/dream-schedule.ts';
import type { Proposal } from '../records/proposal.ts';

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

// Answers that were paid for, kept until the batch they belong to is committed.

/** A tenant by the oldest of its answers that still have their text. */
interface OldestAnswer {
  readonly tenant: string;
  readonly oldestAt: number;
}

export interface AnswerRecords {
  /** Repeatable: what is stored under the attempt stays as it is. */
  put(answer: PaidAnswer): Promise<void>;
  /** The stored answer to this question of this batch, whichever attempt paid for it. */
  find(tenant: string, batchId: string, promptHash: string): Promise<PaidAnswer | null>;
  /** Every stored answer of a batch. */
  ofBatch(tenant: string, batchId: string): Promise<readonly PaidAnswer[]>;
  /** Marks a batch's answers committed and forgets their text. */
  close(tenant: string, batchId: string): Promise<void>;
  /**
   * As `close` for the oldest answers that have their text and were stored at or before `until`:
   * those of unfinished batches. Answers how many.
   */
  forget(tenant: string, query: { until: number; limit: number }): Promise<number>;
  /** Tenants by the oldest of their answers that still have their text: by name, after one. */
  tenantsWithText(query: {
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly OldestAnswer[]>;
}

// Keys of callers.

export interface ApiKeyRecords {
  /** False where the tenant has the most that it may have, or has the id. */
  add(key: ApiKey): Promise<boolean>;
  get(tenant: string, id: string): Promise<ApiKey | null>;
  /** By id, which is by age; at most `KEYS_MAX` and what was added at the same moment. */
  list(tenant: string): Promise<readonly ApiKey[]>;
  /** Whether there was one. From then on no process takes the key. */
  remove(tenant: string, id: string): Promise<boolean>;
}

// The audit of a tenant, in the order of its ids.

interface AuditPage {
  readonly order: 'newest' | 'oldest';
  /** An id: only what comes after it in that order. */
  readonly after: string | null;
  /** Only entries from then on. */
  readonly since: number;
  readonly limit: number;
}

export interface AuditRecords {
  /** Repeatable. */
  append(entry: AuditEntry): Promise<void>;
  list(tenant: string, page: AuditPage): Promise<readonly AuditEntry[]>;
  /** Tenants that have entries, a page after one, whatever else is left of them. */
  tenants(page: { after: string | null; limit: number }): Promise<readonly string[]>;
  /**
   * Forgets what has ended, and the oldest above the most that a tenant has; a bounded number at a
   * time. Answers how many.
   */
  sweep(tenant: string, bounds: { readonly now: number; readonly most: number }): Promise<number>;
}

// Events of summaries, for readers that follow a tenant.

export interface EventRecords {
  /** Repeatable. */
  append(event: EventRecord): Promise<void>;
  list(tenant: string, query: { afterId: string | null; limit: number }): Promise<EventRecord[]>;
}

// Calls with a key of the caller, so that a repetition gets the first answer.

export type IdempotencyClaim =
  /** The key is unused, or its 7 days are over: the call goes on, and its result has this id. */
  | { readonly kind: 'New'; readonly operationId: string }
  /** The same call began before and has no answer yet: it may have died, and is to be finished. */
  | { readonly kind: 'Unfinished'; readonly operationId: string; readonly startedAt: number }
  | { readonly kind: 'Answered'; readonly answer: unknown }
  /** The key was used with another body. */
  | { readonly kind: 'OtherBody' };

export interface IdempotencyRecords {
  /** Decides in one atomic step; of many equal calls one gets `New`. */
  claim(claim: {
    tenant: string;
    key: string;
    bodyHash: string;
    operationId: string;
    now: number;
  }): Promise<IdempotencyClaim>;
  /** Stores the first answer; a later one changes nothing. */
  answer(tenant: string, key: string, answer: unknown): Promise<void>;
  /** Takes back a claim that failed before it changed anything, so that the key is free again. */
  release(tenant: string, key: string, operationId: string): Promise<void>;
  /** Forgets what has ended, a bounded number at a time; answers how many. */
  sweep(tenant: string, now: number): Promise<number>;
}

// Whether a tenant has work that no refresher has seen yet.

export interface RefreshRequest {
  readonly wanted: number;
  readonly acknowledged: number;
}

export interface RefreshRequestRecords {
  get(tenant: string): Promise<RefreshRequest>;
  /** Raises `wanted`; `edge` is true where everything wanted before had been acknowledged. */
  want(tenant: string): Promise<RefreshRequest & { readonly edge: boolean }>;
  /** Sets `acknowledged` if `wanted` is still `seen`; false: something came in between. */
  acknowledge(tenant: string, seen: number): Promise<boolean>;
}

// Sessions: the conversations of a tenant and their owners.

export interface SessionRecords {
  get(tenant: string, sessionId: string): Promise<SessionRecord | null>;
  /** Those of one opener, the newest first and by id where two are as new, a page after one. */
  list(
    tenant: string,
    page: {
      readonly opener: string;
      readonly after: Pick<SessionRecord, 'lastAt' | 'sessionId'> | null;
      readonly limit: number;
    },
  ): Promise<readonly SessionRecord[]>;
  /** The one whose turns wait under the id of a flush. */
  ofFlush(tenant: string, flushId: string): Promise<SessionRecord | null>;
  /** Those whose flush is due, of one tenant or of all, the longest due first. */
  dueFlushes(query: {
    readonly tenant?: string;
    readonly now: number;
    readonly limit: number;
  }): Promise<readonly SessionRecord[]>;
  /**
   * Writes what `change` makes of a record; null leaves it as it is. It runs again where others
   * wrote in between, so it only decides. Answers what was written.
   * @throws VarveError what `change` throws; CONFLICT, retryable, where others write all the time
   */
  change(
    tenant: string,
    sessionId: string,
    change: (before: SessionRecord | null) => SessionRecord | null,
  ): Promise<SessionRecord | null>;
}

// The subjects of a tenant: who has a Markdown memory.

export interface SubjectRecords {
  /** By `subjectKey`. */
  get(tenant: string, subject: string): Promise<SubjectRecord | null>;
  byId(tenant: string, subjectId: string): Promise<SubjectRecord | null>;
  /** By key, a page after one; of one kind, or those with something new, where it is asked for. */
  list(
    tenant: string,
    page: {
      readonly after: string;
      readonly limit: number;
      readonly kind?: Subject['kind'];
      readonly hasNew?: boolean;
    },
  ): Promise<readonly SubjectRecord[]>;
  /**
   * Writes a record if it is still at `version - 1`, a new one if it is not there (the first
   * version is 1); answers whether it did.
   */
  put(record: SubjectRecord): Promise<boolean>;
}

// Audiences, the summaries they read, and their pending variants (design 6.21).

/** Audiences of one scope that have a variant; the least recent readers make room for new ones. */
export const VARIANTS_PER_SCOPE_MAX = 100;
/** A reader keeps its place so long: else many readers in turn would cost a model call each. */
export const PLACE_KEPT_MS = 60 * 60 * 1_000;

export interface VariantRecords {
  get(scope: Scope, audience: string): Promise<Variant | null>;
  /** Those of a scope in the order of their audiences; an emptied scope has none. */
  ofScope(scope: Scope): Promise<readonly Variant[]>;
  /** Due at or before `until` and under no running lease, the earliest first. */
  due(
    tenant: string,
    query: { until: number; now: number; limit: number },
  ): Promise<readonly Variant[]>;
  /** Leased under a claim, or under one of its batches; by scope and audience. */
  leased(
    tenant: string,
    by: { claimId: string } | { batchId: string },
  ): Promise<readonly Variant[]>;
  /** Shortens leases, whoever holds them; answers how many. */
  shortenLeases(cut: LeaseCut): Promise<number>;
  /**
   * Writes a variant if it is still at `version - 1`, a new one if it is not there; answers whether
   * it did. A new one beyond `VARIANTS_PER_SCOPE_MAX` takes the place of the one that was read
   * least recently, whose text goes too; where that one was read within `PLACE_KEPT_MS`, the new
   * one is not written.
   */
  put(variant: Variant): Promise<boolean>;
}

export interface DecidedReview {
  /** Outdated where its text had changed or was gone; as it was where it did not wait. */
  readonly review: Review;
  readonly scope: ScopeRecord;
}

type ReviewPlace = Pick<Review, 'tenant' | 'id' | 'layer' | 'scopeId'>;

/** Turns that are held back get theirs from `TurnRecords.append`, in the same commit. */
export interface ReviewRecords {
  get(tenant: string, id: string): Promise<Review | null>;
  /** Newest first, a page before one; in one state where it is asked for. */
  list(
    tenant: string,
    page: {
      readonly limit: number;
      /** Id of the last one of the page before. */
      readonly before?: string;
      readonly state?: Review['state'];
    },
  ): Promise<readonly Review[]>;
  /**
   * Proposes a memory for another scope. A proposal of the same text for the same scope that is not
   * outdated is answered in its place; null where the memory is gone or has another text.
   */
  propose(review: Review, rules: WriteRules): Promise<Review | null>;
  /** Notes which memory an approved promotion became; null where the review was erased. */
  notePromoted(review: ReviewPlace, memoryId: string): Promise<Review | null>;
  /**
   * Decides a review that waits. An approved turn counts as a source from the same commit on, and a
   * refused one never does. What an approved promotion becomes is for the caller to write. Null
   * where there is no such review.
   */
  decide(
    review: ReviewPlace,
    decided: { readonly state: 'Approved' | 'Refused'; readonly decision: ReviewDecision },
    rules: WriteRules,
  ): Promise<DecidedReview | null>;
}

/** When each DeepDream comes next. */
export interface DreamScheduleRecords {
  get(tenant: string, name: string): Promise<DreamSchedule | null>;
  /** All of a tenant, by name; a tenant has few (`DREAMS_PER_TENANT_MAX`). */
  list(tenant: string): Promise<readonly DreamSchedule[]>;
  /**
   * Of all tenants: whose next time is at or before `now`, or whose round starts its subjects or is
   * to be closed, by `dueAtOf`; what waits longest comes first.
   */
  due(query: { readonly now: number; readonly limit: number }): Promise<readonly DreamSchedule[]>;
  /** Writes a record if it is still at `version - 1`, a new one (version 1) if it is not there. */
  put(schedule: DreamSchedule): Promise<boolean>;
  /** Deletes it if no later generation of the policy declared it; whether it is gone. */
  remove(tenant: string, name: string, policyGeneration: number): Promise<boolean>;
}

/** The proposals that dreams made. */
export interface ProposalRecords {
  get(tenant: string, id: string): Promise<Proposal | null>;
  /** Newest first, a page before one; of one subject or in one state where it is asked for. */
  list(
    tenant: string,
    page: {
      readonly limit: number;
      /** Id of the last one of the page before. */
      readonly before?: string;
      readonly subject?: string;
      readonly state?: Proposal['state'];
    },
  ): Promise<readonly Proposal[]>;
  /**
   * Of all tenants: approved and not applied, and not seen to since `before`, by `pendingAtOf`;
   * what waits longest comes first.
   */
  approved(query: {
    readonly before: number;
    readonly limit: number;
  }): Promise<readonly Proposal[]>;
  /** Writes a record if it is still at `version - 1`, a new one (version 1) if it is not there. */
  put(proposal: Proposal): Promise<boolean>;
}
