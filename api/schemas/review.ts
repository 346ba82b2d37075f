/** What operations on what waits for a person take and answer. */
import { z } from 'zod';
import { REASON_LENGTH_MAX } from '#core/records/review.ts';
import { Review } from '#core/records/review.ts';
import { AskedIdentifiers, AskedLayer, listOf, Tenant, Text, Time } from './shared-fields.ts';

const ID_LENGTH_MAX = 128;
/** Maximum reviews per page; the text of each is read. */
const REVIEWS_LIMIT_MAX = 100;
const REVIEWS_LIMIT_DEFAULT = 20;

const ReviewId = Text.min(1).max(ID_LENGTH_MAX).describe('Of the review.');
const Reason = Text.max(REASON_LENGTH_MAX);

export const ListReviews = z.strictObject({
  tenant: Tenant,
  state: Review.shape.state.optional().describe('All of them where absent.'),
  before: ReviewId.optional().describe('`nextBefore` of the page before.'),
  limit: z.int().min(1).max(REVIEWS_LIMIT_MAX).default(REVIEWS_LIMIT_DEFAULT),
});
export type ListReviews = z.output<typeof ListReviews>;

export const ShownReview = Review.omit({ tenant: true, contentHash: true, version: true })
  .extend({
    kind: Review.shape.kind.describe(
      'What is decided on: a turn that is held back, or a memory proposed for a broader layer.',
    ),
    sourceId: z.string().describe('Of the turn or memory.'),
    rule: Review.shape.rule.describe('By which a turn is held back.'),
    text: z
      .string()
      .nullable()
      .describe('What is decided on, as it was written; null if it changed or is gone.'),
    tags: listOf(z.string()).describe('Of the memory: they go where its text goes.'),
    metadata: z
      .record(z.string(), z.unknown())
      .describe('Of the memory: it goes where its text goes.'),
    by: z.string().nullable().describe('Who wrote it: a speaker or a role, or a principal.'),
    state: Review.shape.state.describe(
      'Outdated: the text had changed or was gone when a person approved it.',
    ),
    target: Review.shape.target.describe('The scope that a memory is proposed for.'),
    proposed: Review.shape.proposed.describe('By whom, when and why a memory was proposed.'),
    memoryId: Review.shape.memoryId.describe(
      'The memory that an approved promotion became; if it is null, approve it again.',
    ),
    at: Time.describe('When it was said or proposed.'),
  })
  .meta({ id: 'Review' });
export type ShownReview = z.output<typeof ShownReview>;

export const ReviewsAnswer = z.object({
  reviews: listOf(ShownReview).describe('The newest first.'),
  nextBefore: z.string().nullable().describe('Where there are older ones: `before` of the next.'),
});
export type ReviewsAnswer = z.output<typeof ReviewsAnswer>;

export const ApproveReview = z.strictObject({
  tenant: Tenant,
  id: ReviewId,
  reason: Reason.default('').describe('Why; kept with the review.'),
});
export type ApproveReview = z.output<typeof ApproveReview>;

export const RefuseReview = ApproveReview.extend({
  reason: Reason.refine((text) => text.trim() !== '', {
    error: 'expected some words',
  }).describe('Why; kept with the review.'),
});
export type RefuseReview = z.output<typeof RefuseReview>;

export const PromoteMemory = z.strictObject({
  tenant: Tenant,
  id: Text.min(1).max(256).describe('Of the memory.'),
  layer: AskedLayer,
  identifiers: AskedIdentifiers,
  reason: Reason.default('').describe('The reason, for the person who decides.'),
});
export type PromoteMemory = z.output<typeof PromoteMemory>;
