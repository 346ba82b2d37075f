/**
 * A document of memory files: a block of a daily file, a version of MEMORY.md, an entry of a
 * diary or of the archive. A version is never written over. Files to which is only appended (daily
 * files, diaries, the archive) have one record for each block, in the order of their versions;
 * of MEMORY.md each record is the whole file.
 */
import { z } from 'zod';
import { TenantId } from '../scope.ts';
import { Trust } from './memory.ts';

/** Characters of one line; the caller that appends cuts longer ones into several. */
export const LINE_LENGTH_MAX = 4_000;
/** Lines of one block, and of MEMORY.md. */
export const LINES_PER_DOCUMENT_MAX = 2_000;
export const LINE_SOURCES_MAX = 64;
export const PATH_LENGTH_MAX = 128;
export const HEADING_LENGTH_MAX = 200;
/** Characters of MEMORY.md with the marks and comments that a person put around its lines. */
const LAYOUT_LENGTH_MAX = 10_000_000;
export const BLOCK_KEY_LENGTH_MAX = 256;

export const MEMORY_PATH = 'MEMORY.md';
export const ARCHIVE_PATH = 'memory/archive.md';

/** In the place of a time: no dream made anything of the block, and none reads it any more. */
export const SET_ASIDE_AT = 0;

const At = z.int().min(0);

export const DocumentLine = z.strictObject({
  /** UUIDv7; a line that is kept from version to version keeps it. */
  id: z.string(),
  /** The `##` heading that it stands under; null above the first. */
  heading: z.string().min(1).max(HEADING_LENGTH_MAX).nullable(),
  /** One line without its bullet. */
  text: z.string().min(1).max(LINE_LENGTH_MAX),
  /** Ids of memories, turns, blocks and lines that it rests on; empty if a person wrote it. */
  sources: z.array(z.string()).max(LINE_SOURCES_MAX),
  trust: Trust,
  /** When what it says was said or written, the latest of its sources. */
  at: At,
  /** Part of a table, code, a quotation, a numbered or a nested list: no dream changes it. */
  isFixed: z.boolean().optional(),
});
export type DocumentLine = z.infer<typeof DocumentLine>;

export const Document = z.strictObject({
  tenant: TenantId,
  /** `subjectKey` of the owner of the memory. */
  subject: z.string(),
  /** Within the subject's folder, e.g. `memory/2026-11-21.md`. */
  path: z.string().min(1).max(PATH_LENGTH_MAX),
  /** From 1, without gaps: the version of MEMORY.md, the number of a block elsewhere. */
  version: z.int().min(1),
  id: z.string(),
  kind: z.enum(['Daily', 'Core', 'Diary', 'Archive']),
  /** Of a block, without its time, e.g. `Trimmed Context`; null for MEMORY.md. */
  heading: z.string().min(1).max(HEADING_LENGTH_MAX).nullable(),
  lines: z.array(DocumentLine).max(LINES_PER_DOCUMENT_MAX),
  /** Who wrote it: a dream, a caller of the API, or the flush of a session. */
  author: z.enum(['dream', 'caller', 'flush']),
  /** What a dream wrote it for; null where none did. */
  proposalId: z.string().nullable(),
  /** The caller's own key, unique within subject and path: the same block is appended once. */
  key: z.string().min(1).max(BLOCK_KEY_LENGTH_MAX).nullable(),
  at: At,
  /**
   * Of a daily block: when a dream had read it and was done, or `SET_ASIDE_AT`; null before, and
   * elsewhere.
   */
  dreamedAt: At.nullable(),
  /** MEMORY.md as a person wrote it, byte for byte; absent where it is what `memoryText` makes. */
  layout: z.string().max(LAYOUT_LENGTH_MAX).optional(),
});
export type Document = z.infer<typeof Document>;

/** The daily file of a day, `YYYY-MM-DD`. */
export function dailyPath(day: string): string {
  return `memory/${day}.md`;
}

/** The dream diary of a day, `YYYY-MM-DD`. */
export function diaryPath(day: string): string {
  return `memory/dreams/${day}.md`;
}
