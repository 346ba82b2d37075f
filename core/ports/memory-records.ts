/** Memories: written one by one or in bulk, read by id, list and search, with their history. */
import type { MemoryChange, Memory, MemoryPatch } from '../records/memory.ts';
import type { Scope } from '../scope.ts';
import type { MemoryConditions, ScopeHits, ScopeQuery } from '../search/scope-search.ts';
import type { AddOutcome, AddRules, ItemOutcome, WriteOutcome, WriteRules } from './write-rules.ts';

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
   * Another content drops the memory from what the summary may cite, as a deletion does, whatever
   * share of its words stayed.
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
}
