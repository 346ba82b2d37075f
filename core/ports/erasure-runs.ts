/** Starts erasures as durable runs. */

/** Names nobody: whom it is of, only the record of the request says. */
export interface EraseInput {
  readonly tenant: string;
  /** Of the pending erasure, and of its receipt (core/records/erasure.ts). */
  readonly requestId: string;
}

export interface ErasureRuns {
  /** One that is open is left to itself. */
  start(input: EraseInput): Promise<'Started' | 'Running'>;
  /**
   * Waits while the run works. False where it was ended by others, or where nobody works on it now,
   * as without a worker: then the caller does it.
   */
  settled(input: EraseInput): Promise<boolean>;
}
