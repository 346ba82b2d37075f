/** Compactions of a tenant's old turns, as callers see them. */

export interface CompactionTotals {
  /** Sessions with compacted turns. */
  readonly sessions: number;
  readonly turns: number;
  /** Quotes that stay of the turns. */
  readonly quotes: number;
  /** Bytes of deleted text. */
  readonly bytesFreed: number;
  /** Turns compacted without a summary, because their session waited too long for one. */
  readonly unsummarized: number;
  /** Sessions that still keep the text of old turns, for whatever reason. */
  readonly waiting: number;
  /** Stored answers of models that were older than the turns, and whose text was deleted. */
  readonly answers: number;
}

export interface CompactionRuns {
  /** Starts a durable run; an open run is left alone. */
  start(tenant: string): Promise<'Started' | 'UnderWay'>;
  /** Returns the open run, or else the one that ended last; null if no run can be found. */
  last(tenant: string): Promise<CompactionRun | null>;
}

/** What is known of one run. */
export type CompactionRun =
  | { readonly state: 'UnderWay' | 'Failed' }
  | { readonly state: 'Done'; readonly totals: CompactionTotals };

type CompactionAnswer =
  /** A durable run works on it. */
  | { readonly kind: 'Started' }
  | { readonly kind: 'UnderWay' }
  /** Without workflows, it was done at once. */
  | { readonly kind: 'Done'; readonly totals: CompactionTotals };

export interface Compactions {
  /** @throws VarveError PROVIDER_ERROR if the workflows can't be reached */
  run(tenant: string): Promise<CompactionAnswer>;
  /** Returns what a run would do now; writes nothing. */
  preview(tenant: string): Promise<CompactionTotals>;
  /** As `CompactionRuns.last`; also null if no workflows run. */
  last(tenant: string): Promise<CompactionRun | null>;
}
