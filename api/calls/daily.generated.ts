/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  Document,
  Subject,
} from './shared.generated.ts';

export interface DailyAppendLine {
  readonly text: string;
  readonly sources?: readonly string[] | undefined;
}

export interface DailyAppendInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Owner of the Markdown memory: an agent or a user. */
  readonly subject: Subject;
  /** Markdown or plain text; each line becomes a line of the block. */
  readonly text?: string | undefined;
  /** Instead of `text`, if the lines rest on different sources. */
  readonly lines?: readonly DailyAppendLine[] | undefined;
  /** The heading of the block. @default "Notes" */
  readonly heading?: string | undefined;
  /** When it was said, which determines the day of the file; now by default. */
  readonly at?: number | string | undefined;
  /** Your own key: Varve appends the block once, however often you send it. */
  readonly key?: string | undefined;
  /**
   * The sources of every line that names none: ids of memories, and turns as `turn:SESSION/TURN`.
   * When one is deleted, Varve no longer shows the lines. @default []
   */
  readonly sources?: readonly string[] | undefined;
}

export interface DailyAppendOutput {
  readonly path: string;
  /** `YYYY-MM-DD` in the time zone of the subject. */
  readonly day: string;
  /** Number of the block in its file, from 1. */
  readonly version: number;
  readonly id: string;
  readonly lines: number;
  /** False if the file already had the block with this key. */
  readonly added: boolean;
}

export interface DailyGetInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Owner of the Markdown memory: an agent or a user. */
  readonly subject: Subject;
  /** Such as `2026-11-21`; by default, today in the time zone of the subject. */
  readonly day?: string | undefined;
  /** Only the blocks after this number. @default 0 */
  readonly after?: number | null | undefined;
}

export type DailyGetOutput = Document | null;

/** Calls of `daily`. */
export interface DailyCalls {
  /** Appends a block to the daily file of a subject, in the subject’s time zone. */
  readonly append: (input: DailyAppendInput) => Promise<DailyAppendOutput>;
  /** Returns a daily file as Markdown, or null if nothing was written on that day. */
  readonly get: (input: DailyGetInput) => Promise<DailyGetOutput>;
}
