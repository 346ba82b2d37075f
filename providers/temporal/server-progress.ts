/** How obtaining and starting a server shows its progress to the user. */

export interface Step {
  /** What is being done: `building Temporal`. */
  readonly label: string;
  readonly done: number;
  readonly total: number;
  /** What is counted, in the plural: `packages`, `MB`. */
  readonly unit: string;
}

export interface Report {
  /** Reports one event, on its own line. */
  line(text: string): void;
  /** Reports the progress of a long step; called often. */
  step(step: Step): void;
  /** Ends the line of the last step, so that further output starts a new line. */
  finish(): void;
}
