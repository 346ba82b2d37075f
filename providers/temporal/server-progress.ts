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
  /** One thing that happened, worth a line of its own. */
  line(text: string): void;
  /** How far a long step is; called often. */
  step(step: Step): void;
  /** Leaves the line of the last step as it is, so that what comes next starts a new one. */
  finish(): void;
}
