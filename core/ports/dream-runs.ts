/** Starts durable runs that dream and that apply proposals. */

export interface DreamInput {
  readonly tenant: string;
  readonly subjectId: string;
  /** UUIDv7 of this dream; its batch of model calls and its proposal have the same id. */
  readonly dreamId: string;
  /** The DeepDream and the round that the dream belongs to; null for a dream on request. */
  readonly round: { readonly dream: string; readonly at: number } | null;
  /** Null: use the value of the DeepDream. */
  readonly lookbackDays: number | null;
  /**
   * Set if the caller is bound to identifiers. Such a caller must not spend the tenant's money at
   * will, so dead letters stay dead letters, as in a round.
   */
  readonly isBound?: true;
}

export interface ApplyDreamInput {
  readonly tenant: string;
  readonly proposalId: string;
}

export interface DreamRuns {
  /** Allows one open run per subject; a second one gets `Running`. */
  start(input: DreamInput): Promise<'Started' | 'Running'>;
  /** Applies an approved proposal; leaves it alone if a run is applying it. */
  apply(input: ApplyDreamInput): Promise<'Started' | 'Running'>;
}
