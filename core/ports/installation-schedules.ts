/** What an installation keeps in its workflow server: schedules and search attributes. */

/** What became of one schedule. */
export type ScheduleOutcome =
  | { readonly kind: 'Created'; readonly schedule: string }
  /** As declared. With `isPaused`, a person paused it, and it stays paused. */
  | { readonly kind: 'Kept'; readonly schedule: string; readonly isPaused: boolean }
  | {
      readonly kind: 'Corrected';
      readonly schedule: string;
      /** `Drift`: somebody else changed it. `Declaration`: this version declares it differently. */
      readonly cause: 'Declaration' | 'Drift';
    }
  /** It belongs to another installation and is not touched. */
  | { readonly kind: 'Foreign'; readonly schedule: string; readonly owner: string }
  /**
   * A leader of the later `term` maintains it, so the caller is no longer the leader. Not touched.
   */
  | { readonly kind: 'Fenced'; readonly schedule: string; readonly term: number };

export interface SearchAttributesOutcome {
  readonly added: readonly string[];
  /** Problems for a person, in words: another type, or attributes that Varve may not read. */
  readonly conflicting: readonly string[];
}

export interface InstallationOutcome {
  readonly schedules: readonly ScheduleOutcome[];
  readonly searchAttributes: SearchAttributesOutcome;
}

export interface InstallationSchedules {
  /**
   * Creates what is missing and corrects what differs. Writes nothing if everything is as declared
   * and the term is known. Can be repeated at any time, also by several processes at once.
   * @param term of the leader that calls: what a later term maintains is not touched. Absent in an
   *   installation without leaders, and then counts as the earliest
   * @throws VarveError PROVIDER_ERROR if the server can't be reached, FORBIDDEN if it does not
   * allow this, RATE_LIMITED with `retryAfterMs`, CONFLICT if somebody else keeps changing it
   */
  ensure(term?: number): Promise<InstallationOutcome>;
}
