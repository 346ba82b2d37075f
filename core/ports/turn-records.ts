/** Turns: the messages of sessions, in order. */
import type { ScopeRecord } from '../records/scope-record.ts';
import type { Turn } from '../records/turn.ts';
import type { WriteRules } from './write-rules.ts';

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
