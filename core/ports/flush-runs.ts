/** Flushes of sessions: they write what turns say to memories and the daily file. */
import type { ExtractionResult } from '../records/extracted-statement.ts';

export interface FlushInput {
  readonly tenant: string;
  /** Id of the entry in the session's record (core/records/session.ts). */
  readonly flushId: string;
}

export interface FlushRuns {
  /** Starts a durable run; an open run is left alone. */
  start(input: FlushInput): Promise<'Started' | 'Running'>;
}

/** What a flush did, for a caller that waited for it. */
export interface FlushDone {
  readonly turns: number;
  readonly results: readonly ExtractionResult[];
  /** The lines of the daily files as Markdown; null if none were written. */
  readonly daily: string | null;
}

export interface Flushes {
  /** Runs the flush in the caller's process. */
  here(input: FlushInput): Promise<FlushDone>;
  /** Null if no workflows run. */
  readonly runs: FlushRuns | null;
}
