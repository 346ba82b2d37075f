/** Answers that were paid for, kept until the batch they belong to is committed. */
import type { StoredAnswer } from '../records/answer.ts';

/** A tenant by the oldest of its answers that still have their text. */
export interface OldestAnswer {
  readonly tenant: string;
  readonly oldestAt: number;
}

export interface AnswerRecords {
  /** Repeatable: what is stored under the attempt stays as it is. */
  put(answer: StoredAnswer): Promise<void>;
  /** The stored answer to this question of this batch, whichever attempt paid for it. */
  find(tenant: string, batchId: string, promptHash: string): Promise<StoredAnswer | null>;
  /** Every stored answer of a batch. */
  ofBatch(tenant: string, batchId: string): Promise<readonly StoredAnswer[]>;
  /** Marks a batch's answers committed and forgets their text. */
  close(tenant: string, batchId: string): Promise<void>;
  /**
   * As `close` for the oldest answers that have their text and were stored at or before `until`:
   * those of unfinished batches. Answers how many.
   */
  forget(tenant: string, query: { until: number; limit: number }): Promise<number>;
  /** Tenants by the oldest of their answers that still have their text: by name, after one. */
  tenantsWithText(query: {
    readonly after: string | null;
    readonly limit: number;
  }): Promise<readonly OldestAnswer[]>;
}
