/** Flushes of sessions: what their turns say is handed on to memories and the daily file. */
import type { ExtractionResult } from '../records/extracted-statement.ts';

export interface FlushInput {
  readonly tenant: string;
  /** Of the entry in the session's record (core/records/session.ts). */
  readonly flushId: string;
}

export interface FlushRuns {
  /** Starts a durable run; one that is open is left to itself. */
  start(input: FlushInput): Promise<'Started' | 'Running'>;
}

/** What a flush did, for a caller who waited for it. */
export interface FlushDone {
  readonly turns: number;
  readonly results: readonly ExtractionResult[];
  /** The block of the daily file as Markdown; null where none was written. */
  readonly daily: string | null;
}

export interface Flushes {
  /** Runs it where the caller is. */
  here(input: FlushInput): Promise<FlushDone>;
  /** Null where no workflows run. */
  readonly runs: FlushRuns | null;
}
