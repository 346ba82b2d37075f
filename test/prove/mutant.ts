/** Behaviour broken on purpose by one change. */
export interface Mutant {
  /** The requirement whose tests must notice. */
  readonly id: string;
  readonly file: string;
  /** Stands in the file exactly once. */
  readonly find: string;
  readonly replace: string;
  /** What the change breaks, for the line that is printed. */
  readonly breaks: string;
}
