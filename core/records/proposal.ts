/**
 * What a dream proposes for MEMORY.md. Within the guards it is applied without approval; otherwise
 * it waits for a person. It holds everything that its application needs, so that a crashed
 * application can be repeated.
 */
import { ReviewDecision } from './review.ts';
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { DocumentLine, LINES_PER_DOCUMENT_MAX } from './document.ts';
import { PASSED_OVER_MAX } from './subject-record.ts';

/** The most lines of a diary; the diary of a larger dream says that there is more. */
export const DIARY_LINES_MAX = 500;
const SOURCE_BLOCKS_MAX = 20_000;

const At = z.int().min(0);

/** Why a proposal needs approval. */
export const GuardFinding = z.enum([
  'ApprovalRequired',
  'TooManyRemoved',
  'TooManyAdded',
  'TooManyArchived',
]);
export type GuardFinding = z.infer<typeof GuardFinding>;

export const Proposal = z.strictObject({
  tenant: TenantId,
  /** UUIDv7 of the dream that made it. */
  id: z.string(),
  /** `subjectKey`. */
  subject: z.string(),
  subjectId: z.string(),
  /** The DeepDream that set its rules; null if no DeepDream covers the subject. */
  dream: z.string().nullable(),
  /**
   * Waiting for a person; Approved, to be applied; Applied; Rejected by a person; Outdated if
   * somebody else wrote MEMORY.md meanwhile, a source of a line was deleted, or a later proposal
   * replaced this one.
   */
  state: z.enum(['Waiting', 'Approved', 'Applied', 'Rejected', 'Outdated']),
  findings: z.array(GuardFinding),
  /** The version of MEMORY.md that it was made from; 0 if there was none. */
  baseVersion: z.int().min(0),
  /** The whole proposed MEMORY.md. */
  lines: z.array(DocumentLine).max(LINES_PER_DOCUMENT_MAX),
  /**
   * Ids of base lines that are gone, except those that moved to the archive or that a new line
   * replaces.
   */
  removed: z.array(z.string()).max(LINES_PER_DOCUMENT_MAX),
  /** Ids of new lines. */
  added: z.array(z.string()).max(LINES_PER_DOCUMENT_MAX),
  /** Lines that move to the archive because there is no room. */
  archived: z.array(DocumentLine).max(LINES_PER_DOCUMENT_MAX),
  /** What the model proposed without support by its sources, with the reason. */
  dropped: z.array(z.strictObject({ text: z.string(), reason: z.string() })),
  /**
   * The day of the dream in its time zone, `YYYY-MM-DD`, which is in the name of the diary file.
   */
  day: z.string(),
  diary: z.array(DocumentLine).max(DIARY_LINES_MAX),
  /** Hash over the new blocks, and those that count as read, by path and number. */
  contentHash: z.string(),
  blocks: z
    .array(z.strictObject({ path: z.string(), version: z.int().min(1) }))
    .max(SOURCE_BLOCKS_MAX),
  /** Blocks from which nothing was kept; the next dream reads them again. */
  passedOver: z
    .array(z.strictObject({ path: z.string(), version: z.int().min(1) }))
    .max(PASSED_OVER_MAX)
    .optional(),
  /** New blocks that did not fit into the model's input: they stay new. */
  leftBlocks: z.int().min(0),
  /** Lines of the new blocks that were read. */
  readLines: z.int().min(0),
  /** Version of the subject's record when the blocks were read, and the time. */
  subjectVersion: z.int().min(1),
  gatheredAt: At,
  model: z.string(),
  at: At,
  /** Who approved or rejected it, when and why; null while it is open. */
  decision: ReviewDecision.nullable(),
  /** When an approved proposal was last requested to be applied again; null if it never was. */
  askedAt: At.nullable(),
  version: z.int().min(1),
});
export type Proposal = z.infer<typeof Proposal>;

/**
 * Returns since when an approved proposal waits to be applied; null if it is not to be applied. A
 * new request moves it to the back of the queue, so that no proposal blocks another.
 */
export function pendingAtOf({ state, askedAt, decision, at }: Proposal): number | null {
  return state === 'Approved' ? (askedAt ?? decision?.at ?? at) : null;
}
