/** What is known of a subject's Markdown memory: whether a dream has something to read. */
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { DreamOutcome } from './dream-outcome.ts';

/** Lines that a person deleted and that no dream brings back; the oldest are forgotten first. */
export const TOMBSTONES_MAX = 1_000;

/** Blocks of which nothing was kept that are remembered; the oldest are forgotten first. */
export const PASSED_OVER_MAX = 200;

const CODE_LENGTH_MAX = 64;
const At = z.int().min(0);

export const SubjectRecord = z.strictObject({
  tenant: TenantId,
  /** `subjectKey`. */
  subject: z.string(),
  /** UUIDv7: names the subject where its own id must not stand, as in workflows. */
  subjectId: z.string(),
  /** True from before a block is appended until a dream has read all that there is. */
  hasNew: z.boolean(),
  /** When a block was last announced: it may still be on its way into its file. */
  announcedAt: At,
  /** Hash over the blocks that were not dreamed yet when a dream was last done with them. */
  processedHash: z.string().nullable(),
  /** Hashes of lines that a person deleted from MEMORY.md, newest last. */
  tombstones: z.array(z.string()).max(TOMBSTONES_MAX),
  /**
   * Dreams that may have been paid for and came to nothing: the last of them, the oldest block that
   * they were to read, and what was announced by then; null where the last one was of use.
   */
  refused: z
    .strictObject({
      dreamId: z.string(),
      path: z.string(),
      version: z.int().min(1),
      announcedAt: At,
      /** Of which nothing could be made. */
      answers: z.int().min(0),
      /** Calls in a row that brought no answer. */
      failures: z.int().min(0),
    })
    .nullable(),
  /** Blocks that dreams read without keeping anything of them, how often; they stay unread. */
  passedOver: z
    .array(z.strictObject({ path: z.string(), version: z.int().min(1), times: z.int().min(1) }))
    .max(PASSED_OVER_MAX)
    .optional(),
  /** The last dream that ended; `dreamId` names its proposal too, where it made one. */
  last: z
    .strictObject({
      at: At,
      dreamId: z.string(),
      outcome: DreamOutcome,
      /** Of the error that ended it; absent where none did. */
      code: z.string().max(CODE_LENGTH_MAX).optional(),
    })
    .nullable(),
  /** Rises with every write. */
  version: z.int().min(1),
});
export type SubjectRecord = z.infer<typeof SubjectRecord>;
