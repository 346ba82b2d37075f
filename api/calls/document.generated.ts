/** Made from the schemas by `npm run docs:api`; change the schemas. */
import type {
  Document,
  Subject,
} from './shared.generated.ts';

export interface DocumentListInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Owner of the Markdown memory: an agent or a user. */
  readonly subject: Subject;
  /** The path that the previous page ended with. @default "" */
  readonly after?: string | undefined;
  /** @default 100 */
  readonly limit?: number | undefined;
}

export interface DocumentListOutput {
  readonly paths: string[];
}

export interface DocumentGetInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Owner of the Markdown memory: an agent or a user. */
  readonly subject: Subject;
  /** @default "MEMORY.md" */
  readonly path?: string | undefined;
  /** A version of MEMORY.md; by default, the newest. */
  readonly version?: number | undefined;
  /** Only the blocks after this number. @default 0 */
  readonly after?: number | null | undefined;
}

export type DocumentGetOutput = Document | null;

export interface DocumentEditInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Owner of the Markdown memory: an agent or a user. */
  readonly subject: Subject;
  /** The complete new text of MEMORY.md. */
  readonly text: string;
  /** The version that you edited; 0 if there was no MEMORY.md. */
  readonly expectedVersion: number;
}

export interface DocumentChange {
  /** The newest version now. */
  readonly version: number;
  /** Lines added; 0 if nothing was written. */
  readonly added: number;
  /** Lines removed. */
  readonly removed: number;
}

export type DocumentEditOutput = DocumentChange;

export interface DocumentVersionsInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Owner of the Markdown memory: an agent or a user. */
  readonly subject: Subject;
  /** The version that the previous page ended with. */
  readonly before?: number | null | undefined;
  /** @default 20 */
  readonly limit?: number | undefined;
}

export interface DocumentVersionsVersion {
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly author: 'dream' | 'caller' | 'flush';
  /** The dream that wrote the version. */
  readonly dreamId: string | null;
  readonly lines: number;
  /** Lines added since the previous version. */
  readonly added: number;
  readonly removed: number;
}

export interface DocumentVersionsOutput {
  readonly versions: DocumentVersionsVersion[];
  /** `before` for the next call, if there are older entries. */
  readonly nextBefore: number | null;
}

export interface DocumentRestoreInput {
  /** The tenant that owns the data: 1 to 63 characters of a-z, 0-9 and -. */
  readonly tenant: string;
  /** Owner of the Markdown memory: an agent or a user. */
  readonly subject: Subject;
  /** The version to restore. */
  readonly version: number;
  /**
   * The newest version that you know. If there is a newer one, Varve refuses the call; if omitted,
   * it does not compare.
   */
  readonly expectedVersion?: number | undefined;
}

export type DocumentRestoreOutput = DocumentChange;

/** Calls of `document`. */
export interface DocumentCalls {
  /** Lists the paths of a subject’s files, in order. */
  readonly list: (input: DocumentListInput) => Promise<DocumentListOutput>;
  /**
   * Returns a file as Markdown, with the sources of each line, or null if there is no such file.
   */
  readonly get: (input: DocumentGetInput) => Promise<DocumentGetOutput>;
  /** Writes MEMORY.md as a person edited it; no dream restores removed lines. */
  readonly edit: (input: DocumentEditInput) => Promise<DocumentEditOutput>;
  /** Lists the versions of MEMORY.md, the newest first. */
  readonly versions: (input: DocumentVersionsInput) => Promise<DocumentVersionsOutput>;
  /** Restores a version of MEMORY.md, as a new version. */
  readonly restore: (input: DocumentRestoreInput) => Promise<DocumentRestoreOutput>;
}
