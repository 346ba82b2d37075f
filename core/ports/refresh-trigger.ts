/** The refresh trigger port: notifies the refresher that a tenant has something due. */
import type { DreamRuns } from './dream-runs.ts';
import type { ErasureRuns } from './erasure-runs.ts';
import type { FlushRuns } from './flush-runs.ts';
import type { CompactionRuns } from './compactions.ts';

export interface RefreshMessage {
  readonly urgent: boolean;
  /**
   * When the window of what was written closes, where the writer knows. A request that would not
   * close the open window sooner than an earlier one may be left out, so that steady writes to one
   * tenant are not a message each.
   */
  readonly closesInMs?: number;
  /** True where nothing else was wanted of the tenant, so that no run may be open. */
  readonly isFirst?: boolean;
}

export interface RefreshTrigger {
  /**
   * Signals the run of the tenant, and starts it where none is open. Returns when the server has
   * accepted the signal. A lost one delays and never loses: the tick finds what is due.
   */
  notify(tenant: string, message: RefreshMessage): Promise<void>;
  /**
   * Sees to it that a run works on a change of the embedding model that involves these generations.
   * Absent where no workflows run.
   */
  continueReembed?(generations: readonly string[]): Promise<void>;
  /** Absent where no workflows run. */
  readonly compactions?: CompactionRuns;
  /** Absent where no workflows run. */
  readonly dreams?: DreamRuns;
  /** Absent where no workflows run. */
  readonly flushes?: FlushRuns;
  /** Absent where no workflows run. */
  readonly erasures?: ErasureRuns;
}

/** Where no Temporal runs, a refresh is asked for by calling `refresh()`. */
export const NO_REFRESH_TRIGGER: RefreshTrigger = { notify: () => Promise.resolve() };

/** Whether what is due will be refreshed. */
export interface RefreshHealth {
  readonly ok: boolean;
  /** What is wrong and how to fix it; empty if nothing is. */
  readonly findings: readonly string[];
}
