/** Memories: written one by one or in bulk, read by id, list and search, with their history. */
import type { MemoryChange, Memory, MemoryPatch } from '../records/memory.ts';
import type { Scope } from '../scope.ts';
import type { MemoryConditions, ScopeHits, ScopeQuery } from '../search/scope-search.ts';
import type {
  AddOutcome,
  AddRules,
  DeleteRules,
  ItemOutcome,
  WriteOutcome,
  WriteRules,
} from './write-rules-and-outcomes.ts';

export interface ListQuery {
  readonly scopes: readonly Scope[];
  readonly conditions: MemoryConditions;
  readonly order: 'newest' | 'oldest';
  /** Id of the last memory of the previous page; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
}

export interface MemoryPage {
  /** By id, which sorts by the time of writing. */
  readonly memories: readonly Memory[];
  /** Whether there are more after this page. */
  readonly more: boolean;
  /** How many memories on all pages meet the conditions now. */
  readonly total: number;
}

export interface MemoryRecords {
  /**
   * Adds a memory. One that is not live at `rules.now` is stored but is not a source. An expired
   * memory with the same key becomes superseded.
   * @throws VarveError CONFLICT with the id of the live memory that has its id or key
   */
  add(memory: Memory, rules: AddRules): Promise<AddOutcome>;
  /**
   * Adds up to `BULK_CHUNK_MAX` memories of one scope; a failed item does not affect the others.
   */
  addMany(
    memories: readonly Memory[],
    rules: AddRules,
  ): Promise<readonly ItemOutcome<AddOutcome>[]>;
  get(tenant: string, id: string): Promise<Memory | null>;
  /**
   * Updates a memory. New content removes the memory from what the summary may cite, as a deletion
   * does, no matter how many of its words stay.
   * @throws VarveError MEMORY_NOT_FOUND, CONFLICT
   */
  update(
    key: { tenant: string; id: string },
    patch: MemoryPatch,
    rules: WriteRules,
  ): Promise<WriteOutcome<Memory>>;
  /** Returns null if there was no such memory. */
  delete(
    key: { tenant: string; id: string },
    rules: DeleteRules,
  ): Promise<WriteOutcome<Memory> | null>;
  /** Deletes up to `BULK_CHUNK_MAX` memories of one scope; null for an id that was not there. */
  deleteMany(
    keys: readonly { tenant: string; id: string }[],
    rules: DeleteRules,
  ): Promise<readonly ItemOutcome<WriteOutcome<Memory> | null>[]>;
  list(tenant: string, query: ListQuery): Promise<MemoryPage>;
  /**
   * Returns the best candidates of one scope. The query contains all conditions, so nothing is
   * filtered after a limit.
   * @throws VarveError INVALID_INPUT for a vector of another length than those of its generation,
   * FILTER_TOO_BROAD
   */
  search(scope: Scope, query: ScopeQuery): Promise<ScopeHits>;
  /**
   * Returns what was done to a memory, by whom and when, newest first; also of a deleted memory.
   */
  history(
    key: { tenant: string; id: string },
    page: { beforeVersion: number | null; limit: number },
  ): Promise<readonly MemoryChange[]>;
}
