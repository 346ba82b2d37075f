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
import type { VarveError } from '../errors.ts';
import type { Layer } from '../layer.ts';
import type { Calibration } from '../search/calibration.ts';
import type { MemoryConditions, ScopeHits, ScopeQuery } from '../search/scope-search.ts';
import type { EmbeddingState } from '../records/embedding-state.ts';
import type { MemoryChange } from '../records/memory-change.ts';
import type { DuePolicy } from '../due.ts';
import type { Memory } from '../records/memory.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Turn } from '../records/turn.ts';
import type { Scope } from '../scope.ts';
import type { ScopeRecords } from './scope-records.ts';
import type { SummaryRecords } from './summary-records.ts';
import type { AccountRecords } from './account-records.ts';
import type { AnswerRecords } from './answer-records.ts';
import type { PolicyRecords } from './policy-records.ts';
import type { WakeRecords } from './wake-records.ts';
import type { EventRecords } from './event-records.ts';
import type { IdempotencyRecords } from './idempotency-records.ts';

/** Memories of one bulk write: a transaction that others wait for stays short. */
export const BULK_CHUNK_MAX = 200;

/** What a write needs besides the record: the rules for due marks, the time, and who writes. */
export interface WriteRules {
  readonly policy: DuePolicy;
  readonly now: number;
  /** Name of the principal, for the history; `varve` where the write is Varve's own. */
  readonly by?: string;
}

export interface AddRules extends WriteRules {
  /**
   * What a live memory with the same key means. `Refuse` (the default): CONFLICT. `Unite`: where
   * its content is the same, nothing is added and its tags become those of both; else CONFLICT.
   */
  readonly onKey?: 'Refuse' | 'Unite';
}

export interface WriteOutcome<T> {
  readonly record: T;
  readonly scope: ScopeRecord;
}

export interface AddOutcome extends WriteOutcome<Memory> {
  /** True where the record was there before, by its key, and nothing was added. */
  readonly deduplicated: boolean;
}

/** What became of one item of a bulk call: the others don't depend on it. */
export type ItemOutcome<T> =
  | { readonly ok: true; readonly outcome: T }
  | { readonly ok: false; readonly error: VarveError };

export interface ListQuery {
  readonly scopes: readonly Scope[];
  readonly conditions: MemoryConditions;
  readonly order: 'newest' | 'oldest';
  /** Id of the last memory of the page before; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

export interface MemoryPage {
  /** By id, which sorts by the time of writing. */
  readonly memories: readonly Memory[];
  /** Whether there are more after the last of these. */
  readonly more: boolean;
  /** Memories of all pages that meet the conditions now. */
  readonly total: number;
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
  add(memory: Memory, rules: AddRules): Promise<AddOutcome>;
  /** Memories of one scope, at most `BULK_CHUNK_MAX`; an item that fails leaves the others be. */
  addMany(
    memories: readonly Memory[],
    rules: AddRules,
  ): Promise<readonly ItemOutcome<AddOutcome>[]>;
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
  /** Of one tenant and scope, at most `BULK_CHUNK_MAX`; null for an id that was not there. */
  deleteMany(
    keys: readonly { tenant: string; id: string }[],
    rules: WriteRules,
  ): Promise<readonly ItemOutcome<WriteOutcome<Memory> | null>[]>;
  list(tenant: string, query: ListQuery): Promise<MemoryPage>;
  /**
   * The best candidates of one scope. Everything in the conditions is part of the query, so that
   * nothing is filtered after a limit.
   * @throws VarveError INVALID_INPUT for a vector of another length than those of its generation,
   * FILTER_TOO_BROAD
   */
  search(scope: Scope, query: ScopeQuery): Promise<ScopeHits>;
  /** What was done to a memory, by whom and when, the newest first; also of a deleted one. */
  history(
    key: { tenant: string; id: string },
    page: { beforeVersion: number | null; limit: number },
  ): Promise<readonly MemoryChange[]>;
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

/** A memory as a change of the embedding model sees it. */
export interface Unembedded {
  readonly id: string;
  readonly content: string;
  readonly contentHash: string;
  readonly tokenCount: number;
}

export interface EmbeddingRecords {
  /** Which generations a tenant's memories are compared by; null before its first memory. */
  state(tenant: string): Promise<EmbeddingState | null>;
  /** Writes the state if its version is still `version - 1` (1 for a new one). */
  putState(state: EmbeddingState): Promise<boolean>;
  /** Tenants that have a scope record, in the order of their ids, a page after one. */
  tenants(page: { after: string | null; limit: number }): Promise<readonly string[]>;
  /** States of tenants that are not `Steady`, in the order of tenants, a page after one. */
  changing(page: { after: string | null; limit: number }): Promise<readonly EmbeddingState[]>;
  /** How a generation's cosines are to be read (core/search/calibration.ts); of no tenant. */
  calibration(generation: string): Promise<Calibration | null>;
  putCalibration(calibration: Calibration): Promise<void>;
  /** Vectors of contents seen before, by content hash. */
  cached(
    tenant: string,
    query: { generation: string; contentHashes: readonly string[] },
  ): Promise<ReadonlyMap<string, readonly number[]>>;
  /** Live memories without a vector of a generation, in the order of ids, a page after one. */
  missing(
    tenant: string,
    query: { generation: string; after: string | null; limit: number; now: number },
  ): Promise<readonly Unembedded[]>;
  /** Adds vectors of a generation beside what is there; skips a memory whose content changed. */
  putVectors(
    tenant: string,
    write: {
      generation: string;
      vectors: readonly { id: string; contentHash: string; vector: readonly number[] }[];
      /** Whether they become the memories' own (`Memory.embeddingGeneration`), as at cut-over. */
      own: boolean;
    },
  ): Promise<number>;
  /** Makes a generation the memories' own where they have a vector of it; a page at a time. */
  adopt(tenant: string, generation: string, limit: number): Promise<number>;
  /** Removes vectors of a generation that no memory has as its own; a page at a time. */
  drop(tenant: string, generation: string, limit: number): Promise<number>;
  /** Live memories with and without a vector of a generation, and tokens of those without. */
  progress(
    tenant: string,
    query: { generation: string; now: number },
  ): Promise<{ done: number; missing: number; missingTokens: number }>;
}

/** What an adapter can do, so that callers need not guess. */
export interface StoreCapabilities {
  readonly engine: 'sqlite' | 'mongodb' | 'in-memory';
  /** `Exact`: every vector is compared. `Index`: the database's own vector index answers. */
  readonly vectorSearch: 'Exact' | 'Index';
  readonly distanceMetrics: readonly 'cosine'[];
  readonly bulkOperations: boolean;
  /** Whether a write is whole or absent at once, or after the next look for due work. */
  readonly transactions: boolean;
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
  readonly idempotency: IdempotencyRecords;
  readonly embeddings: EmbeddingRecords;
  readonly capabilities: StoreCapabilities;
  /** Sums over scope records, at most `limit` rows. */
  storageSizes(limit: number): Promise<readonly StorageSize[]>;
  health(): Promise<StoreHealth>;
}
