/** Inputs of the procedures on the Markdown tiers: daily files, MEMORY.md and their versions. */
import { z } from 'zod';
import {
  BLOCK_KEY_LENGTH_MAX,
  HEADING_LENGTH_MAX,
  LINE_SOURCES_MAX,
  MEMORY_PATH,
  PATH_LENGTH_MAX,
} from '#core/records/document.ts';
import { TenantId } from '#core/scope.ts';
import { Subject } from '#core/subject.ts';
import { At, Text } from './inputs.ts';

/** Paths of a subject on one page: those of three years of days. */
const PATHS_LIMIT_MAX = 1_000;
const PATHS_LIMIT_DEFAULT = 100;
/** Versions on one page; each is read whole to be counted. */
export const VERSIONS_LIMIT_MAX = 50;
const VERSIONS_LIMIT_DEFAULT = 20;
/** More lines than the longest text of a block can have are no block. */
const LINES_GIVEN_MAX = 2_000;
const SOURCE_LENGTH_MAX = 128;

/** Whose Markdown memory it is. */
export const AskedSubject = Subject.refine(({ id }) => Text.safeParse(id).success, {
  path: ['id'],
  error: 'expected whole Unicode characters without NUL',
});

const Heading = Text.trim()
  .min(1)
  .max(HEADING_LENGTH_MAX)
  .regex(/^[^\r\n]*$/u, { error: 'expected one line' });
const Sources = z.array(Text.min(1).max(SOURCE_LENGTH_MAX)).max(LINE_SOURCES_MAX);
/** A day as its calendar writes it, `2026-11-21`. */
const Day = z.iso.date();
const Version = z.int().min(1);

/** Length is checked apart, so that its error carries the maximum. */
const Words = Text.refine((text) => text.trim() !== '', { error: 'expected some text' });

export const AppendDaily = z
  .strictObject({
    tenant: TenantId,
    subject: AskedSubject,
    /** Markdown or plain text: each line of it becomes one of the block. */
    text: Words.optional(),
    /** Instead of `text`, where lines rest on different sources. */
    lines: z
      .array(z.strictObject({ text: Words, sources: Sources.optional() }))
      .min(1)
      .max(LINES_GIVEN_MAX)
      .optional(),
    /** What the block is headed by; its time is put behind it. */
    heading: Heading.default('Notes'),
    /** When it was said: names the day of the file. Now where absent. */
    at: At.optional(),
    /** The caller's own: the same block is appended once, however often it is sent. */
    key: Text.min(1).max(BLOCK_KEY_LENGTH_MAX).optional(),
    /** Ids of memories or turns that every line without its own rests on. */
    sources: Sources.default([]),
  })
  .refine(({ text, lines }) => (text === undefined) !== (lines === undefined), {
    path: ['text'],
    error: 'expected either text or lines',
  });
export type AppendDaily = z.input<typeof AppendDaily>;

export const GetDaily = z.strictObject({
  tenant: TenantId,
  subject: AskedSubject,
  /** The present one where absent, in the time zone of the subject. */
  day: Day.optional(),
  /** Only the blocks after this one. */
  after: z.int().min(0).default(0),
});
export type GetDaily = z.input<typeof GetDaily>;

export const ListDocuments = z.strictObject({
  tenant: TenantId,
  subject: AskedSubject,
  /** The path that the page before ended with. */
  after: Text.max(PATH_LENGTH_MAX).default(''),
  limit: z.int().min(1).max(PATHS_LIMIT_MAX).default(PATHS_LIMIT_DEFAULT),
});
export type ListDocuments = z.input<typeof ListDocuments>;

export const GetDocument = z.strictObject({
  tenant: TenantId,
  subject: AskedSubject,
  path: Text.min(1).max(PATH_LENGTH_MAX).default(MEMORY_PATH),
  /** Of MEMORY.md; the newest where absent. */
  version: Version.optional(),
  /** Of a file of blocks: only those after this one. */
  after: z.int().min(0).default(0),
});
export type GetDocument = z.input<typeof GetDocument>;

export const EditDocument = z.strictObject({
  tenant: TenantId,
  subject: AskedSubject,
  /** The whole of MEMORY.md. Length is checked apart, so that its error carries the maximum. */
  text: Text,
  /** What was edited; 0 where there was no MEMORY.md. */
  expectedVersion: z.int().min(0),
});
export type EditDocument = z.input<typeof EditDocument>;

export const ListVersions = z.strictObject({
  tenant: TenantId,
  subject: AskedSubject,
  /** The version that the page before ended with. */
  before: Version.optional(),
  limit: z.int().min(1).max(VERSIONS_LIMIT_MAX).default(VERSIONS_LIMIT_DEFAULT),
});
export type ListVersions = z.input<typeof ListVersions>;

export const RestoreDocument = z.strictObject({
  tenant: TenantId,
  subject: AskedSubject,
  /** The one that MEMORY.md is to say again. */
  version: Version,
  /** The newest one, where somebody looked before; not compared where absent. */
  expectedVersion: Version.optional(),
});
export type RestoreDocument = z.input<typeof RestoreDocument>;
