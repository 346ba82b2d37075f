/**
 * The store: everything Varve keeps. It has one interface per kind of record, so that a caller asks
 * for no more than it uses. An adapter provides all of them over one database.
 *
 * Guarantees, checked by one conformance suite on every adapter:
 * - every method takes the tenant and touches no other tenant's records, except for what belongs to
 *   no tenant: calibrations and model providers;
 * - a method that resolves has made its change durable. A method that rejects has changed nothing,
 *   or the next regeneration of the scope repairs it (until then it shows as stale, never as
 *   fresh);
 * - conditional methods (`put` of a policy, `lease`, `commit`, `reserve`) decide and write in one
 *   atomic step.
 */
import type { Layer } from '../layer.ts';
import type { Owner } from '../records/policy.ts';
import type { LeaseClamp, ScopeRecords, SegmentRecords, SummaryRecords } from './scope-records.ts';
import type { EmbeddingRecords } from './embedding-records.ts';
import type { DocumentRecords } from './document-records.ts';
import type { MemoryRecords } from './memory-records.ts';
import type { ModelProviderRecords, PolicyRecords } from './policy-records.ts';
import type { TurnRecords } from './turn-records.ts';
import type { AccountRecords } from './budget-account-records.ts';
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
import type { WriteRules } from './write-rules-and-outcomes.ts';
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

/**
 * Bytes of live content by tenant and layer; updated with each write, never counted from memories.
 */
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
  /** The most records that this step deletes. */
  readonly limit: number;
  readonly now: number;
  /** Who erases, if a leader does: see `requireErasable` in core/policy/policy-ownership.ts. */
  readonly by?: { readonly owner: Owner; readonly epoch: number };
  /**
   * Keeps the policy. For a released tenant it forbids new writes and summaries, so it must exist
   * until the last possible writer has ended.
   */
  readonly keepsPolicy?: boolean;
  /** Keeps the receipts of erasures, and pending erasures. */
  readonly keepsReceipts?: boolean;
}

/** What one step of an erasure did. */
export interface ErasureStep {
  readonly deleted: number;
  /** True once nothing of the tenant is left, including its policy unless that is kept. */
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
   * Deletes at most `limit` records of a tenant, its policy last. Call it until `isDone`; it can be
   * repeated, also after a crash at any point. A later step deletes what is written meanwhile; what
   * is written after the last step belongs to a new tenant.
   * @throws VarveError CONFLICT if `by` may not erase the tenant; nothing is deleted then
   */
  eraseTenant(tenant: string, request: ErasureRequest): Promise<ErasureStep>;
  /**
   * Makes the database rewrite its files without deleted content, as far as it lets clients do so.
   * Can be repeated. The time grows with the size of the database, and it needs about as much free
   * space again.
   * @throws VarveError TIMEOUT if others keep reading the files
   */
  rewriteFiles(): Promise<FileTraces>;
  health(): Promise<StoreHealth>;
}

// Paid answers, kept until the batch they belong to is committed.

/** A tenant with the time of its oldest answer that still has its text. */
interface OldestAnswer {
  readonly tenant: string;
  readonly oldestAt: number;
}

