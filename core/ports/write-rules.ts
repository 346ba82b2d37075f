/** What a write needs besides its record, and what it answers. */
import type { DuePolicy } from '../refresh-due.ts';
import type { VarveError } from '../errors.ts';
import type { Memory } from '../records/memory.ts';
import type { ScopeRecord } from '../records/scope-record.ts';

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
   * `Update`: as `Unite`, and another content becomes that of the memory.
   */
  readonly onKey?: 'Refuse' | 'Unite' | 'Update';
  /** Ids of memories of the scope that the added one takes the place of; others are passed over. */
  readonly supersedes?: readonly string[];
  /**
   * The id was made for this write, and no other record has it, not even of an earlier try; so the
   * store does not look for one.
   */
  readonly isNewId?: boolean;
}

export interface WriteOutcome<T> {
  readonly record: T;
  readonly scope: ScopeRecord;
}

export interface AddOutcome extends WriteOutcome<Memory> {
  /** True where the record said the same before, by its key, and nothing was added. */
  readonly deduplicated: boolean;
}

/** What became of one item of a bulk call: the others don't depend on it. */
export type ItemOutcome<T> =
  | { readonly ok: true; readonly outcome: T }
  | { readonly ok: false; readonly error: VarveError };
