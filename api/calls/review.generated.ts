/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  Review,
} from './shared.generated.ts';

export interface ReviewListInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** If omitted, all. */
  readonly state?: 'Waiting' | 'Approved' | 'Refused' | 'Outdated' | undefined;
  /** `nextBefore` of the previous page. */
  readonly before?: string | null | undefined;
  /** @default 20 */
  readonly limit?: number | undefined;
}

export interface ReviewListOutput {
  /** The newest first. */
  readonly reviews: Review[];
  /** `before` for the next call, if there are older entries. */
  readonly nextBefore: string | null;
}

export interface ReviewApproveInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Id of the review. */
  readonly id: string;
  /** The reason; stored with the review. @default "" */
  readonly reason?: string | undefined;
}

export type ReviewApproveOutput = Review;

export interface ReviewRefuseInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Id of the review. */
  readonly id: string;
  /** The reason; stored with the review. */
  readonly reason: string;
}

export type ReviewRefuseOutput = Review;

/** Calls of `review`. */
export interface ReviewCalls {
  /** Lists what waits for a decision by a person, and past decisions, the newest first. */
  readonly list: (input: ReviewListInput) => Promise<ReviewListOutput>;
  /**
   * Approves a review; this is final. A text that was held back then counts like any other of its
   * session, and a promotion becomes a memory of its layer.
   */
  readonly approve: (input: ReviewApproveInput) => Promise<ReviewApproveOutput>;
  /** Refuses a review; this is final. The text stays out for good. */
  readonly refuse: (input: ReviewRefuseInput) => Promise<ReviewRefuseOutput>;
}