export interface AnswerRecords {
  /** Can be repeated: an answer that is stored under the attempt stays as it is. */
  put(answer: PaidAnswer): Promise<void>;
  /**
   * Returns the stored answer to this question of this batch, no matter which attempt paid for it.
   */
  find(tenant: string, batchId: string, promptHash: string): Promise<PaidAnswer | null>;
  /** Returns every stored answer of a batch. */
  ofBatch(tenant: string, batchId: string): Promise<readonly PaidAnswer[]>;
  /** Marks a batch's answers as committed and deletes their text. */
  close(tenant: string, batchId: string): Promise<void>;
  /**
   * As `close`, for the oldest answers that have their text and were stored at or before `until`:
   * those of unfinished batches. Returns how many.
   */
  forget(tenant: string, query: { until: number; limit: number }): Promise<number>;
  /**
   * Lists tenants with their oldest answer that still has its text, by name; the page after one.
   */
  tenantsWithText(query: {
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly OldestAnswer[]>;
}

// Keys of callers.

export interface ApiKeyRecords {
  /** Returns false if the tenant already has the most keys it may have, or has the id. */
  add(key: ApiKey): Promise<boolean>;
  get(tenant: string, id: string): Promise<ApiKey | null>;
  /** By id, and so by age. At most `KEYS_MAX`, and keys that were added at the same moment. */
  list(tenant: string): Promise<readonly ApiKey[]>;
  /** Returns whether the key existed. From then on no process accepts it. */
  remove(tenant: string, id: string): Promise<boolean>;
}

// The audit of a tenant, in the order of its ids.

interface AuditPage {
  readonly order: 'newest' | 'oldest';
  /** An id: only entries after it in that order. */
  readonly after: string | null;
  /** Only entries from this time on. */
  readonly since: number;
  readonly limit: number;
}

export interface AuditRecords {
  /** Can be repeated. */
  append(entry: AuditEntry): Promise<void>;
  list(tenant: string, page: AuditPage): Promise<readonly AuditEntry[]>;
  /** Lists tenants that have entries, even if nothing else of them is left; the page after one. */
  tenants(page: { after: string | null; limit: number }): Promise<readonly string[]>;
  /**
   * Deletes expired entries, and the oldest ones beyond the most that a tenant may have; a bounded
   * number per call. Returns how many.
   */
  sweep(tenant: string, bounds: { readonly now: number; readonly most: number }): Promise<number>;
}

// Events of summaries, for readers that follow a tenant.

export interface EventRecords {
  /** Can be repeated. */
  append(event: EventRecord): Promise<void>;
  list(tenant: string, query: { afterId: string | null; limit: number }): Promise<EventRecord[]>;
}

// Calls with an idempotency key, so that a repeated call gets the first answer.

export type IdempotencyClaim =
  /** The key is unused, or its 7 days are over: the call continues, and its result gets this id. */
  | { readonly kind: 'New'; readonly operationId: string }
  /** The same call began before and has no answer yet: it may have died, so finish it. */
  | { readonly kind: 'Unfinished'; readonly operationId: string; readonly startedAt: number }
  | { readonly kind: 'Answered'; readonly answer: unknown }
  /** The key was used with another body. */
  | { readonly kind: 'OtherBody' };

export interface IdempotencyRecords {
  /** Decides in one atomic step; of several equal calls, one gets `New`. */
  claim(claim: {
    tenant: string;
    key: string;
    bodyHash: string;
    operationId: string;
    now: number;
  }): Promise<IdempotencyClaim>;
  /** Stores the first answer; a later answer changes nothing. */
  answer(tenant: string, key: string, answer: unknown): Promise<void>;
  /** Releases the claim of a call that failed before it changed anything, so the key is free. */
  release(tenant: string, key: string, operationId: string): Promise<void>;
  /** Deletes expired claims, a bounded number per call; returns how many. */
  sweep(tenant: string, now: number): Promise<number>;
}

// Whether a tenant has work that no refresher has seen yet.

export interface RefreshRequest {
  readonly wanted: number;
  readonly acknowledged: number;
}

export interface RefreshRequestRecords {
  get(tenant: string): Promise<RefreshRequest>;
  /** Raises `wanted`; `edge` is true if everything wanted before had been acknowledged. */
  want(tenant: string): Promise<RefreshRequest & { readonly edge: boolean }>;
  /** Sets `acknowledged` if `wanted` is still `seen`; false: another request came in between. */
  acknowledge(tenant: string, seen: number): Promise<boolean>;
}

// Sessions: the conversations of a tenant and their owners.

export interface SessionRecords {
  get(tenant: string, sessionId: string): Promise<SessionRecord | null>;
  /** Lists the sessions of one opener, newest first, equal times by id; the page after one. */
  list(
    tenant: string,
    page: {
      readonly opener: string;
      readonly after: Pick<SessionRecord, 'lastAt' | 'sessionId'> | null;
      readonly limit: number;
    },
  ): Promise<readonly SessionRecord[]>;
  /** Returns the session whose turns wait under the id of a flush. */
  ofFlush(tenant: string, flushId: string): Promise<SessionRecord | null>;
  /** Lists sessions whose flush is due, of one tenant or of all, longest due first. */
  dueFlushes(query: {
    readonly tenant?: string;
    readonly now: number;
    readonly limit: number;
  }): Promise<readonly SessionRecord[]>;
  /**
   * Writes what `change` makes of a record; null leaves it as it is. `change` runs again if others
   * wrote meanwhile, so it must have no side effects. Returns what was written.
   * @throws VarveError what `change` throws; CONFLICT, retryable, if others write all the time
   */
  change(
    tenant: string,
    sessionId: string,
    change: (before: SessionRecord | null) => SessionRecord | null,
  ): Promise<SessionRecord | null>;
}

// The subjects of a tenant: who has a Markdown memory.

export interface SubjectRecords {
  /** `subject` is a `subjectKey`. */
  get(tenant: string, subject: string): Promise<SubjectRecord | null>;
  byId(tenant: string, subjectId: string): Promise<SubjectRecord | null>;
  /**
   * Lists by key, the page after one; only one kind, or only those with something new, on request.
   */
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
   * Writes a record if it is still at `version - 1`, or a new one (version 1) if it does not exist;
   * returns whether it did.
   */
  put(record: SubjectRecord): Promise<boolean>;
}

// Audiences, the summaries they read, and their pending variants (design 6.21).

/**
 * The most audiences of one scope with a variant; the least recent readers make room for new ones.
 */
export const VARIANTS_PER_SCOPE_MAX = 100;
/**
 * A reader keeps its place for this time: otherwise many readers in turn would each cost a model
 * call.
 */
export const PLACE_KEPT_MS = 60 * 60 * 1_000;

export interface VariantRecords {
  get(scope: Scope, audience: string): Promise<Variant | null>;
  /** Lists those of a scope in the order of their audiences; an emptied scope has none. */
  ofScope(scope: Scope): Promise<readonly Variant[]>;
  /** Lists variants due at or before `until` without a running lease, earliest first. */
  due(
    tenant: string,
    query: { until: number; now: number; limit: number },
  ): Promise<readonly Variant[]>;
  /** Lists variants leased under a claim, or under one of its batches; by scope and audience. */
  leased(
    tenant: string,
    by: { claimId: string } | { batchId: string },
  ): Promise<readonly Variant[]>;
  /** Shortens leases of any holder; returns how many. */
  clampLeases(clamp: LeaseClamp): Promise<number>;
  /**
   * Writes a variant if it is still at `version - 1`, or a new one if it does not exist; returns
   * whether it did. A new variant beyond `VARIANTS_PER_SCOPE_MAX` replaces the least recently read
   * one, and deletes its text. If that one was read within `PLACE_KEPT_MS`, the new one is not
   * written.
   */
  put(variant: Variant): Promise<boolean>;
}

export interface DecidedReview {
  /** Outdated if its text had changed or was gone; unchanged if it was not waiting. */
  readonly review: Review;
  readonly scope: ScopeRecord;
}

type ReviewPlace = Pick<Review, 'tenant' | 'id' | 'layer' | 'scopeId'>;

/**
 * Reviews. A turn that is held back gets its review from `TurnRecords.append`, in the same commit.
 */
export interface ReviewRecords {
  get(tenant: string, id: string): Promise<Review | null>;
  /** Lists newest first, the page before one; only one state on request. */
  list(
    tenant: string,
    page: {
      readonly limit: number;
      /** Id of the last review of the previous page. */
      readonly before?: string;
      readonly state?: Review['state'];
    },
  ): Promise<readonly Review[]>;
  /**
   * Proposes a memory for another scope. If a proposal of the same text for the same scope exists
   * and is not outdated, returns that one. Returns null if the memory is gone or has another text.
   */
  propose(review: Review, rules: WriteRules): Promise<Review | null>;
  /** Records which memory an approved promotion became; null if the review was erased. */
  notePromoted(review: ReviewPlace, memoryId: string): Promise<Review | null>;
  /**
   * Decides a waiting review. An approved turn counts as a source from the same commit on; a
   * refused turn never does. The caller writes what an approved promotion becomes. Returns null if
   * there is no such review.
   */
  decide(
    review: ReviewPlace,
    decided: { readonly state: 'Approved' | 'Refused'; readonly decision: ReviewDecision },
    rules: WriteRules,
  ): Promise<DecidedReview | null>;
}

/** The next time of each DeepDream. */
export interface DreamScheduleRecords {
  get(tenant: string, name: string): Promise<DreamSchedule | null>;
  /** Lists all of a tenant, by name; a tenant has few (`DREAMS_PER_TENANT_MAX`). */
  list(tenant: string): Promise<readonly DreamSchedule[]>;
  /**
   * Lists schedules of all tenants whose next time is at or before `now`, or whose round still has
   * to start subjects or to be closed, by `dueAtOf`; longest waiting first.
   */
  due(query: { readonly now: number; readonly limit: number }): Promise<readonly DreamSchedule[]>;
  /**
   * Writes a record if it is still at `version - 1`, or a new one (version 1) if it does not exist.
   */
  put(schedule: DreamSchedule): Promise<boolean>;
  /** Deletes it unless a later generation of the policy declared it; returns whether it is gone. */
  remove(tenant: string, name: string, policyGeneration: number): Promise<boolean>;
}

/** The proposals of dreams. */
export interface ProposalRecords {
  get(tenant: string, id: string): Promise<Proposal | null>;
  /** Lists newest first, the page before one; only one subject or one state on request. */
  list(
    tenant: string,
    page: {
      readonly limit: number;
      /** Id of the last proposal of the previous page. */
      readonly before?: string;
      readonly subject?: string;
      readonly state?: Proposal['state'];
    },
  ): Promise<readonly Proposal[]>;
  /**
   * Lists proposals of all tenants that are approved, not applied, and not retried since `before`,
   * by `pendingAtOf`; longest waiting first.
   */
  approved(query: {
    readonly before: number;
    readonly limit: number;
  }): Promise<readonly Proposal[]>;
  /**
   * Writes a record if it is still at `version - 1`, or a new one (version 1) if it does not exist.
   */
  put(proposal: Proposal): Promise<boolean>;
}
