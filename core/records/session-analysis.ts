/** What recall reads in the texts of a session, saved so that other processes need not read it. */
import type { Scope } from '../scope.ts';

/**
 * Belongs to the scope of its session. Deleting or compacting a turn deletes it; after any other
 * change of the turns, its digest no longer matches.
 */
export interface SavedSessionAnalysis extends Scope {
  /** A hash of the texts, and of the versions of what reads them. */
  readonly digest: string;
  /** A `SessionAnalysis` (core/recall/sessions/session-analysis.ts), encoded as base64. */
  readonly content: string;
}

/** Maximum characters of a saved analysis; a session with a longer one is read by each process. */
export const SAVED_ANALYSIS_LENGTH_MAX = 1_500_000;
