/** Reviews: what waits for a person, and what persons decided. */
import type { Review, ReviewDecision } from '../records/review.ts';
import type { ScopeRecord } from '../records/scope-record.ts';
import type { WriteRules } from './write-rules.ts';

export interface DecidedReview {
  /** Outdated where its text had changed or was gone; as it was where it did not wait. */
  readonly review: Review;
  readonly scope: ScopeRecord;
}

export type ReviewPlace = Pick<Review, 'tenant' | 'id' | 'layer' | 'scopeId'>;

/** Turns that are held back get theirs from `TurnRecords.append`, in the same commit. */
export interface ReviewRecords {
  get(tenant: string, id: string): Promise<Review | null>;
  /** Newest first, a page before one; in one state where it is asked for. */
  list(
    tenant: string,
    page: {
      readonly limit: number;
      /** Id of the last one of the page before. */
      readonly before?: string;
      readonly state?: Review['state'];
    },
  ): Promise<readonly Review[]>;
  /**
   * Proposes a memory for another scope. A proposal of the same text for the same scope that is not
   * outdated is answered in its place; null where the memory is gone or has another text.
   */
  propose(review: Review, rules: WriteRules): Promise<Review | null>;
  /** Notes which memory an approved promotion became; null where the review was erased. */
  notePromoted(review: ReviewPlace, memoryId: string): Promise<Review | null>;
  /**
   * Decides a review that waits. An approved turn counts as a source from the same commit on, and a
   * refused one never does. What an approved promotion becomes is for the caller to write. Null
   * where there is no such review.
   */
  decide(
    review: ReviewPlace,
    decided: { readonly state: 'Approved' | 'Refused'; readonly decision: ReviewDecision },
    rules: WriteRules,
  ): Promise<DecidedReview | null>;
}
