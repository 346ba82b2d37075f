/** Documents of memory files. Nothing is ever written over. */
import type { Document } from '../records/document.ts';

interface Place {
  readonly tenant: string;
  readonly subject: string;
  readonly path: string;
}

export interface AppendResult {
  readonly document: Document;
  /** False where the path has a block of the same key already; `document` is that one. */
  readonly isNew: boolean;
}

/** That a block is about to come. */
export interface Announcement {
  /** For a subject that has no record yet. */
  readonly subjectId: string;
  /** When it is announced; the block's `at` where absent, which may lie far back. */
  readonly announcedAt?: number;
}

export interface DocumentRecords {
  /**
   * Appends a block to a file of blocks; the store gives it its number. A daily block is announced
   * in the subject's record (`hasNew`, and `announcedAt`, which never goes back), which is made
   * where there is none, in the same commit: who reads the record finds all that it announces.
   * @throws VarveError CONFLICT where others keep writing to the file
   */
  append(block: Omit<Document, 'version'>, announcement: Announcement): Promise<AppendResult>;
  /** Writes a version of a file that is written whole; false where that version is there. */
  put(document: Document): Promise<boolean>;
  /** The newest version, or the last block; null where there is no such file. */
  latest(place: Place): Promise<Document | null>;
  get(place: Place & { readonly version: number }): Promise<Document | null>;
  /** Blocks or versions of one file by number, a page after one. */
  list(
    place: Place,
    page: { readonly after: number; readonly limit: number },
  ): Promise<readonly Document[]>;
  /** Paths of a subject in their order, a page after one. */
  paths(
    { tenant, subject }: Omit<Place, 'path'>,
    page: { readonly after: string; readonly limit: number },
  ): Promise<readonly string[]>;
  /** Marks daily blocks as dreamed; those that are, or are not there, stay as they are. */
  markDreamed(
    subject: Omit<Place, 'path'>,
    blocks: readonly Pick<Document, 'path' | 'version'>[],
    dreamedAt: number,
  ): Promise<void>;
}
