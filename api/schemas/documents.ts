/** What operations on the Markdown memory of a subject take and answer. */
import { z } from 'zod';
import { DEFAULT_HEADING } from '#core/memory-files/daily-and-diary-text.ts';
import {
  BLOCK_KEY_LENGTH_MAX,
  Document,
  DocumentLine,
  HEADING_LENGTH_MAX,
  LINE_SOURCES_MAX,
  PATH_LENGTH_MAX,
} from '#core/records/document.ts';
import { MEMORY_PATH } from '#core/memory-files/paths.ts';
import {
  AskedSubject,
  At,
  listOf,
  Tenant,
  Text,
  Time,
  NEXT_BEFORE,
  FirstAtZero,
  pageStart,
} from './shared-fields.ts';

/** Maximum paths of a subject per page: three years of days. */
const PATHS_LIMIT_MAX = 1_000;
const PATHS_LIMIT_DEFAULT = 100;
/** Maximum versions per page; each is read whole to count its tokens. */
const VERSIONS_LIMIT_MAX = 50;
const VERSIONS_LIMIT_DEFAULT = 20;
/** Maximum lines of a block; the longest text of a block cannot have more. */
const LINES_GIVEN_MAX = 2_000;
const SOURCE_LENGTH_MAX = 128;

const OfSubject = z.strictObject({ tenant: Tenant, subject: AskedSubject });

const Heading = Text.trim()
  .min(1)
  .max(HEADING_LENGTH_MAX)
  .regex(/^[^\r\n]*$/u, { error: 'expected one line' });
const Sources = z.array(Text.min(1).max(SOURCE_LENGTH_MAX)).max(LINE_SOURCES_MAX);
const Version = z.int().min(1);
const After = FirstAtZero.describe('Only the blocks after this number.');

/** Length is checked separately, so that its error carries the maximum. */
const Words = Text.refine((text) => text.trim() !== '', { error: 'expected some text' });

export const AppendDaily = OfSubject.extend({
  text: Words.optional().describe('Markdown or plain text; each line becomes a line of the block.'),
  lines: z
    .array(z.strictObject({ text: Words, sources: Sources.optional() }))
    .min(1)
    .max(LINES_GIVEN_MAX)
    .optional()
    .describe('Instead of `text`, if the lines rest on different sources.'),
  heading: Heading.default(DEFAULT_HEADING).describe('The heading of the block.'),
  at: At.optional().describe(
    'When it was said, which determines the day of the file; now by default.',
  ),
  key: Text.min(1)
    .max(BLOCK_KEY_LENGTH_MAX)
    .optional()
    .describe('Your own key: Varve appends the block once, however often you send it.'),
  sources: Sources.default([]).describe(
    'The sources of every line that names none: ids of memories, and turns as ' +
      '`turn:SESSION/TURN`. When one is deleted, Varve no longer shows the lines.',
  ),
}).refine(({ text, lines }) => (text === undefined) !== (lines === undefined), {
  path: ['text'],
  error: 'expected either text or lines',
});
export type AppendDaily = z.output<typeof AppendDaily>;
/** The input as callers write it. */
export type AskedBlock = z.input<typeof AppendDaily>;

export const AppendAnswer = z.object({
  path: z.string(),
  day: z.string().describe('`YYYY-MM-DD` in the time zone of the subject.'),
  version: z.int().describe('Number of the block in its file, from 1.'),
  id: z.string(),
  lines: z.int(),
  added: z.boolean().describe('False if the file already had the block with this key.'),
});
export type AppendAnswer = z.output<typeof AppendAnswer>;

export const GetDaily = OfSubject.extend({
  day: z.iso
    .date('expected a day as YYYY-MM-DD, such as 2026-11-21')
    .optional()
    .describe('Such as `2026-11-21`; by default, today in the time zone of the subject.'),
  after: After,
});

const ReadLine = z
  .object({
    ...DocumentLine.shape,
    blockId: z
      .string()
      .nullable()
      .describe(
        'The id by which lines of MEMORY.md name this block as their source; null in MEMORY.md.',
      ),
  })
  .meta({ id: 'DocumentLine' });
type ReadLine = z.output<typeof ReadLine>;

export const DocumentAnswer = z
  .object({
    path: z.string(),
    kind: Document.shape.kind,
    version: z
      .number()
      .describe(
        'The version of MEMORY.md; for a file of blocks, the number of the last ' +
          'block in this answer.',
      ),
    text: z.string().describe('Markdown.'),
    lines: listOf(ReadLine),
    outdatedLines: z
      .number()
      .describe(
        'How many lines are hidden because a turn or memory that they rest on was ' +
          'deleted, or because the memory expired, was superseded or was changed. In ' +
          'a version that you name, only lines of deleted sources are hidden.',
      ),
    author: Document.shape.author,
    dreamId: z.string().nullable().describe('The dream that wrote the latest version.'),
    at: Time,
    nextAfter: z
      .number()
      .nullable()
      .describe('`after` for the next call, if the file is too long for one answer.'),
  })
  .meta({ id: 'Document' });
export type DocumentAnswer = z.output<typeof DocumentAnswer>;

export const ListDocuments = OfSubject.extend({
  after: Text.max(PATH_LENGTH_MAX)
    .default('')
    .describe('The path that the previous page ended with.'),
  limit: z.int().min(1).max(PATHS_LIMIT_MAX).default(PATHS_LIMIT_DEFAULT),
});

export const DocumentPaths = z.object({ paths: listOf(z.string()) });

export const GetDocument = OfSubject.extend({
  path: Text.min(1).max(PATH_LENGTH_MAX).default(MEMORY_PATH),
  version: Version.optional().describe('A version of MEMORY.md; by default, the newest.'),
  after: After,
});

export const EditDocument = OfSubject.extend({
  text: Text.describe('The complete new text of MEMORY.md.'),
  expectedVersion: z
    .int()
    .min(0)
    .describe('The version that you edited; 0 if there was no MEMORY.md.'),
});

export const EditAnswer = z
  .object({
    version: z.int().describe('The newest version now.'),
    added: z.int().describe('Lines added; 0 if nothing was written.'),
    removed: z.int().describe('Lines removed.'),
  })
  .meta({ id: 'DocumentChange' });
export type EditAnswer = z.output<typeof EditAnswer>;

export const ListVersions = OfSubject.extend({
  before: pageStart(Version).describe('The version that the previous page ended with.'),
  limit: z.int().min(1).max(VERSIONS_LIMIT_MAX).default(VERSIONS_LIMIT_DEFAULT),
});

const VersionBrief = z.object({
  version: z.int(),
  at: Time,
  author: Document.shape.author,
  dreamId: z.string().nullable().describe('The dream that wrote the version.'),
  lines: z.int(),
  added: z.int().describe('Lines added since the previous version.'),
  removed: z.int(),
});
export type VersionBrief = z.output<typeof VersionBrief>;

export const VersionsAnswer = z.object({
  versions: listOf(VersionBrief),
  nextBefore: z.int().nullable().describe(NEXT_BEFORE),
});
export type VersionsAnswer = z.output<typeof VersionsAnswer>;

export const RestoreDocument = OfSubject.extend({
  version: Version.describe('The version to restore.'),
  expectedVersion: Version.optional().describe(
    'The newest version that you know. If there is a newer one, Varve refuses ' +
      'the call; if omitted, it does not compare.',
  ),
});
