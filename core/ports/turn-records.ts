/** Turns: the messages of sessions, in order. */
import type { ScopeRecord } from '../records/scope-record.ts';
import type { SavedSessionAnalysis } from '../records/session-analysis.ts';
import type { Turn } from '../records/turn.ts';
import type { WriteRules } from './write-rules-and-outcomes.ts';

/** The most turns that one call deletes; larger deletions are split. */
export const DELETED_PER_CALL_MAX = 200;

interface Session {
  readonly tenant: string;
  readonly sessionId: string;
}

/** Which turns are old: those said and stored at or before `until`. */
interface Until {
  readonly until: number;
  readonly limit: number;
}

/** A turn of a session, and the quotes that stay of it. */
export interface KeptTurn {
  readonly id: string;
  readonly sequence: number;
  readonly quotes: readonly string[];
}

/**
 * Where a walk over sessions continues. Sessions are in the order of their oldest turn that still
 * has its text; a cursor with a session's name would reveal the owner.
 */
export interface SessionPlace {
  /** The time of that turn, in milliseconds since the epoch. */
  readonly from: number;
  /** Sessions with exactly that time that were already seen. */
  readonly skip: number;
}

export interface OldestTurn {
  readonly tenant: string;
  readonly oldestAt: number;
}

/** A session with the time of its oldest turn that still has its text. */
export interface OldSession {
  readonly sessionId: string;
  readonly oldestAt: number;
}

export interface Compaction {
  /** The session's scope, as it was when the quotes to keep were decided. */
  readonly scope: ScopeRecord;
  /** At most `COMPACTED_PER_CALL_MAX`, in order. */
  readonly turns: readonly KeptTurn[];
}

export interface Compacted {
  /** The turns that had text; a store may process only the first ones of a call. */
  readonly turns: readonly KeptTurn[];
  /** Bytes of deleted text. */
  readonly bytes: number;
  readonly scope: ScopeRecord;
}

/** A turn that was given and is not stored. */
export interface SkippedTurn {
  readonly id: string;
  /** Deleted: its id was that of a deleted turn. Differs: the id stands for another text. */
  readonly reason: 'Deleted' | 'Differs';
}

export interface AppendOutcome {
  readonly appended: number;
  readonly skipped: readonly SkippedTurn[];
  readonly scope: ScopeRecord;
}

export interface TurnRecords {
  /** Returns the saved analysis of a session; null if there is none. */
  analysis(session: Session): Promise<SavedSessionAnalysis | null>;
  /**
   * Saves the analysis of a session, unless the scope has changed since `seen`, which was read
   * before its turns: an analysis of turns that were deleted in the meantime must not come back.
   * Returns whether it was saved. Deleting or compacting a turn deletes it in the same commit.
   */
  saveAnalysis(analysis: SavedSessionAnalysis, seen: ScopeRecord, now: number): Promise<boolean>;
  /**
   * Appends turns in order. A turn whose id the session already has stays as it is and is not
   * counted; it is `skipped` unless the same text is stored. The parts of a deleted turn stay
   * deleted. The store assigns sequences. All turns of a call belong to one session.
   * @throws VarveError INVALID_INPUT
   */
  append(turns: readonly Omit<Turn, 'sequence'>[], rules: WriteRules): Promise<AppendOutcome>;
  /** Returns the newest turns of a session, oldest first. */
  latest(session: Session, limit: number): Promise<readonly Turn[]>;
  /** Returns a turn by id; a deleted turn has only its place left. Null if there is none. */
  get(session: Session, id: string): Promise<Turn | null>;
  /** Returns turns of a session in order after a sequence, also those whose text is gone. */
  page(
    session: Session,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly Turn[]>;
  /**
   * Deletes turns and everything stored of their words. Their ids stay taken, so that a deleted
   * turn that is sent again stays deleted. The parts of the session's summary that rest on them are
   * no longer served. At most `DELETED_PER_CALL_MAX`; unknown and already deleted ids are skipped.
   */
  delete(
    session: Session,
    ids: readonly string[],
    rules: WriteRules,
  ): Promise<{ readonly deleted: readonly string[]; readonly scope: ScopeRecord }>;
  /** Lists tenants with their oldest turn that still has its text, by name; the page after one. */
  tenantsWithText(query: {
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly OldestTurn[]>;
  /** Lists a tenant's sessions with old turns that still have their text, from a place on. */
  oldSessions(
    tenant: string,
    query: Until & { readonly place: SessionPlace | null },
  ): Promise<readonly OldSession[]>;
  /** Returns those turns of a session in order, after a sequence. */
  old(session: Session, query: Until & { readonly after: number }): Promise<readonly Turn[]>;
  /**
   * Deletes the text of turns, except the parts that stay, and what depends on it. Returns null and
   * does nothing if the scope has changed since it was read, or another process works on it.
   * Repeatable.
   * @throws VarveError INVALID_INPUT for more than `COMPACTED_PER_CALL_MAX`
   */
  compact(compaction: Compaction, rules: WriteRules): Promise<Compacted | null>;
}
