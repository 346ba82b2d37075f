/** The state of a subject's Markdown memory: whether a dream has something to read. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { DreamOutcome } from './dream-outcome.ts';

/**
 * The most lines that a person deleted and that no dream brings back; the oldest are forgotten
 * first.
 */
export const TOMBSTONES_MAX = 1_000;

/** The most remembered blocks from which nothing was kept; the oldest are forgotten first. */
export const PASSED_OVER_MAX = 200;

const CODE_LENGTH_MAX = 64;
const At = z.int().min(0);

export const SubjectRecord = z.strictObject({
  tenant: TenantId,
  /** `subjectKey`. */
  subject: z.string(),
  /** UUIDv7 that identifies the subject where its own id must not appear, as in workflows. */
  subjectId: z.string(),
  /** True from before a block is appended until a dream has read everything. */
  hasNew: z.boolean(),
  /** When a block was last announced; it may not be in its file yet. */
  announcedAt: At,
  /** Hash over the undreamed blocks when a dream last finished with them. */
  processedHash: z.string().nullable(),
  /** Hashes of lines that a person deleted from MEMORY.md, newest last. */
  tombstones: z.array(z.string()).max(TOMBSTONES_MAX),
  /**
   * Failed dreams that may have been paid for: the last dream, the oldest block that it had to
   * read, and what was announced by then. Null if the last dream succeeded.
   */
  refused: z
    .strictObject({
      dreamId: z.string(),
      path: z.string(),
      version: z.int().min(1),
      announcedAt: At,
      /** Answers that could not be used. */
      answers: z.int().min(0),
      /** Calls in a row without an answer. */
      failures: z.int().min(0),
    })
    .nullable(),
  /** Blocks that dreams read without keeping anything, and how often; they stay unread. */
  passedOver: z
    .array(z.strictObject({ path: z.string(), version: z.int().min(1), times: z.int().min(1) }))
    .max(PASSED_OVER_MAX)
    .optional(),
  /** The last dream that ended. If it made a proposal, that has the same `dreamId`. */
  last: z
    .strictObject({
      at: At,
      dreamId: z.string(),
      outcome: DreamOutcome,
      /** Code of the error that ended it; absent if it did not fail. */
      code: z.string().max(CODE_LENGTH_MAX).optional(),
    })
    .nullable(),
  /** Rises with every write. */
  version: z.int().min(1),
});
export type SubjectRecord = z.infer<typeof SubjectRecord>;
