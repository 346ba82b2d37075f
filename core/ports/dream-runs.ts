/** Starts dreams and their application as durable runs. */

export interface DreamInput {
  readonly tenant: string;
  readonly subjectId: string;
  /** UUIDv7 of this dream: names its batch of model calls and its proposal. */
  readonly dreamId: string;
  /** The DeepDream and the round that it belongs to; null for a dream on request. */
  readonly round: { readonly dream: string; readonly at: number } | null;
  /** Null: as the DeepDream says. */
  readonly lookbackDays: number | null;
  /**
   * The caller is bound to identifiers and must not spend the tenant's money at will, so dead
   * letters stay, as in a round.
   */
  readonly isBound?: true;
}

export interface ApplyDreamInput {
  readonly tenant: string;
  readonly proposalId: string;
}

export interface DreamRuns {
  /** One open run per subject: another one is refused as running. */
  start(input: DreamInput): Promise<'Started' | 'Running'>;
  /** Applies an approved proposal; one that is being applied is left to its run. */
  apply(input: ApplyDreamInput): Promise<'Started' | 'Running'>;
}
