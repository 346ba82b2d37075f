/**
 * What a dream proposes for MEMORY.md. Within the guards it is applied without approval, else it
 * waits for a person. It holds everything that its application needs, so that this can be repeated
 * after a crash.
 */
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { DocumentLine, LINES_PER_DOCUMENT_MAX } from './document.ts';
import { PASSED_OVER_MAX } from './subject-record.ts';

/** Lines of a diary; of a larger dream it says that there is more. */
export const DIARY_LINES_MAX = 500;
export const REASON_LENGTH_MAX = 1_000;
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
  /** The DeepDream that set its rules; null if none covers the subject. */
  dream: z.string().nullable(),
  /**
   * Waiting for a person; Approved, to be applied; Applied; Rejected by a person; Outdated where
   * MEMORY.md was written by another meanwhile, or a later proposal took its place.
   */
  state: z.enum(['Waiting', 'Approved', 'Applied', 'Rejected', 'Outdated']),
  findings: z.array(GuardFinding),
  /** The version of MEMORY.md that it was made from; 0 where there was none. */
  baseVersion: z.int().min(0),
  /** The whole of MEMORY.md as proposed. */
  lines: z.array(DocumentLine).max(LINES_PER_DOCUMENT_MAX),
  /**
   * Ids of lines of the base that are gone. Those that moved to the archive, or whose place a new
   * line took, are not among them.
   */
  removed: z.array(z.string()).max(LINES_PER_DOCUMENT_MAX),
  /** Ids of lines that are new. */
  added: z.array(z.string()).max(LINES_PER_DOCUMENT_MAX),
  /** Lines that go to the archive for want of room. */
  archived: z.array(DocumentLine).max(LINES_PER_DOCUMENT_MAX),
  /** What the model proposed and was not supported by its sources, with the reason. */
  dropped: z.array(z.strictObject({ text: z.string(), reason: z.string() })),
  /** The day of the dream in its time zone, `YYYY-MM-DD`: names the file of the diary. */
  day: z.string(),
  diary: z.array(DocumentLine).max(DIARY_LINES_MAX),
  /** Hash over the blocks that were new, and those that count as read, by path and number. */
  contentHash: z.string(),
  blocks: z
    .array(z.strictObject({ path: z.string(), version: z.int().min(1) }))
    .max(SOURCE_BLOCKS_MAX),
  /** Those of which nothing was kept, and that the next dream reads again. */
  passedOver: z
    .array(z.strictObject({ path: z.string(), version: z.int().min(1) }))
    .max(PASSED_OVER_MAX)
    .optional(),
  /** New blocks for which the model had no room: they stay new. */
  leftBlocks: z.int().min(0),
  /** Lines of the new blocks that were read. */
  readLines: z.int().min(0),
  /** Of the subject's record when the blocks were read, and when that was. */
  subjectVersion: z.int().min(1),
  gatheredAt: At,
  model: z.string(),
  at: At,
  /** Who approved or rejected it, when and why; null while it is open. */
  decision: z
    .strictObject({
      at: At,
      principal: z.string().max(256),
      reason: z.string().max(REASON_LENGTH_MAX),
    })
    .nullable(),
  /** Approved, and its application was asked for again: when; null where it was not. */
  askedAt: At.nullable(),
  version: z.int().min(1),
});
export type Proposal = z.infer<typeof Proposal>;

/**
 * Since when an approved proposal waits to be applied; null for one that is not to be applied. One
 * that was asked for goes to the back of the queue, so that none holds up another.
 */
export function pendingAtOf({ state, askedAt, decision, at }: Proposal): number | null {
  return state === 'Approved' ? (askedAt ?? decision?.at ?? at) : null;
}
