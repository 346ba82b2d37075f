/** What a write needs besides its record, and what it returns. */
import type { DuePolicy } from '../records/policy.ts';
import type { VarveError } from '../errors.ts';
import type { Memory } from '../records/memory.ts';
import type { ScopeRecord } from '../records/scope-record.ts';

/**
 * The most memories of one bulk write: other writers wait for the transaction, so it stays short.
 */
export const BULK_CHUNK_MAX = 200;

/** What a write needs besides the record: the rules for due marks, the time, and the writer. */
export interface WriteRules {
  readonly policy: DuePolicy;
  readonly now: number;
  /** Name of the principal, for the history; `varve` for Varve's own writes. */
  readonly by?: string;
}

export interface DeleteRules extends WriteRules {
  /**
   * Whether only the source of the memory is gone: a memory that repeats it from another source
   * takes its place. Otherwise, those are deleted with it.
   */
  readonly isSourceGone?: boolean;
}

export interface AddRules extends WriteRules {
  /**
   * Id of the memory that the added one only repeats, from another source: it is kept behind that
   * one. If there is no such memory anymore, it is added like any other.
   */
  readonly repeats?: string | undefined;
  /**
   * What happens if a live memory has the same key. `Refuse` (the default): CONFLICT. `Unite`: with
   * equal content, nothing is added and the memory gets what the repeat adds (`repeatedMemory`);
   * otherwise CONFLICT. `Update`: as `Unite`, but other content replaces that of the memory.
   */
  readonly onKey?: 'Refuse' | 'Unite' | 'Update';
  /** Whether a repeat also gives the memory its later time; false if absent. */
  readonly isSaidAgain?: boolean;
  /**
   * Ids of memories of the scope that the added one replaces, even the one that has its key;
   * unknown ids are skipped.
   */
  readonly supersedes?: readonly string[];
  /** Ids of memories that one of those had replaced, and that hold again; others are skipped. */
  readonly restores?: readonly string[];
  /**
   * The id was made for this write, and no other record has it, not even from an earlier try. The
   * store therefore does not check for one.
   */
  readonly isNewId?: boolean;
}

export interface WriteOutcome<T> {
  readonly record: T;
  readonly scope: ScopeRecord;
}

export interface AddOutcome extends WriteOutcome<Memory> {
  /** True if the record already said the same, found by its key, so nothing was added. */
  readonly deduplicated: boolean;
}

/** The outcome of one item of a bulk call; the other items don't depend on it. */
export type ItemOutcome<T> =
  | { readonly ok: true; readonly outcome: T }
  | { readonly ok: false; readonly error: VarveError };
