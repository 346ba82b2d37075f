/** What an installation keeps in the server that runs its workflows: schedules and search words. */

/** What became of one schedule. */
export type ScheduleOutcome =
  | { readonly kind: 'Created'; readonly schedule: string }
  /** As declared; paused by a person where `isPaused`, and then left so. */
  | { readonly kind: 'Kept'; readonly schedule: string; readonly isPaused: boolean }
  | {
      readonly kind: 'Corrected';
      readonly schedule: string;
      /** `Drift`: another had changed it. `Declaration`: this version declares it differently. */
      readonly cause: 'Declaration' | 'Drift';
    }
  /** Another installation's; not touched. */
  | { readonly kind: 'Foreign'; readonly schedule: string; readonly owner: string }
  /** A leader of the later `term` has kept it; the caller is no longer the leader. Not touched. */
  | { readonly kind: 'Fenced'; readonly schedule: string; readonly term: number };

export interface SearchAttributesOutcome {
  readonly added: readonly string[];
  /** What a person has to see to, in words: of another type, or not to be looked at by Varve. */
  readonly conflicting: readonly string[];
}

export interface InstallationOutcome {
  readonly schedules: readonly ScheduleOutcome[];
  readonly searchAttributes: SearchAttributesOutcome;
}

export interface InstallationSchedules {
  /**
   * Creates what is missing and corrects what differs; writes nothing if everything is as declared
   * and the term is known. Repeatable at any time, and by several processes at once.
   * @param term of the leader who asks: what a later term has kept is not touched. Without one, of
   *   an installation that has no leaders: the earliest
   * @throws VarveError PROVIDER_ERROR where the server can't be reached, FORBIDDEN where it does
   *   not allow it, RATE_LIMITED with `retryAfterMs`, CONFLICT where another keeps changing it
   */
  ensure(term?: number): Promise<InstallationOutcome>;
}
