/** Compactions of a tenant's old turns, as their callers see them. */

export interface CompactionTotals {
  /** Sessions of which turns were compacted. */
  readonly sessions: number;
  readonly turns: number;
  /** Quotes that stay of them. */
  readonly quotes: number;
  /** Bytes of text that are gone. */
  readonly bytesFreed: number;
  /** Those of the turns whose session had no summary of them when their last time was over. */
  readonly unsummarized: number;
  /** Sessions that keep the text of old turns, for whatever reason. */
  readonly waiting: number;
  /** Stored answers of models that were older than the turns, and whose text is gone. */
  readonly answers: number;
}

export interface CompactionRuns {
  /** Starts a durable run; one that is open is left to itself. */
  start(tenant: string): Promise<'Started' | 'UnderWay'>;
  /** The open run, or else the one that ended last; null where there is none to be seen. */
  last(tenant: string): Promise<CompactionRun | null>;
}

/** What is known of one run. */
export type CompactionRun =
  | { readonly state: 'UnderWay' | 'Failed' }
  | { readonly state: 'Done'; readonly totals: CompactionTotals };

export type CompactionAnswer =
  /** A durable run works on it. */
  | { readonly kind: 'Started' }
  | { readonly kind: 'UnderWay' }
  /** Where no workflows run it was done at once. */
  | { readonly kind: 'Done'; readonly totals: CompactionTotals };

export interface Compactions {
  /** @throws VarveError PROVIDER_ERROR where the workflows can't be reached */
  run(tenant: string): Promise<CompactionAnswer>;
  /** What a run would do now; writes nothing. */
  preview(tenant: string): Promise<CompactionTotals>;
  /** As `CompactionRuns.last`; null too where no workflows run. */
  last(tenant: string): Promise<CompactionRun | null>;
}
