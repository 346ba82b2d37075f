/**
 * A document of memory files: a block of a daily file, a version of MEMORY.md, or an entry of a
 * diary or of the archive. A version is never overwritten. Append-only files (daily files, diaries,
 * the archive) have one record for each block, in the order of their versions. For MEMORY.md, each
 * record is the whole file.
 */
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { Trust } from '../trust.ts';

/** The most characters of one line; the caller that appends splits longer lines. */
export const LINE_LENGTH_MAX = 4_000;
/** The most lines of one block, and of MEMORY.md. */
export const LINES_PER_DOCUMENT_MAX = 2_000;
export const LINE_SOURCES_MAX = 64;
export const PATH_LENGTH_MAX = 128;
export const HEADING_LENGTH_MAX = 200;
/**
 * The most characters of MEMORY.md, including marks and comments that a person put around its
 * lines.
 */
const LAYOUT_LENGTH_MAX = 10_000_000;
export const BLOCK_KEY_LENGTH_MAX = 256;

/** Used instead of a time: dreams could not use the block and will not read it again. */
export const SET_ASIDE_AT = 0;

const At = z.int().min(0);

export const DocumentLine = z.strictObject({
  /** UUIDv7; a line keeps it from version to version. */
  id: z.string(),
  /** The `##` heading above the line; null above the first heading. */
  heading: z.string().min(1).max(HEADING_LENGTH_MAX).nullable(),
  /** One line without its bullet. */
  text: z.string().min(1).max(LINE_LENGTH_MAX),
  /**
   * Ids of memories, turns, blocks and lines that the line rests on; empty if a person wrote it.
   */
  sources: z.array(z.string()).max(LINE_SOURCES_MAX),
  trust: Trust,
  /** When the statement was said or written: the latest time of its sources. */
  at: At,
  /** Part of a table, code, a quotation, or a numbered or nested list: no dream changes it. */
  isFixed: z.boolean().optional(),
});
export type DocumentLine = z.infer<typeof DocumentLine>;

export const Document = z.strictObject({
  tenant: TenantId,
  /** `subjectKey` of the owner. */
  subject: z.string(),
  /** Within the subject's folder, e.g. `memory/2026-11-21.md`. */
  path: z.string().min(1).max(PATH_LENGTH_MAX),
  /** From 1, without gaps: the version of MEMORY.md; for other files, the number of the block. */
  version: z.int().min(1),
  id: z.string(),
  kind: z.enum(['Daily', 'Core', 'Diary', 'Archive']),
  /** Heading of a block, without its time, e.g. `Trimmed Context`; null for MEMORY.md. */
  heading: z.string().min(1).max(HEADING_LENGTH_MAX).nullable(),
  lines: z.array(DocumentLine).max(LINES_PER_DOCUMENT_MAX),
  /** Who wrote it: a dream, a caller of the API, or the flush of a session. */
  author: z.enum(['dream', 'caller', 'flush']),
  /** The proposal that a dream wrote it for; null if no dream wrote it. */
  proposalId: z.string().nullable(),
  /** Chosen by the caller, unique within subject and path: the same block is appended only once. */
  key: z.string().min(1).max(BLOCK_KEY_LENGTH_MAX).nullable(),
  at: At,
  /**
   * For a daily block: when a dream finished with it, or `SET_ASIDE_AT`. Null before that, and for
   * other files.
   */
  dreamedAt: At.nullable(),
  /** MEMORY.md exactly as a person wrote it; absent if it equals what `memoryText` makes. */
  layout: z.string().max(LAYOUT_LENGTH_MAX).optional(),
});
export type Document = z.infer<typeof Document>;
