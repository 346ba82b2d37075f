/** Starts erasures as durable runs. */

/** Contains no names: only the record of the request says whose data it erases. */
export interface EraseInput {
  readonly tenant: string;
  /** Id of the pending erasure, and of its receipt (core/records/erasure.ts). */
  readonly requestId: string;
}

export interface ErasureRuns {
  /** Starts a run; an open run is left alone. */
  start(input: EraseInput): Promise<'Started' | 'Running'>;
  /**
   * Waits while the run works. Returns false if somebody else ended it, or if nothing works on it
   * now, for example without a worker. The caller then erases itself.
   */
  settled(input: EraseInput): Promise<boolean>;
}
