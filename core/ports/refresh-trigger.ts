/** The refresh trigger port: notifies the refresher that a tenant has something due. */
import type { DreamRuns } from './dream-runs.ts';
import type { ErasureRuns } from './erasure-runs.ts';
import type { FlushRuns } from './flush-runs.ts';
import type { CompactionRuns } from './compactions.ts';

interface RefreshMessage {
  readonly urgent: boolean;
  /**
   * When the batch window of the written records closes, if the writer knows. A request that would
   * not close the open window sooner than an earlier one may be skipped, so that steady writes to
   * one tenant do not send a message each.
   */
  readonly closesInMs?: number;
  /** True if nothing else was requested for the tenant, so that perhaps no run is open. */
  readonly isFirst?: boolean;
}

export interface RefreshTrigger {
  /**
   * Signals the tenant's run, and starts it if none is open. Resolves when the server has accepted
   * the signal. If a signal is lost, nothing is lost but time: the tick finds what is due.
   */
  notify(tenant: string, message: RefreshMessage): Promise<void>;
  /**
   * Makes sure that a run works on a change of the embedding model that involves these generations.
   * Absent if no workflows run.
   */
  continueReembed?(generations: readonly string[]): Promise<void>;
  /** Absent if no workflows run. */
  readonly compactions?: CompactionRuns;
  /** Absent if no workflows run. */
  readonly dreams?: DreamRuns;
  /** Absent if no workflows run. */
  readonly flushes?: FlushRuns;
  /** Absent if no workflows run. */
  readonly erasures?: ErasureRuns;
}

/** For use without Temporal, where a call of `refresh()` asks for a refresh. */
export const NO_REFRESH_TRIGGER: RefreshTrigger = { notify: () => Promise.resolve() };

/** Whether what is due will be refreshed. */
export interface RefreshHealth {
  readonly ok: boolean;
  /** What is wrong and how to fix it; empty if nothing is. */
  readonly findings: readonly string[];
}
