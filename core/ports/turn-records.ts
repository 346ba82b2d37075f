/** Turns: the messages of sessions, in order. */
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Turn } from '../records/turn.ts';
import type { WriteRules } from './write-rules.ts';

/** Turns that one call deletes; more are deleted in several. */
export const DELETED_PER_CALL_MAX = 200;

interface Session {
  readonly tenant: string;
  readonly sessionId: string;
}

/** Which turns are old: those said at or before a time. */
interface Until {
  readonly until: number;
  readonly limit: number;
}

/** A turn of a session, and the words that stay of it. */
export interface KeptTurn {
  readonly id: string;
  readonly sequence: number;
  readonly quotes: readonly string[];
}

/**
 * Where a walk over sessions goes on: they are in the order of their oldest turn that still has its
 * text, and a name would reveal their owner.
 */
export interface SessionPlace {
  /** The time of that turn, in milliseconds since the epoch. */
  readonly from: number;
  /** Sessions of that very time that were looked at. */
  readonly skip: number;
}

export interface OldestTurn {
  readonly tenant: string;
  readonly oldestAt: number;
}

/** A session by its oldest turn that still has its text. */
export interface OldSession {
  readonly sessionId: string;
  readonly oldestAt: number;
}

export interface Compaction {
  /** The session's scope as it was when it was decided what stays. */
  readonly scope: ScopeRecord;
  /** At most `COMPACTED_PER_CALL_MAX`, in order. */
  readonly turns: readonly KeptTurn[];
}

export interface Compacted {
  /** Those of the turns that had their text; a store may do the first of them only. */
  readonly turns: readonly KeptTurn[];
  /** Bytes of text that are gone. */
  readonly bytes: number;
  readonly scope: ScopeRecord;
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
  latest(session: Session, limit: number): Promise<readonly Turn[]>;
  /** A turn by its id; of a deleted one its place is left. Null where there is none. */
  get(session: Session, id: string): Promise<Turn | null>;
  /** Turns of a session in their order after a sequence, also those whose text is gone. */
  page(
    session: Session,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly Turn[]>;
  /**
   * Deletes turns with all that is kept of their words; their ids stay taken, so that a turn sent
   * again stays deleted. What the session's summary says by them is not served from then on. At
   * most `DELETED_PER_CALL_MAX`; ids that the session has not, or deleted before, are passed over.
   */
  delete(
    session: Session,
    ids: readonly string[],
    rules: WriteRules,
  ): Promise<{ readonly deleted: readonly string[]; readonly scope: ScopeRecord }>;
  /** Tenants by the oldest of their turns that still have their text: by name, after one. */
  tenantsWithText(query: {
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly OldestTurn[]>;
  /** A tenant's sessions with old turns that still have their text, from a place on. */
  oldSessions(
    tenant: string,
    query: Until & { readonly place: SessionPlace | null },
  ): Promise<readonly OldSession[]>;
  /** Such turns of a session in their order, after a sequence. */
  old(session: Session, query: Until & { readonly after: number }): Promise<readonly Turn[]>;
  /**
   * Deletes the text of turns, except the parts that stay, and what depends on it. Returns null and
   * does nothing if the scope has changed since it was read, or another process works on it.
   * Repeatable.
   * @throws VarveError INVALID_INPUT for more than `COMPACTED_PER_CALL_MAX`
   */
  compact(compaction: Compaction, rules: WriteRules): Promise<Compacted | null>;
}
