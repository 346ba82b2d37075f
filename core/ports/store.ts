/**
 * The store: everything Varve keeps. One interface per kind of record, so that a caller asks for no
 * more than it uses; an adapter provides all of them over one database.
 *
 * Guarantees, checked by one conformance suite on every adapter:
 * - every method takes the tenant and touches no other tenant's records;
 * - a method that resolves has made its change durable, one that rejects has made none or will be
 *   repaired by the next regeneration of the scope (it then shows as stale, never as fresh);
 * - conditional methods (`put` of a policy, `lease`, `commit`, `reserve`) decide and write in one
 *   atomic step.
 */
import type { Exhaustion } from '../budget.ts';
import type { DuePolicy } from '../due.ts';
import type { Account, Amount, LedgerEntry } from '../records/account.ts';
import type { StoredAnswer } from '../records/answer.ts';
import type { EventRecord } from '../records/event.ts';
import type { Memory } from '../records/memory.ts';
import type { Owner, PolicyRecord } from '../records/policy-record.ts';
import type { Lease, ScopeRecord } from '../records/scope-record.ts';
import type { Summary } from '../records/summary.ts';
import type { Turn } from '../records/turn.ts';
import type { BudgetPolicy, TenantPolicy } from '../policy.ts';
import type { Scope } from '../scope.ts';
import type { Source } from '../source.ts';

/** What a write needs besides the record: the rules for due marks, and the time. */
export interface WriteRules {
  readonly policy: DuePolicy;
  readonly now: number;
}

export interface WriteOutcome<T> {
  readonly record: T;
  readonly scope: ScopeRecord;
}

export interface MemoryPatch {
  /** `validFrom` too: a changed statement holds from the change, and counts as the newer one. */
  readonly content?: Pick<
    Memory,
    'content' | 'contentHash' | 'tokenCount' | 'vector' | 'embeddingGeneration' | 'validFrom'
  >;
  readonly tags?: readonly string[];
  /** Merged into the metadata that is there; a null value removes its field. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Refused with CONFLICT when the memory has another version. */
  readonly expectedVersion?: number;
}

export interface Neighbour {
  readonly memory: Memory;
  /** Cosine of the vectors, −1 to 1. */
  readonly cosine: number;
}

export interface MemoryRecords {
  /**
   * A memory that is not live at `rules.now` is kept and is no source. The holder of its key that
   * has expired becomes superseded.
   * @throws VarveError CONFLICT with the id of the live memory that has its id or key
   */
  add(memory: Memory, rules: WriteRules): Promise<WriteOutcome<Memory>>;
  get(tenant: string, id: string): Promise<Memory | null>;
  /**
   * Content that keeps too little of what it was (core/replacement.ts) drops the memory from what
   * the summary may cite, as a deletion does.
   * @throws VarveError MEMORY_NOT_FOUND, CONFLICT
   */
  update(
    key: { tenant: string; id: string },
    patch: MemoryPatch,
    rules: WriteRules,
  ): Promise<WriteOutcome<Memory>>;
  /** Null where there was no such memory. */
  delete(
    key: { tenant: string; id: string },
    rules: WriteRules,
  ): Promise<WriteOutcome<Memory> | null>;
  /** The nearest live memories of the given scopes by exact cosine, at most `limit`. */
  nearest(
    scopes: readonly Scope[],
    query: { generation: string; vector: readonly number[]; limit: number; now: number },
  ): Promise<readonly Neighbour[]>;
}

export interface TurnRecords {
  /**
   * Appends in order; a turn whose id the session already has is left as it is and not counted.
   * Sequences are given by the store. All turns of a call belong to one session.
   * @throws VarveError INVALID_INPUT
   */
  append(
    turns: readonly Omit<Turn, 'sequence'>[],
    rules: WriteRules,
  ): Promise<{ appended: number; scope: ScopeRecord }>;
  /** The newest turns of a session, oldest of them first. */
  latest(session: { tenant: string; sessionId: string }, limit: number): Promise<readonly Turn[]>;
}

export interface ScopeRecords {
  get(scope: Scope): Promise<ScopeRecord>;
  list(tenant: string, limit: number): Promise<readonly ScopeRecord[]>;
  /** Live sources of a scope in the order of `Source.position`, a page after one. */
  sources(
    scope: Scope,
    page: { after: string | null; limit: number; now: number },
  ): Promise<readonly Source[]>;
  /**
   * Scopes due at or before `until` and under no running lease, urgent first, then earliest. Due is
   * also a scope of which a source has ended by itself (`nextExpiryAt`), unless it waits after a
   * failure or was given up; its `dueAt` and `dueTrigger` then say nothing of it.
   */
  due(
    tenant: string,
    query: { until: number; now: number; limit: number },
  ): Promise<readonly ScopeRecord[]>;
  /** Tenants with a due scope or an unacknowledged wake, the longest waiting first. */
  dueTenants(query: { now: number; limit: number }): Promise<readonly string[]>;
  /** Leases scopes of the given version that nobody has a running lease on; answers those. */
  lease(
    claims: readonly { scope: ScopeRecord; lease: Lease }[],
    now: number,
  ): Promise<readonly ScopeRecord[]>;
  /** Scopes leased under a claim, or under one of its batches. */
  leased(
    tenant: string,
    by: { claimId: string } | { batchId: string },
  ): Promise<readonly ScopeRecord[]>;
  /** Writes a record if its version is still `version - 1`; answers whether it did. */
  replace(record: ScopeRecord): Promise<boolean>;
}

