/** Documents of memory files. Nothing is ever overwritten. */
import type { Document } from '../records/document.ts';

interface Place {
  readonly tenant: string;
  readonly subject: string;
  readonly path: string;
}

interface AppendResult {
  readonly document: Document;
  /** False if the path already has a block of the same key; `document` is that block. */
  readonly isNew: boolean;
}

/** Says that a block is about to be appended. */
export interface BlockAnnouncement {
  /** Id for a subject that has no record yet. */
  readonly subjectId: string;
  /** When it is announced; if absent, the block's `at`, which may be long ago. */
  readonly announcedAt?: number;
}

export interface DocumentRecords {
  /**
   * Appends a block to a file of blocks; the store gives it its number. For a daily block, the same
   * commit writes an announcement to the subject's record (`hasNew`, and `announcedAt`, which never
   * goes back), and makes that record if it is missing. Whoever reads the record finds everything
   * that it announces.
   * @throws VarveError CONFLICT if others keep writing to the file
   */
  append(block: Omit<Document, 'version'>, announcement: BlockAnnouncement): Promise<AppendResult>;
  /** Writes a version of a file that is stored as a whole; false if that version exists. */
  put(document: Document): Promise<boolean>;
  /** Returns the newest version, or the last block; null if there is no such file. */
  latest(place: Place): Promise<Document | null>;
  get(place: Place & { readonly version: number }): Promise<Document | null>;
  /** Lists blocks or versions of one file by number; the page after a given number. */
  list(
    place: Place,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly Document[]>;
  /** Lists the paths of a subject in order; the page after a given path. */
  paths(
    { tenant, subject }: Omit<Place, 'path'>,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly string[]>;
  /** Lists blocks of the files of a subject between two paths, the last block of the last first. */
  between(
    { tenant, subject }: Omit<Place, 'path'>,
    range: { readonly after: string; readonly before: string; readonly limit: number },
  ): Promise<readonly Document[]>;
  /** Marks daily blocks as dreamed; skips blocks that are marked or missing. */
  markDreamed(
    subject: Omit<Place, 'path'>,
    blocks: readonly Pick<Document, 'path' | 'version'>[],
    dreamedAt: number,
  ): Promise<void>;
}
