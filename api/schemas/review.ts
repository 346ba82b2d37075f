/** What operations on what waits for a person take and answer. */
import { z } from 'zod';
import { Review } from '#core/records/review.ts';
import {
  AskedIdentifiers,
  AskedLayer,
  listOf,
  Tenant,
  RecordId,
  Text,
  Time,
  NEXT_BEFORE,
  Reason,
  GivenReason,
  pageStart,
} from './shared-fields.ts';

/** Maximum reviews per page; the text of each is read. */
const REVIEWS_LIMIT_MAX = 100;
const REVIEWS_LIMIT_DEFAULT = 20;

const ReviewId = RecordId.describe('Id of the review.');

export const ListReviews = z.strictObject({
  tenant: Tenant,
  state: Review.shape.state.optional().describe('If omitted, all.'),
  before: pageStart(ReviewId).describe('`nextBefore` of the previous page.'),
  limit: z.int().min(1).max(REVIEWS_LIMIT_MAX).default(REVIEWS_LIMIT_DEFAULT),
});

export const ShownReview = Review.omit({ tenant: true, contentHash: true, version: true })
  .extend({
    kind: Review.shape.kind.describe(
      'What the review is about: a turn that is held back, or a memory proposed ' +
        'for a broader layer.',
    ),
    sourceId: z.string().describe('Id of the turn or the memory.'),
    rule: Review.shape.rule.describe('The rule that holds the turn back.'),
    text: z
      .string()
      .nullable()
      .describe('The text under review, as it was written; null if it has changed or is gone.'),
    tags: listOf(z.string()).describe('The tags of the memory, which go with its text.'),
    metadata: z
      .record(z.string(), z.unknown())
      .describe('The metadata of the memory, which goes with its text.'),
    by: z.string().nullable().describe('Who wrote it: a speaker or a role, or a principal.'),
    state: Review.shape.state.describe(
      '`Outdated`: the text had changed or was deleted when a person approved it.',
    ),
    target: Review.shape.target.describe('The scope that a memory is proposed for.'),
    proposed: Review.shape.proposed.describe('Who proposed the memory, when and why.'),
    memoryId: Review.shape.memoryId.describe(
      'Id of the memory that the approved promotion created; if it is null, approve it again.',
    ),
    at: Time.describe('When it was said or proposed.'),
  })
  .meta({ id: 'Review' });
export type ShownReview = z.output<typeof ShownReview>;

export const ReviewsAnswer = z.object({
  reviews: listOf(ShownReview).describe('The newest first.'),
  nextBefore: z.string().nullable().describe(NEXT_BEFORE),
});
export type ReviewsAnswer = z.output<typeof ReviewsAnswer>;

export const ApproveReview = z.strictObject({
  tenant: Tenant,
  id: ReviewId,
  reason: Reason.default('').describe('The reason; stored with the review.'),
});
export type ApproveReview = z.output<typeof ApproveReview>;

export const RefuseReview = ApproveReview.extend({
  reason: GivenReason.describe('The reason; stored with the review.'),
});

export const PromoteMemory = z.strictObject({
  tenant: Tenant,
  id: Text.min(1).max(256).describe('Id of the memory.'),
  layer: AskedLayer,
  identifiers: AskedIdentifiers,
  reason: Reason.default('').describe('Reason for the proposal, shown to the person who decides.'),
});