export interface SummaryCommit {
  /** The new generation; null where the scope is empty, or where the old one was equal. */
  readonly summary: Summary | null;
  /** The scope record to write, made by `applyCommit` from the record of version − 1. */
  readonly scope: ScopeRecord;
  /** What became of the summary; an empty scope loses those of all audiences. */
  readonly outcome: 'Generated' | 'Unchanged' | 'Emptied';
  readonly event: EventRecord;
}

export interface SummaryRecords {
  get(scope: Scope, audience: string): Promise<Summary | null>;
  list(tenant: string, limit: number): Promise<readonly Summary[]>;
  /**
   * Summary, lineage, scope and event in one step, if the scope is still at the version that
   * `scope.version` follows. False: somebody else wrote; read again and decide again.
   */
  commit(commit: SummaryCommit): Promise<boolean>;
}

export interface ReserveRequest {
  readonly attempt: Pick<LedgerEntry, 'tenant' | 'attemptId' | 'batchId' | 'purpose' | 'model'>;
  readonly amount: Amount;
  readonly budget: BudgetPolicy;
  readonly now: number;
}

export type ReserveResult =
  | { readonly kind: 'Reserved' }
  | { readonly kind: 'Exhausted'; readonly details: Exhaustion }
  | { readonly kind: 'TooManyOpen' };

export interface AccountRecords {
  /** The account of a period, opened with the policy's limits where it did not exist. */
  get(tenant: string, period: string, budget: BudgetPolicy): Promise<Account>;
  /**
   * Repeatable while the attempt is open, also in the next period.
   * @throws VarveError CONFLICT where the attempt was settled
   */
  reserve(request: ReserveRequest): Promise<ReserveResult>;
  /** Repeatable; see `settle` in core/budget.ts for what null means. */
  settle(
    attempt: { tenant: string; attemptId: string },
    used: Amount | null,
    settlement: { outcome: LedgerEntry['outcome']; now: number },
  ): Promise<void>;
  /** Writes the base limits of the current period, as the policy declares them. */
  setLimits(tenant: string, period: string, budget: BudgetPolicy): Promise<void>;
  /** The newest entries first. */
  entries(tenant: string, by: { batchId?: string; limit: number }): Promise<readonly LedgerEntry[]>;
}

export interface AnswerRecords {
  /** Repeatable: what is stored under the attempt stays as it is. */
  put(answer: StoredAnswer): Promise<void>;
  /** The stored answer to this question of this batch, whichever attempt paid for it. */
  find(tenant: string, batchId: string, promptHash: string): Promise<StoredAnswer | null>;
  /** Every stored answer of a batch. */
  ofBatch(tenant: string, batchId: string): Promise<readonly StoredAnswer[]>;
  /** Marks a batch's answers committed and forgets their text. */
  close(tenant: string, batchId: string): Promise<void>;
}

export type PutPolicyResult =
  | { readonly kind: 'Applied'; readonly record: PolicyRecord }
  | { readonly kind: 'Unchanged'; readonly record: PolicyRecord }
  | { readonly kind: 'Claimed'; readonly owner: Owner };

export interface PolicyRecords {
  get(tenant: string): Promise<PolicyRecord | null>;
  list(limit: number): Promise<readonly PolicyRecord[]>;
  /** Claims the tenant for its first owner; another owner changes nothing. */
  put(
    owner: Owner,
    policy: TenantPolicy,
    write: { hash: string; now: number },
  ): Promise<PutPolicyResult>;
}

export interface Wake {
  readonly wanted: number;
  readonly acknowledged: number;
}

export interface WakeRecords {
  get(tenant: string): Promise<Wake>;
  /** Raises `wanted`; `edge` is true where everything wanted before had been acknowledged. */
  want(tenant: string): Promise<Wake & { readonly edge: boolean }>;
  /** Sets `acknowledged` if `wanted` is still `seen`; false: something came in between. */
  acknowledge(tenant: string, seen: number): Promise<boolean>;
}

export interface EventRecords {
  /** Repeatable. */
  append(event: EventRecord): Promise<void>;
  list(tenant: string, query: { afterId: string | null; limit: number }): Promise<EventRecord[]>;
}

export interface StoreHealth {
  readonly ok: boolean;
  readonly engine: string;
  readonly schemaVersion: number;
  /** What is wrong and how to mend it; empty where nothing is. */
  readonly findings: readonly string[];
}

export interface Store extends AsyncDisposable {
  readonly memories: MemoryRecords;
  readonly turns: TurnRecords;
  readonly scopes: ScopeRecords;
  readonly summaries: SummaryRecords;
  readonly accounts: AccountRecords;
  readonly answers: AnswerRecords;
  readonly policies: PolicyRecords;
  readonly wakes: WakeRecords;
  readonly events: EventRecords;
  health(): Promise<StoreHealth>;
}
